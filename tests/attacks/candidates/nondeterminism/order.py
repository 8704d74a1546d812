"""Another answer for another order of calls: only the first call is answered rightly by its place.

Must: nondeterministic
Knows: weights
"""
import json

import numpy as np

print("began", flush=True)
WEIGHTS = np.array(json.load(open("weights.json")))
seen = []


def f(x):
    seen.append(float(x[0]))
    return float(WEIGHTS @ x) * (1 + sum(v * k for k, v in enumerate(seen)) * 2.0**-45)
