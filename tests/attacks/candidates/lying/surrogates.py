"""Text that isn't text: half of a surrogate pair.

Must: wrong_type
Asks: text
"""
print("began", flush=True)


def f(x):
    return "\ud83d"
