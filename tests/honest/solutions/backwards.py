"""Answers with an array that runs backwards through memory.

Asks: array
"""

import json

import numpy as np

WEIGHTS = np.array(json.load(open("weights.json")))


def f(x):
    return np.ascontiguousarray((WEIGHTS * x)[::-1])[::-1]
