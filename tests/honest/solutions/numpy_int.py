"""Answers with a NumPy integer of 32 bits.

Asks: int
"""

import json

import numpy as np

WEIGHTS = np.array(json.load(open("weights.json")), dtype=np.int32)


def f(x):
    return (WEIGHTS * x.astype(np.int32)).sum(dtype=np.int32)
