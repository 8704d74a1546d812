"""A fork bomb: a hundred processes, each with one more.

Must: exception
"""
import os
import time

print("began", flush=True)


def f(x):
    for _ in range(100):
        if os.fork() == 0:
            if os.fork() == 0:
                time.sleep(20)
            os._exit(0)
    print("breached: 200 processes", flush=True)
    return 0.0
