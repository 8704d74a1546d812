"""Ends with status 0 inside the call, by the kernel's own call.

Must: early_exit
"""
import ctypes
import platform

print("began", flush=True)


def f(x):
    ctypes.CDLL(None).syscall(231 if platform.machine() == "x86_64" else 94, 0)
