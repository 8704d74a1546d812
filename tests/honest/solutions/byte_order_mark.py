"""Begins with a byte order mark, and names another encoding than its own."""
# -*- coding: latin-1 -*-
import json

import numpy as np

WEIGHTS = np.array(json.load(open("weights.json")))


def f(x):
    return float(WEIGHTS @ x)
