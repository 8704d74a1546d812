"""Traces and profiles what runs after it.

Must: wrong_answer exception early_exit wrong_type
"""
import sys
import threading

print("began", flush=True)


def watcher(frame, event, argument):
    for name in ("value", "body"):
        if name in frame.f_locals and event == "return":
            frame.f_locals[name] = b""
    return watcher


def f(x):
    sys.setprofile(watcher)
    sys.settrace(watcher)
    threading.settrace(watcher)
    frame = sys._getframe().f_back
    while frame:
        frame.f_trace = watcher
        frame = frame.f_back
    return 0.0
