"""An array of objects that turn into whatever is asked.

Must: wrong_type
Asks: array
"""
import numpy as np

print("began", flush=True)


class Number:
    def __float__(self):
        print("breached: asked for a float", flush=True)
        return 1.0


def f(x):
    return np.array([Number() for _ in range(4)], dtype=object)
