"""Leaves links to hidden things where a harness would read or clean up through them.

Must: wrong_answer
"""
import os

print("began", flush=True)
for index, target in enumerate(("/", "/etc", "/root", "/tmp", "..", "/proc/self", "loop")):
    os.symlink(target, f"link{index}")
os.symlink("loop", "loop")


def f(x):
    for index in range(7):
        try:
            names = os.listdir(f"link{index}")
        except OSError:
            continue
        if "hidden.json" in names or "passwd" in names:
            print("breached: listed by a link", flush=True)
    return 0.0
