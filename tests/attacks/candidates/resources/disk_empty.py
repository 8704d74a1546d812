"""Inodes: empty files and folders without end.

Must: output_limit exception
Only: AB
"""
import os

print("began", flush=True)


def f(x):
    for index in range(20000):
        os.mkdir(f"left-by-attack-{index}")
    print("breached: 20000 folders", flush=True)
    return 0.0
