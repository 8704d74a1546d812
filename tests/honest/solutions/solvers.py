"""Finds the answer by solvers of SciPy.

Asks: int
"""

import json

import numpy as np
from scipy import linalg, optimize

WEIGHTS = np.array(json.load(open("weights.json")))


def f(x):
    solved = linalg.solve(np.diag(1.0 / WEIGHTS), x)
    target = solved.sum()
    found = optimize.brentq(lambda value: value - target, -1e6, 1e6, xtol=1e-9)
    fitted = optimize.least_squares(lambda v: v - WEIGHTS, np.zeros(4)).x
    return int(round(found + 0 * fitted.sum()))
