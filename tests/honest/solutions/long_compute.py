"""Computes for about half of its processor time.

Limits: cpu_seconds=4 wall_seconds=20
"""

import json
import time

WEIGHTS = json.load(open("weights.json"))
DEADLINE = time.process_time() + 2.0
while time.process_time() < DEADLINE:
    sum(range(1000))


def f(x):
    return float(sum(w * v for w, v in zip(WEIGHTS, x)))
