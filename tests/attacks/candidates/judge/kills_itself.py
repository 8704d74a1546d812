"""A SIGKILL from its own hand.

Must: memory_limit crashed wall_limit wrong_answer
Limits: wall_seconds=2
"""
import os
import signal

print("began", flush=True)


def f(x):
    os.kill(os.getpid(), signal.SIGKILL)
    return 0.0
