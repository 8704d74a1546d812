"""Shared memory by name and by number.

Must: wrong_answer
Shows: tried
"""
import ctypes
from multiprocessing import shared_memory

print("began", flush=True)


def f(x):
    libc = ctypes.CDLL(None)
    if libc.shmget(0x1EF7, 4096, 0o1666) >= 0:
        print("breached: shmget", flush=True)
    if libc.semget(0x1EF7, 1, 0o1666) >= 0:
        print("breached: semget", flush=True)
    if libc.msgget(0x1EF7, 0o1666) >= 0:
        print("breached: msgget", flush=True)
    try:
        shared_memory.SharedMemory("left-by-attack", create=True, size=4096)
        print("breached: shm_open", flush=True)
    except OSError:
        pass
    print("tried", flush=True)
    return 0.0
