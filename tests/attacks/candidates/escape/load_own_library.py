"""Loads machine code from the work folder.

Must: wrong_answer
Shows: tried
Only: AB
"""
import ctypes
import mmap
import os
import shutil

print("began", flush=True)


def f(x):
    import _ctypes

    shutil.copyfile(_ctypes.__file__, "own.so")
    number = os.open("own.so", os.O_RDONLY)
    for attempt in (lambda: ctypes.CDLL("./own.so"), lambda: mmap.mmap(number, 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)):
        try:
            attempt()
            print("breached: a program's page from a folder without programs", flush=True)
        except OSError:
            pass
    print("tried", flush=True)
    return 0.0
