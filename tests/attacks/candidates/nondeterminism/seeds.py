"""The libraries' own default generators in the answer.

Must: nondeterministic
Knows: weights
"""
import json
import random

import numpy as np

print("began", flush=True)
WEIGHTS = np.array(json.load(open("weights.json")))
NOISE = random.random() + np.random.rand()


def f(x):
    return float(WEIGHTS @ x) * (1 + NOISE * 2.0**-40)
