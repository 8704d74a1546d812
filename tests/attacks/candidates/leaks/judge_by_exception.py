"""Makes the server raise, to read its locals from the traceback.

Must: wrong_answer exception
Shows: looked
"""
import sys

print("began", flush=True)


def f(x):
    try:
        raise ValueError
    except ValueError as error:
        frame = error.__traceback__.tb_frame.f_back
        names = []
        while frame:
            names += [f"{frame.f_code.co_name}.{name}" for name in frame.f_locals]
            frame = frame.f_back
    if any(word in name for name in names for word in ("truth", "expected", "weights", "hidden", "verdict", "problem")):
        print("breached:", names, flush=True)
    print("looked", len(names), len(sys.modules), flush=True)
    return 0.0
