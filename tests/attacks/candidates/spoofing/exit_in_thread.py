"""A thread that ends the process while the main one still works.

Must: early_exit
"""
import os
import threading
import time

print("began", flush=True)
threading.Timer(0.05, os._exit, (0,)).start()


def f(x):
    time.sleep(20)
    return 0.0
