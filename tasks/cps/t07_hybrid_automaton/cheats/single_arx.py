"""One ARX model by least squares, K times."""

import numpy as np


def identify_modes(Y, U, K, na, nb, dwell):
    N, T, p = Y.shape
    L, d = max(na, nb), na * p + nb * U.shape[2] + 1
    past = [Y[:, L - i : T - i] for i in range(1, na + 1)] + [U[:, L - i : T - i] for i in range(1, nb + 1)]
    phi = np.concatenate([*past, np.ones((N, T - L, 1))], 2).reshape(-1, d)
    y = Y[:, L:].reshape(-1, p)
    theta = np.linalg.lstsq(phi, y, rcond=None)[0].T
    return np.zeros((N, T - L), dtype=np.int64), np.stack([theta] * K), np.zeros((K, p + 1))
