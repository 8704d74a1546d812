"""Answers with a list of integers of several widths.

Asks: ints
"""

import json

import numpy as np

WEIGHTS = json.load(open("weights.json"))


def f(x):
    kinds = (int, np.int32, np.int64, np.longlong)
    return [kind(w * v) for kind, w, v in zip(kinds, WEIGHTS, x)]
