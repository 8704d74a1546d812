"""Hands back the prediction of x[k] from y[0..k-1]."""

import numpy as np


def kalman(A, B, C, Q, R, U, Y, x0_mean, x0_cov):
    N, T, _ = Y.shape
    x, P, out = np.tile(x0_mean, (N, 1)), x0_cov, np.empty((N, T, len(A)))
    for k in range(T):
        K = np.linalg.solve(C @ P @ C.T + R, C @ P).T
        x = x + (Y[:, k] - x @ C.T) @ K.T
        P = P - K @ C @ P
        out[:, k] = x
        x, P = x @ A.T + U[:, k] @ B.T, A @ P @ A.T + Q
    return out


def estimate(A, B, C, Q, R, U, Y, x0_mean, x0_cov):
    filtered = kalman(A, B, C, Q, R, U, Y, x0_mean, x0_cov)
    late = filtered[:, :-1] @ A.T + U[:, :-1] @ B.T
    return np.concatenate([np.broadcast_to(x0_mean, late[:, :1].shape), late], axis=1)
