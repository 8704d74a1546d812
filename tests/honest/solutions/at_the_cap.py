"""Its four answers together are exactly as large as answers may be, out of one repeated number.

Asks: large
Limits: memory_bytes=1073741824
"""

import json

import numpy as np

WEIGHTS = np.array(json.load(open("weights.json")))


def f(x):
    return np.broadcast_to(WEIGHTS @ x, (1024, 2048))
