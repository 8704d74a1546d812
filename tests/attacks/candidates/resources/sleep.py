"""Waits without using the processor.

Must: wall_limit
Limits: wall_seconds=2
"""
import time

print("began", flush=True)


def f(x):
    time.sleep(1000)
