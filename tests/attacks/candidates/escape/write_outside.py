"""Writes wherever a file could be made.

Must: wrong_answer
Shows: tried
"""
import os
import sys

print("began", flush=True)


def f(x):
    folders = ["/", "/dev", "/dev/shm", "/var/tmp", "/etc", "/root", "/home", "/usr/lib", "/mnt", "/run", "..", "../..", sys.prefix]
    folders += [path for path in sys.path if path and not path.startswith(os.getcwd())]
    for folder in folders:
        path = os.path.join(folder, "left-by-attack")
        for attempt in (
            lambda p: open(p, "w").close(),
            os.mkdir,
            lambda p: os.symlink("x", p),
            lambda p: os.mkfifo(p),
        ):
            try:
                attempt(path)
            except OSError:
                continue
            if not os.path.realpath(path).startswith(os.getcwd()):
                print("breached: wrote", path, flush=True)
    print("tried", len(folders), flush=True)
    return 0.0
