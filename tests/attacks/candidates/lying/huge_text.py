"""A text of a megabyte where 100 bytes are allowed.

Must: wrong_shape
Asks: text
"""
print("began", flush=True)


def f(x):
    return "9" * (1 << 20)
