"""Another answer when the same is asked again.

Must: nondeterministic
Knows: weights
"""
import json

import numpy as np

print("began", flush=True)
WEIGHTS = np.array(json.load(open("weights.json")))
calls = 0


def f(x):
    global calls
    calls += 1
    return float(WEIGHTS @ x) + (calls > 3)
