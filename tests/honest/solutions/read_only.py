"""Answers with a read-only view.

Asks: array
"""

import json

import numpy as np

WEIGHTS = np.array(json.load(open("weights.json")))


def f(x):
    answer = WEIGHTS * x
    answer.flags.writeable = False
    return answer
