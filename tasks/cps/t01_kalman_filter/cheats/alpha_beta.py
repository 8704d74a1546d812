"""Fixed-gain filter: corrects by a constant share of the innovation through the pseudo-inverse of C, a smaller one in what isn't measured."""

import numpy as np


def estimate(A, B, C, Q, R, U, Y, x0_mean, x0_cov):
    K = 0.5 * np.linalg.pinv(C)
    K = K + 0.1 * (A - np.eye(len(A))).T @ K
    x, out = np.tile(x0_mean, (len(Y), 1)), []
    for k in range(Y.shape[1]):
        x = x + (Y[:, k] - x @ C.T) @ K.T
        out.append(x)
        x = x @ A.T + U[:, k] @ B.T
    return np.stack(out, 1)
