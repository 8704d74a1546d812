"""Disk by one file, sparse first, then truly written.

Must: output_limit
"""
import os
import signal

print("began", flush=True)


def f(x):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with open("left-by-attack", "wb") as file:
        try:
            os.ftruncate(file.fileno(), 1 << 40)
        except OSError:
            print("no terabyte", flush=True)
        for _ in range(1 << 12):
            file.write(b"x" * (1 << 20))
    print("breached: 4 GiB", flush=True)
    return 0.0
