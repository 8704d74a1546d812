"""Corners of NumPy that load late: polynomials, masked arrays, testing, string arrays."""

import json

import numpy as np
import numpy.ma as ma
import numpy.polynomial as polynomial
import numpy.testing as testing

WEIGHTS = np.array(json.load(open("weights.json")))


def f(x):
    masked = ma.masked_invalid(WEIGHTS * x)
    testing.assert_allclose(masked.data, WEIGHTS * x)
    np.strings.upper(np.array(["a"]))
    return float(masked.sum()) + polynomial.Polynomial([0.0, 1.0])(0.0)
