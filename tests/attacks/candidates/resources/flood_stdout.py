"""Endless output.

Must: output_limit
"""
print("began", flush=True)


def f(x):
    while True:
        print("x" * 10000)
