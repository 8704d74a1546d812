"""unshare(2): a user namespace in which it is root.

Must: forbidden
"""
import ctypes
import os
import platform

print("began", os.getpid(), flush=True)
libc, x86 = ctypes.CDLL(None, use_errno=True), platform.machine() == "x86_64"


def f(x):
    got = libc.unshare(0x10000000)
    print("breached" if got >= 0 else "refused", ctypes.get_errno(), flush=True)
    return 0.0
