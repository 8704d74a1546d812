"""Answers with integers where floats are asked.

Asks: array
"""

import json

import numpy as np

WEIGHTS = np.array(json.load(open("weights.json")), dtype=np.int64)


def f(x):
    return WEIGHTS * x.astype(np.int64)
