"""Answers with a 0-d array."""

import json

import numpy as np

WEIGHTS = np.array(json.load(open("weights.json")))


def f(x):
    return np.array(np.einsum("i,i->", WEIGHTS, x))
