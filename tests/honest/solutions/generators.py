"""Generators, consumed inside."""

import itertools
import json
import operator


def weights():
    yield from json.load(open("weights.json"))


def f(x):
    *_, last = itertools.accumulate(itertools.starmap(operator.mul, zip(weights(), iter(x.tolist()))))
    return last
