"""ptrace(2): attaches to a tracer.

Must: forbidden
"""
import ctypes
import os
import platform

print("began", os.getpid(), flush=True)
libc, x86 = ctypes.CDLL(None, use_errno=True), platform.machine() == "x86_64"


def f(x):
    got = libc.ptrace(16, os.getppid() or 1, 0, 0)
    print("breached" if got >= 0 else "refused", ctypes.get_errno(), flush=True)
    return 0.0
