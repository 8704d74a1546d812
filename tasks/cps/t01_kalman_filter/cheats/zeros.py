"""Zeros, sure of itself."""

import numpy as np


def estimate(A, B, C, Q, R, U, Y, x0_mean, x0_cov):
    return np.zeros((*Y.shape[:2], len(A))), np.zeros((*Y.shape[:2], *A.shape))
