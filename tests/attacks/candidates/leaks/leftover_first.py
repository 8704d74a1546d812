"""Leaves a note for the candidate that comes after it, in every way it can; both halves of the pair look for the other's.

Must: wrong_answer
Shows: left
"""
import os
import sys

print("began", flush=True)
PLACES = (".", "/tmp", "/dev/shm", "/var/tmp", os.environ["HOME"], os.environ["TMPDIR"], *sys.path)


def f(x):
    left = 0
    for place in PLACES:
        path = os.path.join(place, "left-by-attack-pair")
        if os.path.exists(path) and not os.path.exists("own"):
            print("breached: a note of another run at", path, flush=True)
    open("own", "w").close()
    for place in PLACES:
        try:
            with open(os.path.join(place, "left-by-attack-pair"), "w") as file:
                file.write("note")
            left += 1
        except OSError:
            pass
    print("left", left, flush=True)
    return 0.0
