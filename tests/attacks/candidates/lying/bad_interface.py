"""An array over memory that isn't there, by its interface.

Must: crashed wrong_type
Asks: array
"""
import numpy as np

print("began", flush=True)


class Wild:
    __array_interface__ = {"shape": (4,), "typestr": "<f8", "data": (4096, False), "version": 3}


def f(x):
    return np.asarray(Wild())
