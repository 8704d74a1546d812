"""An address of an object in the answer.

Must: nondeterministic
Knows: weights
"""
import json

import numpy as np

print("began", flush=True)
WEIGHTS = np.array(json.load(open("weights.json")))
KEPT = object()


def f(x):
    return float(WEIGHTS @ x) * (1 + id(KEPT) % 999983 * 2.0**-50)
