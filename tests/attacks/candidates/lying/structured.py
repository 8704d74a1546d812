"""A structured array of the right number of bytes.

Must: wrong_type
Asks: array
"""
import numpy as np

print("began", flush=True)


def f(x):
    return np.zeros(4, dtype=[("a", "<f8")])
