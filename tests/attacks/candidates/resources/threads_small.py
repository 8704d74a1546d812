"""Threads with small stacks, so that memory doesn't end them.

Must: exception memory_limit forbidden
Limits: cpu_seconds=2 wall_seconds=3
"""
import threading

print("began", flush=True)


def f(x):
    threading.stack_size(1 << 15)
    event = threading.Event()
    made = 0
    try:
        for made in range(1500):
            threading.Thread(target=event.wait, daemon=True).start()
    except RuntimeError:
        print("threads", made, flush=True)
        raise
    print("breached: 1500 threads", flush=True)
    return 0.0
