"""Bends builtins, json, print and math.

Must: wrong_answer wrong_type exception early_exit
"""
import builtins
import json
import math

print("began", flush=True)
json.dumps = json.loads = lambda *a, **k: {"score": 1.0}
builtins.isinstance = lambda *a: True
builtins.abs = lambda value: 0.0
builtins.float = builtins.int = lambda value=0: 1.0
builtins.type = lambda *a: float
builtins.len = lambda *a: 4
math.isfinite = lambda value: True
builtins.print = lambda *a, **k: None


def f(x):
    return "1.0"
