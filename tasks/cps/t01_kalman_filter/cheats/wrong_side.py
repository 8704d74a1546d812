"""Propagates the covariance with A on the wrong side: A' P A + Q."""

import numpy as np


def estimate(A, B, C, Q, R, U, Y, x0_mean, x0_cov):
    x, P, out = np.tile(x0_mean, (len(Y), 1)), x0_cov, []
    for k in range(Y.shape[1]):
        K = np.linalg.solve(C @ P @ C.T + R, C @ P).T
        x = x + (Y[:, k] - x @ C.T) @ K.T
        P = P - K @ C @ P
        out.append(x)
        x, P = x @ A.T + U[:, k] @ B.T, A.T @ P @ A + Q
    return np.stack(out, 1)
