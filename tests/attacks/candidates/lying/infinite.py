"""Infinities of both signs.

Must: not_finite
Asks: floats
"""
print("began", flush=True)


def f(x):
    return [float("inf"), float("-inf"), 1e999, 0.0]
