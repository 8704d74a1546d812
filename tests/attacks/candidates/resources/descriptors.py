"""All descriptors there are.

Must: exception
"""
import os

print("began", flush=True)


def f(x):
    for _ in range(5000):
        os.dup(1)
    print("breached: 5000 descriptors", flush=True)
