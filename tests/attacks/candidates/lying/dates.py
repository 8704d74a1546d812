"""Times, whose bytes are integers.

Must: wrong_type
Asks: int array
"""
import numpy as np

print("began", flush=True)


def f(x):
    return np.zeros(4, "datetime64[s]")
