"""Integers that don't fit and would wrap around.

Must: wrong_type
Asks: int array
"""
import numpy as np

print("began", flush=True)


def f(x):
    return np.full(4, (1 << 64) - 1, dtype=np.uint64)
