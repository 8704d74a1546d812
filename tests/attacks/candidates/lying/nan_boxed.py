"""NaNs with a payload in their bits.

Must: not_finite
Asks: array
"""
import numpy as np

print("began", flush=True)


def f(x):
    return np.full(4, 0x7FF800000000BEEF, dtype=np.uint64).view(np.float64)
