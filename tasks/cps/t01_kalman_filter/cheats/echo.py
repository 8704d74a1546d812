"""Hands the measurements back through the pseudo-inverse of C: the estimate without a filter."""

import numpy as np


def estimate(A, B, C, Q, R, U, Y, x0_mean, x0_cov):
    return Y @ np.linalg.pinv(C).T
