"""Answers with a NumPy scalar."""

import json

import numpy as np

WEIGHTS = np.array(json.load(open("weights.json")))


def f(x):
    return np.inner(WEIGHTS, x)
