"""A memory map of a file where an array is asked.

Must: wrong_type
Asks: array
"""
import numpy as np

print("began", flush=True)


def f(x):
    return np.memmap("map", "f8", "w+", shape=4)
