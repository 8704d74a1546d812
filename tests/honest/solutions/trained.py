"""Fits a small linear model at import, by gradient descent on data that it makes with a fixed seed.

Asks: int
"""

import json

import numpy as np

TRUE = np.array(json.load(open("weights.json")))
rng = np.random.default_rng(0)
DATA = rng.standard_normal((200, 4))
TARGET = DATA @ TRUE
weights = np.zeros(4)
for _ in range(2000):
    weights -= 0.5 * DATA.T @ (DATA @ weights - TARGET) / len(DATA)


def f(x):
    return int(round(float(weights @ x)))
