"""Swaps the code objects of the server's functions, found by the garbage collector.

Must: wrong_answer wrong_type forbidden early_exit exception input_changed
Shows: swapped
"""
import gc
import types

print("began", flush=True)


def always(*a, **k):
    return b""


def f(x):
    gc.unfreeze()
    swapped = 0
    for thing in gc.get_objects():
        if type(thing) is types.FunctionType and (thing.__module__ or "").startswith("inside."):
            try:
                thing.__code__ = always.__code__
                swapped += 1
            except (TypeError, ValueError):
                pass
    print("swapped", swapped, flush=True)
    return "1.0"
