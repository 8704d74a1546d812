"""socket(2) by its number, and the multiplexed one of 32-bit code.

Must: forbidden wrong_answer
"""
import ctypes
import platform

print("began", flush=True)


def f(x):
    libc = ctypes.CDLL(None)
    if libc.syscall(41 if platform.machine() == "x86_64" else 198, 2, 1, 0) >= 0:
        print("breached", flush=True)
    return 0.0
