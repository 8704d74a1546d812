"""Answers with a column of a matrix.

Asks: floats
"""

import json

import numpy as np

WEIGHTS = np.array(json.load(open("weights.json")))


def f(x):
    return np.outer(WEIGHTS * x, np.ones(3))[:, 1]
