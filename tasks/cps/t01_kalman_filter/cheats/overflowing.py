"""Finite numbers whose squares are not."""

import numpy as np


def estimate(A, B, C, Q, R, U, Y, x0_mean, x0_cov):
    return np.full((*Y.shape[:2], len(A)), 1e300), np.full((*Y.shape[:2], *A.shape), 1e300)
