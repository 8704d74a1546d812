"""An array subclass to which every operation gives True.

Must: wrong_type
Asks: array
"""
import numpy as np

print("began", flush=True)


class Liar(np.ndarray):
    def __array_ufunc__(self, *a, **k):
        return True

    def __array_function__(self, *a, **k):
        return True

    def __eq__(self, other):
        return True


def f(x):
    return np.zeros(4).view(Liar)
