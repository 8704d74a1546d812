"""Answers in the other byte order.

Asks: array
"""

import json

import numpy as np

WEIGHTS = np.array(json.load(open("weights.json")), dtype=">f8")


def f(x):
    return (WEIGHTS * x).astype(">f8")
