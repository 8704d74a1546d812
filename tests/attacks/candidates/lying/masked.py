"""A masked array, whose masked places equal anything.

Must: wrong_type
Asks: array
"""
import numpy as np

print("began", flush=True)


def f(x):
    return np.ma.masked_all(4)
