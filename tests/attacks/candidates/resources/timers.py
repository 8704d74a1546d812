"""Thousands of timers and pending signals.

Must: wrong_answer exception cpu_limit crashed
Limits: cpu_seconds=2
"""
import ctypes
import signal

print("began", flush=True)


def f(x):
    libc = ctypes.CDLL(None)
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    handle, made = ctypes.c_void_p(), 0
    while made < 20000 and libc.timer_create(1, None, ctypes.byref(handle)) == 0:
        made += 1
    print("timers", made, flush=True)
    return 0.0
