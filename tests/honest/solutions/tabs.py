"""Indents with tabs, and has form feeds and no last line end."""
import json

import numpy as np

WEIGHTS = np.array(json.load(open("weights.json")))


def f(x):
	return float(WEIGHTS @ x)