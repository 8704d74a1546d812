"""Closes every descriptor and lives on.

Must: wall_limit early_exit
Limits: wall_seconds=2
"""
import os
import time

print("began", flush=True)


def f(x):
    os.closerange(0, 256)
    time.sleep(60)
