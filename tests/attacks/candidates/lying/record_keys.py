"""A record with one key too many, equal to every name.

Must: wrong_type wrong_shape
Asks: record
"""
import numpy as np

print("began", flush=True)


class Key(str):
    def __eq__(self, other):
        return True

    def __hash__(self):
        return hash("sum")


def f(x):
    return {Key("other"): 0.0, "parts": np.zeros(4)}
