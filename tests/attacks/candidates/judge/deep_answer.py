"""A list that is nested a hundred thousand deep.

Must: wrong_type
Asks: floats
"""
print("began", flush=True)


def f(x):
    deep = []
    for _ in range(100000):
        deep = [deep]
    return deep * 4
