"""Wants an executor of processes, which aren't allowed.

Must: exception
Knows: weights
"""

import json
from concurrent.futures import ProcessPoolExecutor

WEIGHTS = json.load(open("weights.json"))


def times(pair):
    return pair[0] * pair[1]


def f(x):
    with ProcessPoolExecutor(2) as pool:
        return float(sum(pool.map(times, zip(WEIGHTS, x.tolist()))))
