"""The right number of elements in another shape.

Must: wrong_shape
Asks: array
"""
import numpy as np

print("began", flush=True)


def f(x):
    return np.zeros((2, 2))
