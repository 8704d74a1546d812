"""Answers with a dictionary in another order, and parts in single precision.

Asks: record
"""

import collections
import json

import numpy as np

WEIGHTS = np.array(json.load(open("weights.json")))


def f(x):
    kept = collections.defaultdict(float)
    kept["parts"] = (WEIGHTS * x).astype(np.float32)
    kept["sum"] = kept["parts"].sum(dtype=np.float64)
    return dict(kept)
