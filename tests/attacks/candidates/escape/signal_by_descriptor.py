"""Signals by a pipe that tells its owner of new data: no call named kill is made. It aims at its parent.

Must: wrong_answer
Shows: tried
"""
import fcntl
import os

print("began", flush=True)


def f(x):
    reached = 0
    end, start = os.pipe()
    fcntl.fcntl(end, fcntl.F_SETFL, os.O_NONBLOCK | os.O_ASYNC)
    for number in {os.getppid()} - {0}:
        try:
            fcntl.fcntl(end, 10, 9)
            fcntl.fcntl(end, fcntl.F_SETOWN, number)
            os.write(start, b"x")
            reached += 1
        except OSError:
            continue
    print("tried", reached, flush=True)
    return 0.0
