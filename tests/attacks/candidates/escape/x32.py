"""A system call of the x32 kind.

Must: forbidden
"""
import ctypes

print("began", flush=True)


def f(x):
    print("breached:", ctypes.CDLL(None).syscall(0x40000000 + 39), flush=True)
    return 0.0
