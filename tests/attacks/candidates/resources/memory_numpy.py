"""Memory by arrays that are written to.

Must: memory_limit
"""
import numpy as np

print("began", flush=True)


def f(x):
    kept = []
    while True:
        kept.append(np.ones(1 << 19))
