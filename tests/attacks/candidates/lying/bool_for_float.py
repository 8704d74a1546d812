"""True where a number is asked.

Must: wrong_type
"""
print("began", flush=True)


def f(x):
    return True
