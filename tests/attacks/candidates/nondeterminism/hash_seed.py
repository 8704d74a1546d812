"""Sums in the order of a set of texts, whose last bits depend on the hash seed.

Must: nondeterministic
Knows: weights
"""
import json

import numpy as np

print("began", flush=True)
WEIGHTS = np.array(json.load(open("weights.json")))
ORDER = [int(word) for word in {str(n) for n in range(200)}]


def f(x):
    noise = 0.0
    for n in ORDER:
        noise = noise / 3 + n
    return float(WEIGHTS @ x) * (1 + noise * 2.0**-45)
