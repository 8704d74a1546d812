"""Finds the loop that serves it by its frames and rewrites its functions.

Must: wrong_answer wrong_type forbidden early_exit exception input_changed
Shows: bent
"""
import sys

print("began", flush=True)


def f(x):
    frame, bent = sys._getframe(), 0
    while frame:
        for name in ("encode", "fingerprint", "_answer", "_line", "wire", "_fault_of"):
            if name in frame.f_globals and frame.f_globals is not globals():
                frame.f_globals[name] = lambda *a, **k: b"\1\0" + (8).to_bytes(8, "little") + b"\0" * 8
                bent += 1
        frame = frame.f_back
    print("bent", bent, flush=True)
    if not bent:
        print("breached: nothing was there to bend, so the attack is out of date", flush=True)
    return "1.0"
