"""Hands the measurements back through the pseudo-inverse of C, as uncertain as the prior."""

import numpy as np


def estimate(A, B, C, Q, R, U, Y, x0_mean, x0_cov):
    return np.nan_to_num(Y) @ np.linalg.pinv(C).T, np.tile(x0_cov, (*Y.shape[:2], 1, 1))
