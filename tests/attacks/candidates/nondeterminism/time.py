"""The clock in the answer.

Must: nondeterministic
Knows: weights
"""
import json
import time

import numpy as np

print("began", flush=True)
WEIGHTS = np.array(json.load(open("weights.json")))
BEGAN = time.time_ns()


def f(x):
    return float(WEIGHTS @ x) * (1 + BEGAN % 999983 * 2.0**-50)
