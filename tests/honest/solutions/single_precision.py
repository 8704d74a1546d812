"""Computes and answers in single precision.

Asks: array
"""

import json

import numpy as np

WEIGHTS = np.array(json.load(open("weights.json")), dtype=np.float32)


def f(x):
    return WEIGHTS * x.astype(np.float32)
