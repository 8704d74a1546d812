"""Finite numbers whose squares are not."""

import numpy as np


def identify_modes(Y, U, K, na, nb, dwell):
    N, T, p = Y.shape
    L, d = max(na, nb), na * p + nb * U.shape[2] + 1
    return np.zeros((N, T - L), dtype=np.int64), np.full((K, p, d), 1e300), np.full((K, p + 1), 1e300)
