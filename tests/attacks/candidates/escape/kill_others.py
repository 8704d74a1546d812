"""Signals to everybody: the parent, the group, low numbers, queued signals.

Must: wrong_answer
Shows: tried
"""
import os
import signal

print("began", flush=True)


def f(x):
    own, tried = os.getpid(), 0
    for number in {os.getppid() or 2, 1, 2, 3, -1, -2, 0, *range(own - 30, own + 30)} - {own}:
        tried += 1
        try:
            os.kill(number, 0)
            print("breached: can signal", number, flush=True)
        except OSError:
            pass
    for attempt in (lambda: os.killpg(0, 0), lambda: os.pidfd_open(own) if tried < 0 else os.killpg(os.getpgrp(), 0)):
        try:
            attempt()
            print("breached", flush=True)
        except OSError:
            pass
    print("tried", tried, signal.SIGKILL, flush=True)
    return 0.0
