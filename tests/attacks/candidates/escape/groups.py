"""Asks for root's groups.

Must: forbidden
"""
import os

print("began", flush=True)


def f(x):
    os.setgroups([0])
    print("breached", os.getgroups(), flush=True)
