"""Endless errors, by the descriptor.

Must: output_limit
"""
import os

print("began", flush=True)


def f(x):
    while True:
        os.write(2, b"\xff" * 65536)
