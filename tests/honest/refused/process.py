"""Wants one process, which isn't allowed.

Must: exception
Knows: weights
"""

import json
import multiprocessing

WEIGHTS = json.load(open("weights.json"))


def f(x):
    process = multiprocessing.Process(target=print, args=("in another process",))
    process.start()
    process.join()
    return float(sum(w * v for w, v in zip(WEIGHTS, x)))
