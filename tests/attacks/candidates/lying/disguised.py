"""An object whose `__class__` says ndarray.

Must: wrong_type
Asks: array
"""
import numpy as np

print("began", flush=True)


class Disguised:
    __class__ = np.ndarray
    shape, dtype, ndim, size = (4,), np.dtype("f8"), 1, 4
    __array_interface__ = {"shape": (4,), "typestr": "<f8", "data": (0, False), "version": 3}


def f(x):
    return Disguised()
