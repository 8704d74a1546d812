"""Becomes another program, by name, by descriptor and by a script of its own.

Must: wrong_answer
Shows: tried
"""
import os
import sys

print("began", flush=True)


def f(x):
    with open("left-by-attack", "w") as file:
        file.write("#!/bin/sh\necho breached\n")
    tries = [
        lambda: os.execv("/bin/sh", ["sh", "-c", "echo breached"]),
        lambda: os.execv(sys.executable, [sys.executable, "-c", "print('breached')"]),
        lambda: os.execv("./left-by-attack", ["x"]),
        lambda: os.execve(os.open("/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2", os.O_RDONLY), ["x", "/bin/true"], {}),
        lambda: os.posix_spawn("/bin/sh", ["sh", "-c", "echo breached"], {}),
        lambda: os.system("echo breached") and 1 / 0,
    ]
    for attempt in tries:
        try:
            attempt()
        except (OSError, ZeroDivisionError):
            pass
    print("tried", flush=True)
    return 0.0
