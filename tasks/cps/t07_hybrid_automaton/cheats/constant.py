"""Every number a half, every mode the last one."""

import numpy as np


def identify_modes(Y, U, K, na, nb, dwell):
    N, T, p = Y.shape
    L, d = max(na, nb), na * p + nb * U.shape[2] + 1
    return np.full((N, T - L), K - 1), np.full((K, p, d), 0.5), np.full((K, p + 1), 0.5)
