"""Answers with a callable.

Asks: callable
"""

import json

WEIGHTS = json.load(open("weights.json"))


def f(x):
    kept = x.tolist()
    return lambda: sum(w * v for w, v in zip(WEIGHTS, kept))
