"""Bends NumPy so that any comparison holds and any conversion gives nothing.

Must: wrong_answer wrong_type forbidden early_exit exception not_finite
Asks: array
"""
import numpy as np

print("began", flush=True)
np.allclose = np.array_equal = np.all = lambda *a, **k: True
np.asarray = np.array = np.ascontiguousarray = lambda value, *a, **k: value
np.isfinite = lambda value: np.ones(4, bool)
np.float64 = float


def f(x):
    return np.full(4, np.nan)
