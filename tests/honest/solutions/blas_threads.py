"""Asks for many BLAS threads and multiplies matrices."""

import os

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "8"

import json

import numpy as np

WEIGHTS = np.array(json.load(open("weights.json")))


def f(x):
    square = np.eye(300)
    return float(WEIGHTS @ (square @ square)[:4, :4] @ x)
