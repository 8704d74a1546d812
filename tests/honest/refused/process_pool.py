"""Wants a pool of processes, which aren't allowed.

Must: exception
Knows: weights
"""

import json
from multiprocessing import Pool

WEIGHTS = json.load(open("weights.json"))


def times(pair):
    return pair[0] * pair[1]


def f(x):
    with Pool(2) as pool:
        return float(sum(pool.map(times, zip(WEIGHTS, x.tolist()))))
