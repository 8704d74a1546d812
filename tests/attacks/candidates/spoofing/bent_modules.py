"""Puts classes of its own in place of loaded modules.

Must: wrong_answer wrong_type exception early_exit import_error forbidden
"""
import sys

print("began", flush=True)


class Anything:
    def __getattr__(self, name):
        return lambda *a, **k: True


for name in list(sys.modules):
    if name not in ("sys", "builtins", __name__):
        sys.modules[name] = Anything()


def f(x):
    return None
