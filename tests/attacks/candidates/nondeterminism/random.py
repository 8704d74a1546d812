"""Right, but for noise from the system's own randomness below any tolerance.

Must: nondeterministic
Knows: weights
"""
import json
import os

import numpy as np

print("began", flush=True)
WEIGHTS = np.array(json.load(open("weights.json")))


def f(x):
    return float(WEIGHTS @ x) + int.from_bytes(os.urandom(4), "little") * 2.0**-64
