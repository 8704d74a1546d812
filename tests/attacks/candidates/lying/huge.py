"""Numbers whose square overflows in the judge.

Must: wrong_answer
Asks: array
"""
import numpy as np

print("began", flush=True)


def f(x):
    return np.array([1.7e308, -1.7e308, 5e-324, -0.0])
