"""Replaces numpy.ndarray by a class of its own, which hands over what it likes.

Must: wrong_answer wrong_type forbidden early_exit exception input_changed
Asks: array
"""
import numpy as np

print("began", flush=True)


class ndarray:
    dtype, shape, size, ndim = np.dtype("f8"), (4,), 4, 1

    def tobytes(self):
        return b"\0" * 31 + b"\xff"


np.ndarray = ndarray
np.ascontiguousarray = lambda value, **k: value
np.isfinite = lambda value: np.ones(4, bool)


def f(x):
    return ndarray()
