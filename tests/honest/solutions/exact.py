"""Decimal and fractions inside."""

import json
from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 60
WEIGHTS = [Fraction(w) for w in json.load(open("weights.json"))]


def f(x):
    total = sum(w * Fraction(v) for w, v in zip(WEIGHTS, x.tolist()))
    return float(Decimal(total.numerator) / Decimal(total.denominator))
