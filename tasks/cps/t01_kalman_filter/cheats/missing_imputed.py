"""Puts the prediction in the place of a missing component: its innovation is zero, but the covariance shrinks as if measured."""

import numpy as np


def kalman(A, B, C, Q, R, U, Y, x0_mean, x0_cov):
    (N, T, _), n = Y.shape, len(A)
    x, P = np.tile(x0_mean, (N, 1)), np.tile(x0_cov, (N, 1, 1))
    means, covs = np.empty((N, T, n)), np.empty((N, T, n, n))
    for k in range(T):
        H = np.tile(C, (N, 1, 1))
        S = H @ P @ H.swapaxes(1, 2) + R[k]
        K = np.linalg.solve(S, H @ P).swapaxes(1, 2)
        x = x + (K @ np.nan_to_num(Y[:, k] - x @ C.T)[..., None])[..., 0]
        P = P - K @ H @ P
        P = (P + P.swapaxes(1, 2)) / 2
        means[:, k], covs[:, k] = x, P
        x, P = x @ A.T + U[:, k] @ B.T, A @ P @ A.T + Q
    return means, covs


def estimate(A, B, C, Q, R, U, Y, x0_mean, x0_cov):
    return kalman(A, B, C, Q, R, U, Y, x0_mean, x0_cov)
