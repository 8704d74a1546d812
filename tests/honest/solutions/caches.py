"""Caches: one of the standard library, one of its own."""

import functools
import json

SEEN = {}


@functools.lru_cache(maxsize=None)
def weight(index):
    return json.load(open("weights.json"))[index]


def f(x):
    key = x.tobytes()
    if key not in SEEN:
        SEEN[key] = sum(weight(index) * value for index, value in enumerate(x.tolist()))
    return SEEN[key]
