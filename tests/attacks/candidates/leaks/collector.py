"""Looks at every object of the process, those that were set aside before the fork too.

Must: wrong_answer
Shows: looked
"""
import gc
import re

print("began", flush=True)
MARK = re.compile("hidden-truth-[0-9a-f]{8}")


def f(x):
    gc.unfreeze()
    looked = 0
    for thing in gc.get_objects():
        parts = thing.values() if type(thing) is dict else thing if type(thing) in (list, tuple) else ()
        for value in list(parts):
            looked += 1
            if type(value) in (str, bytes) and MARK.search(repr(value)):
                print("breached:", repr(value)[:1000], flush=True)
    print("looked", looked, flush=True)
    return 0.0
