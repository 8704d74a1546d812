"""A named semaphore and a message queue of POSIX.

Must: wrong_answer exception import_error
"""
import ctypes

print("began", flush=True)


def f(x):
    libc = ctypes.CDLL(None, use_errno=True)
    libc.sem_open.restype = ctypes.c_void_p
    if libc.sem_open(b"/left-by-attack", 0o100, 0o666, 1):
        print("breached: sem_open", flush=True)
    if libc.mq_open(b"/left-by-attack", 0o100 | 2, 0o666, None) >= 0:
        print("breached: mq_open", flush=True)
    return 0.0
