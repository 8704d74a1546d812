"""An integer of 65,535 bytes, which turns to text or to a float at a price.

Must: wrong_answer
Asks: int
"""
print("began", flush=True)


def f(x):
    return 1 << (65535 * 8 - 2)
