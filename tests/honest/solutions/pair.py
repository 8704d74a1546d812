"""Answers with a tuple of two.

Asks: tuple
"""

import json

import numpy as np

WEIGHTS = np.array(json.load(open("weights.json")))


def f(x):
    parts = np.multiply(WEIGHTS, x)
    return parts.sum(), parts
