"""Hands back the prediction of x[k] from y[0..k-1], with its covariance."""

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
    late = x[:, :-1] @ A.T + U[:, :-1] @ B.T
    ahead = A @ P[:, :-1] @ A.T + Q
    first = np.tile(x0_mean, (len(Y), 1, 1)), np.tile(x0_cov, (len(Y), 1, 1, 1))
    return np.concatenate([first[0], late], axis=1), np.concatenate([first[1], ahead], axis=1)
