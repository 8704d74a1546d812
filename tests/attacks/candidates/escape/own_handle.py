"""Opens files by handle, past every path.

Must: forbidden
"""
import ctypes
import platform

print("began", flush=True)


def f(x):
    handle = (ctypes.c_uint32 * 34)(128)
    number = 303 if platform.machine() == "x86_64" else 264
    ctypes.CDLL(None).syscall(number, -100, b"/", handle, ctypes.byref(ctypes.c_int()), 0)
    print("breached: a handle", flush=True)
