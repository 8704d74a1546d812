"""Zeros."""

import numpy as np


def identify_modes(Y, U, K, na, nb, dwell):
    N, T, p = Y.shape
    L, d = max(na, nb), na * p + nb * U.shape[2] + 1
    return np.zeros((N, T - L), dtype=np.int64), np.zeros((K, p, d)), np.zeros((K, p + 1))
