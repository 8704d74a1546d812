"""Complex numbers with an imaginary part that a cast would drop.

Must: wrong_type
Asks: array
"""
import numpy as np

print("began", flush=True)


def f(x):
    return np.zeros(4) + 1e300j
