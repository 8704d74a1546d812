"""Zeros of both signs: no sign makes a wrong answer right.

Must: wrong_answer
Asks: array
"""
import numpy as np

print("began", flush=True)


def f(x):
    return np.array([-0.0, 0.0, -0.0, 0.0])
