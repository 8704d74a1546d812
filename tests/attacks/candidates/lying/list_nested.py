"""A list that holds itself.

Must: wrong_type
Asks: floats
"""
print("began", flush=True)


def f(x):
    knot = []
    knot += [knot] * 4
    return knot
