"""A callable that replaces itself and the table it is kept in.

Must: wrong_answer exception early_exit wrong_type
Asks: callable
"""
import sys

print("began", flush=True)


class Made:
    def __call__(self, *a, **k):
        return 0.0

    def __reduce__(self):
        return (print, ("breached",))


def f(x):
    frame = sys._getframe().f_back
    while frame:
        kept = frame.f_locals.get("kept")
        if type(kept) is dict:
            kept.update({f"@{n}": Made() for n in range(8)})
        frame = frame.f_back
    return Made()
