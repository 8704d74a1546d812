"""Answers with a tuple of mixed numbers where a list would do.

Asks: floats
"""

import json

import numpy as np

A, B, C, D = json.load(open("weights.json"))


def f(x):
    return float(A * x[0]), np.float32(B * x[1]), int(C * x[2]), np.array(D * x[3])
