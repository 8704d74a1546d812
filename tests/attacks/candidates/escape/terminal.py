"""Pushes keys into a terminal and takes one over.

Must: wrong_answer
Shows: tried
"""
import fcntl
import os

print("began", flush=True)


def f(x):
    for number in (0, 1, 2, 4):
        for request in (0x5412, 0x540E, 0x541C, 0x8901, 0x894C):
            try:
                fcntl.ioctl(number, request, b"x\0\0\0\0\0\0\0")
                print("breached", number, hex(request), flush=True)
            except OSError:
                pass
    try:
        os.setsid()
        print("breached: a session of its own", flush=True)
    except OSError:
        pass
    print("tried", flush=True)
    return 0.0
