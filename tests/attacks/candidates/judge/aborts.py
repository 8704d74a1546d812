"""A crash in C code, with a handler of its own that goes on for ever.

Must: cpu_limit crashed
Limits: cpu_seconds=1 wall_seconds=20
"""
import ctypes
import signal

print("began", flush=True)


def f(x):
    signal.signal(signal.SIGSEGV, lambda *a: None)
    ctypes.string_at(0)
