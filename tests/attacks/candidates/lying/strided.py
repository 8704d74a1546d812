"""An array that reads the memory around it.

Must: wrong_answer not_finite crashed nondeterministic
Asks: array
"""
import numpy as np

print("began", flush=True)


def f(x):
    return np.lib.stride_tricks.as_strided(x, (4,), (1 << 12,))
