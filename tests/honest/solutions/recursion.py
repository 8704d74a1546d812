"""Recurses 500 deep, and deeper after it raised the limit."""

import json
import sys

sys.setrecursionlimit(20000)
WEIGHTS = json.load(open("weights.json"))


def down(n, values):
    return values if n == 0 else down(n - 1, values)


def f(x):
    values = down(500, down(5000, x.tolist()))
    return sum(w * v for w, v in zip(WEIGHTS, values))
