"""Sorts, shifts and overwrites copies of its input, never the input."""

import copy
import json

import numpy as np

WEIGHTS = np.array(json.load(open("weights.json")))


def f(x):
    order = np.argsort(x)
    mine = copy.deepcopy(x)
    mine.sort()
    mine *= WEIGHTS[order]
    return float(mine.sum())
