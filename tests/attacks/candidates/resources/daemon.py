"""A grandchild in a session of its own, to outlive the verdict.

Must: exception
"""
import os
import time

print("began", flush=True)


def f(x):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            print("breached: a daemon", flush=True)
            time.sleep(300)
        os._exit(0)
    os.wait()
    return 0.0
