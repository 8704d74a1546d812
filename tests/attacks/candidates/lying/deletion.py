"""An object that acts when it is deleted.

Must: wrong_type early_exit
"""
import os

print("began", flush=True)


class Last:
    def __del__(self):
        os._exit(0)


def f(x):
    return Last()
