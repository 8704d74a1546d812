"""Catches every signal and every exception and goes on computing.

Must: cpu_limit
Limits: cpu_seconds=1 wall_seconds=20
"""
import signal

print("began", flush=True)


def f(x):
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
