"""init_module(2): code in the kernel.

Must: forbidden
"""
import ctypes
import os
import platform

print("began", os.getpid(), flush=True)
libc, x86 = ctypes.CDLL(None, use_errno=True), platform.machine() == "x86_64"


def f(x):
    got = libc.syscall(175 if x86 else 105, None, 0, b'')
    print("breached" if got >= 0 else "refused", ctypes.get_errno(), flush=True)
    return 0.0
