"""Reads /proc: its own maps and memory, the parent's, everybody's.

Must: wrong_answer
Shows: looked
"""
import os

print("began", flush=True)


def f(x):
    looked = 0
    for who in ("self", "thread-self", str(os.getppid()), "1", *map(str, range(2, 400))):
        for name in ("maps", "mem", "environ", "cmdline", "fdinfo/0", "cwd/hidden.json", "root/etc/passwd", "stack", "status"):
            looked += 1
            try:
                with open(f"/proc/{who}/{name}", "rb") as file:
                    file.read(1)
            except OSError:
                continue
            print("breached: read", who, name, flush=True)
    for name in ("/proc/kcore", "/proc/kallsyms", "/proc/sys/kernel/core_pattern", "/proc/net/tcp", "/sys/kernel/notes", "/proc/mounts"):
        try:
            open(name, "rb").read(1)
            print("breached: read", name, flush=True)
        except OSError:
            pass
    print("looked", looked, flush=True)
    return 0.0
