"""Half everywhere, as uncertain as the prior."""

import numpy as np


def estimate(A, B, C, Q, R, U, Y, x0_mean, x0_cov):
    return np.full((*Y.shape[:2], len(A)), 0.5), np.tile(x0_cov, (*Y.shape[:2], 1, 1))
