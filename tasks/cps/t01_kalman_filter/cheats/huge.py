"""Hands back far more than was asked for."""

import numpy as np


def estimate(A, B, C, Q, R, U, Y, x0_mean, x0_cov):
    return np.zeros((*Y.shape[:2], len(A) * 20000)), np.tile(x0_cov, (*Y.shape[:2], 1, 1))
