"""An array that reads memory which isn't mapped.

Must: crashed
Asks: array
"""
import numpy as np

print("began", flush=True)


def f(x):
    return np.lib.stride_tricks.as_strided(x, (4,), (1 << 45,))
