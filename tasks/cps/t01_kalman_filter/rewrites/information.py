"""Information filter: carries the inverse covariance and the information vector.

Score: 0.99..1.0
"""

import numpy as np


def estimate(A, B, C, Q, R, U, Y, x0_mean, x0_cov):
    N, T, _ = Y.shape
    weight = np.linalg.solve(R, C).T  # C' R^-1
    gain_of_information = weight @ C
    L = np.linalg.inv(x0_cov)
    z = np.tile(L @ x0_mean, (N, 1))
    out = np.empty((N, T, len(A)))
    for k in range(T):
        L = L + gain_of_information
        z = z + Y[:, k] @ weight.T
        P = np.linalg.inv((L + L.T) / 2)
        out[:, k] = z @ P.T
        L = np.linalg.inv(A @ P @ A.T + Q)
        z = (out[:, k] @ A.T + U[:, k] @ B.T) @ L.T
    return out
