"""Changes the shape and the bytes below its input by a buffer.

Must: input_changed crashed
"""
import ctypes

print("began", flush=True)


def f(x):
    ctypes.memset(x.ctypes.data, 0, x.nbytes)
    return 0.0
