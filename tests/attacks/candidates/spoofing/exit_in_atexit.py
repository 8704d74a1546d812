"""Answers wrongly and hopes that an exit handler's status counts.

Must: wrong_answer
"""
import atexit
import os

print("began", flush=True)
atexit.register(os._exit, 0)


def f(x):
    return 0.0
