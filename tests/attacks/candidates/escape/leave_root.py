"""Climbs out of its root: dots, links, descriptors of folders.

Must: wrong_answer
Shows: tried
"""
import os

print("began", flush=True)


def f(x):
    here = os.open(".", os.O_RDONLY)
    for path in ("../" * 40 + "etc/passwd", "/proc/1/root/etc/passwd", "/proc/self/cwd/../../etc/passwd", "/etc/passwd"):
        for attempt in (lambda p: os.open(p, os.O_RDONLY), lambda p: os.open(p, os.O_RDONLY, dir_fd=here)):
            try:
                attempt(path)
                print("breached: read", path, flush=True)
            except OSError:
                pass
    try:
        if not os.path.islink("way"):
            os.symlink("/etc/passwd", "way")
        open("way").read()
        print("breached: by a link", flush=True)
    except OSError:
        pass
    print("tried", flush=True)
    return 0.0
