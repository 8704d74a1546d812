"""A generator without an end where a list is asked.

Must: wrong_type
Asks: floats
"""
print("began", flush=True)


def f(x):
    while True:
        yield 0.0
