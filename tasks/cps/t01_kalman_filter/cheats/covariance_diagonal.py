"""Right means and variances, without the correlations."""

import numpy as np


def kalman(A, B, C, Q, R, U, Y, x0_mean, x0_cov):
    (N, T, p), n = Y.shape, len(A)
    x, P = np.tile(x0_mean, (N, 1)), np.tile(x0_cov, (N, 1, 1))
    means, covs = np.empty((N, T, n)), np.empty((N, T, n, n))
    for k in range(T):
        seen = ~np.isnan(Y[:, k])
        H = C * seen[:, :, None]
        S = H @ P @ H.swapaxes(1, 2) + np.where(seen[:, :, None] & seen[:, None], R[k], np.eye(p))
        K = np.linalg.solve(S, H @ P).swapaxes(1, 2)
        x = x + (K @ np.where(seen, Y[:, k] - x @ C.T, 0.0)[..., None])[..., 0]
        P = P - K @ H @ P
        P = (P + P.swapaxes(1, 2)) / 2
        means[:, k], covs[:, k] = x, P
        x, P = x @ A.T + U[:, k] @ B.T, A @ P @ A.T + Q
    return means, covs


def estimate(A, B, C, Q, R, U, Y, x0_mean, x0_cov):
    x, P = kalman(A, B, C, Q, R, U, Y, x0_mean, x0_cov)
    return x, P * np.eye(len(A))
