"""Answers with a large array in Fortran's order.

Asks: large
Limits: memory_bytes=1073741824
"""

import json

import numpy as np

WEIGHTS = np.array(json.load(open("weights.json")))


def f(x):
    return np.full((1024, 2048), WEIGHTS @ x, order="F")
