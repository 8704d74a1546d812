"""Closes the result's pipe and returns.

Must: early_exit
"""
import os

print("began", flush=True)


def f(x):
    os.close(4)
    return 0.0
