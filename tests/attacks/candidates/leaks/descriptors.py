"""Reads every descriptor there could be, at its start and where it stands.

Must: wrong_answer
Shows: open: 0 1 2 4
Only: ABC
"""
import os

print("began", flush=True)


def f(x):
    found = []
    for number in range(256):
        try:
            os.fstat(number)
        except OSError:
            continue
        found.append(number)
        for read in (lambda n: os.pread(n, 1 << 16, 0), lambda n: os.read(n, 1 << 16)):
            try:
                if read(number):
                    print("breached: read from", number, flush=True)
            except OSError:
                pass
    print("open:", *found, flush=True)
    return 0.0
