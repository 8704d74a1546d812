"""mount(2): a file system of its own.

Must: forbidden
"""
import ctypes
import os
import platform

print("began", os.getpid(), flush=True)
libc, x86 = ctypes.CDLL(None, use_errno=True), platform.machine() == "x86_64"


def f(x):
    got = libc.mount(b'none', b'./nothing', b'tmpfs', 0, None)
    print("breached" if got >= 0 else "refused", ctypes.get_errno(), flush=True)
    return 0.0
