"""Thousands of threads that wait.

Must: exception memory_limit forbidden
"""
import threading

print("began", flush=True)


def f(x):
    event = threading.Event()
    for _ in range(5000):
        threading.Thread(target=event.wait, daemon=True).start()
    print("breached: 5000 threads", flush=True)
    return 0.0
