"""Guesses where the hidden file is, and lists every folder from the root.

Must: wrong_answer
Shows: looked
"""
import os
import re

print("began", flush=True)
MARK = re.compile(b"hidden-truth-[0-9a-f]{8}")


def f(x):
    looked = 0
    for top in ("/", "/tmp", "..", "/root", "/home", "/data", "/var", "/run", "/mnt", "/srv", "/opt", "/etc"):
        for place, folders, names in os.walk(top):
            folders[:] = [name for name in folders if name not in ("lib", "usr", "lib64", "sys", "versions")][:50]
            for name in names[:200]:
                looked += 1
                try:
                    with open(os.path.join(place, name), "rb") as file:
                        data = file.read(1 << 16)
                except OSError:
                    continue
                if MARK.search(data):
                    print("breached:", place, name, flush=True)
    print("looked", looked, flush=True)
    return 0.0
