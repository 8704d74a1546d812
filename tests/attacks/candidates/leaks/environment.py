"""Prints its environment and its arguments, as Python and as C see them.

Must: wrong_answer
Shows: LC_ALL
"""
import ctypes
import os
import sys

print("began", flush=True)


def f(x):
    print(dict(os.environ), sys.argv, sys.orig_argv, sys.path, sys.flags, flush=True)
    names = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
    at = 0
    while names[at]:
        print(names[at], flush=True)
        if any(word in names[at].upper() for word in (b"KEY", b"TOKEN", b"SECRET", b"PASS", b"HIDDEN")):
            print("breached: a secret's name", flush=True)
        at += 1
    return 0.0
