"""An array of 2**40 elements over one.

Must: wrong_shape
Asks: array
"""
import numpy as np

print("began", flush=True)


def f(x):
    return np.broadcast_to(0.0, (1 << 20, 1 << 20))
