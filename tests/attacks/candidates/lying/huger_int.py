"""An integer of a megabyte.

Must: wrong_shape
Asks: int
"""
print("began", flush=True)


def f(x):
    return 1 << (1 << 23)
