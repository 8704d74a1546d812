"""Reads its own memory from the heap's first byte on, where inputs of the judge might lie.

Must: wrong_answer crashed
Shows: read
"""
import ctypes
import re

print("began", flush=True)


def f(x):
    libc = ctypes.CDLL(None)
    libc.sbrk.restype = ctypes.c_void_p
    end, size = libc.sbrk(0), 1 << 20
    data = ctypes.string_at(end - size, size)
    print("read", len(data), flush=True)
    if re.search(b"hidden-truth-[0-9a-f]{8}", data):
        print("breached: seen in memory", flush=True)
    return 0.0
