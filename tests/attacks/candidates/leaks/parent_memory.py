"""Reads the parent's memory by a system call.

Must: forbidden
"""
import ctypes
import os
import platform

print("began", flush=True)


def f(x):
    number = 310 if platform.machine() == "x86_64" else 270
    got = ctypes.CDLL(None).syscall(number, os.getppid() or 1, None, 0, None, 0, 0)
    print("breached" if got >= 0 else "refused", flush=True)
