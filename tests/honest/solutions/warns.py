"""Warns while it is loaded and in each call."""

import json
import warnings

import numpy as np

warnings.warn("this solution is young", UserWarning, stacklevel=1)
WEIGHTS = np.array(json.load(open("weights.json")))


def f(x):
    np.log(np.zeros(2))
    warnings.warn("deprecated", DeprecationWarning, stacklevel=2)
    return float(np.dot(WEIGHTS, x))
