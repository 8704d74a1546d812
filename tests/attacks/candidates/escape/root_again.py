"""Asks for the rights that were given up: user ids by Python.

Must: forbidden
"""
import os

print("began", flush=True)


def f(x):
    os.setuid(0)
    print("breached", os.getuid(), flush=True)
