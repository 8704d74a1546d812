"""Prints all that the frames above it hold.

Must: wrong_answer
Shows: looked
"""
import re
import sys

print("began", flush=True)
MARK = re.compile("hidden-truth-[0-9a-f]{8}")


def f(x):
    frame, looked = sys._getframe(), 0
    while frame:
        for space in (frame.f_locals, frame.f_globals):
            for value in list(space.values()):
                looked += 1
                if MARK.search(repr(value)[: 1 << 20]):
                    print("breached:", repr(value)[:1000], flush=True)
        frame = frame.f_back
    print("looked", looked, flush=True)
    return 0.0
