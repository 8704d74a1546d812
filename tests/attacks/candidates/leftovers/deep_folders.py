"""Folders so deep that a cleaner which recurses fails.

Must: wrong_answer output_limit exception
"""
import os

print("began", flush=True)
try:
    for depth in range(1100):
        os.mkdir("left-by-attack")
        os.chdir("left-by-attack")
except OSError:
    pass
print("depth", depth, flush=True)


def f(x):
    return 0.0
