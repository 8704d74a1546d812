"""Uses a generator with a fixed seed, for a Monte Carlo that cancels."""

import json

import numpy as np

WEIGHTS = np.array(json.load(open("weights.json")))


def f(x):
    rng = np.random.default_rng(0)
    noise = rng.standard_normal(1000)
    return float(WEIGHTS @ x + (noise - noise).sum())
