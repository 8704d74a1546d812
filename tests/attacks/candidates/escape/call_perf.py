"""perf_event_open(2).

Must: forbidden
"""
import ctypes
import os
import platform

print("began", os.getpid(), flush=True)
libc, x86 = ctypes.CDLL(None, use_errno=True), platform.machine() == "x86_64"


def f(x):
    got = libc.syscall(298 if x86 else 241, (ctypes.c_char * 128)(), 0, -1, -1, 0)
    print("breached" if got >= 0 else "refused", ctypes.get_errno(), flush=True)
    return 0.0
