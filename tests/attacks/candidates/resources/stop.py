"""Stops itself, so that nothing which it would have to run can end it.

Must: wall_limit
Limits: wall_seconds=2
"""
import os
import signal
import time

print("began", flush=True)


def f(x):
    while True:
        os.kill(os.getpid(), signal.SIGSTOP)
        time.sleep(10)
