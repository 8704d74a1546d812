"""Looks for the note that its other half leaves.

Must: wrong_answer
Shows: looked
"""
import os
import sys

print("began", flush=True)


def f(x):
    for place in (".", "/tmp", "/dev/shm", "/var/tmp", os.environ["HOME"], *sys.path):
        if os.path.exists(os.path.join(place, "left-by-attack-pair")):
            print("breached: a note at", place, flush=True)
    print("looked", flush=True)
    return 0.0
