"""Answers in text.

Asks: text
"""

import json

WEIGHTS = [int(w) for w in json.load(open("weights.json"))]


def f(x):
    return f"{sum(w * round(v) for w, v in zip(WEIGHTS, x.tolist())):d}"
