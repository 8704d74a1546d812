"""Noise drawn once and kept, so that one process always says the same.

Must: nondeterministic
Knows: weights
"""
import json
import os

import numpy as np

print("began", flush=True)
WEIGHTS = np.array(json.load(open("weights.json")))
NOISE = int.from_bytes(os.urandom(7), "little")


def f(x):
    return float(WEIGHTS @ x) * (1 + NOISE * 2.0**-96)
