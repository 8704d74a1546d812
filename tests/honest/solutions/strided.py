"""Answers with every second element of a longer array.

Asks: array
"""

import json

import numpy as np

WEIGHTS = np.array(json.load(open("weights.json")))


def f(x):
    return np.repeat(WEIGHTS * x, 2)[::2]
