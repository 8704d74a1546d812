"""Fork past Python: libc's fork, vfork, a raw clone and a raw clone3.

Must: wrong_answer
Shows: refused 4
"""
import ctypes
import platform

print("began", flush=True)
libc = ctypes.CDLL(None, use_errno=True)
EMPTY = (ctypes.c_char_p * 2)(b"true")
CLONE = 56 if platform.machine() == "x86_64" else 220


def f(x):
    words = (ctypes.c_uint64 * 11)()
    words[4] = 17
    tries = [libc.fork, lambda: libc.syscall(CLONE, 17, 0, 0, 0, 0), lambda: libc.syscall(435, words, 88)]
    tries.append(lambda: -1 if libc.posix_spawn(ctypes.byref(ctypes.c_int()), b"/bin/true", None, None, EMPTY, EMPTY) else 0)
    refused = 0
    for attempt in tries:
        got = attempt()
        if got >= 0:
            print("breached", got, flush=True)
        refused += got < 0
    print("refused", refused, flush=True)
    return 0.0
