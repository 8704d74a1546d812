"""A filter with one part in a hundred of a smoother."""

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


def smoother(A, B, C, Q, R, U, Y, x0_mean, x0_cov):
    means, covs = kalman(A, B, C, Q, R, U, Y, x0_mean, x0_cov)
    x, P = means.copy(), covs.copy()
    for k in range(Y.shape[1] - 2, -1, -1):
        ahead = A @ covs[:, k] @ A.T + Q
        G = np.linalg.solve(ahead, A @ covs[:, k]).swapaxes(1, 2)
        x[:, k] = means[:, k] + (G @ (x[:, k + 1] - means[:, k] @ A.T - U[:, k] @ B.T)[..., None])[..., 0]
        P[:, k] = covs[:, k] + G @ (P[:, k + 1] - ahead) @ G.swapaxes(1, 2)
    return x, (P + P.swapaxes(2, 3)) / 2


BLEND = 0.01


def estimate(A, B, C, Q, R, U, Y, x0_mean, x0_cov):
    arguments = A, B, C, Q, R, U, Y, x0_mean, x0_cov
    x, P = kalman(*arguments)
    return (1 - BLEND) * x + BLEND * smoother(*arguments)[0], P
