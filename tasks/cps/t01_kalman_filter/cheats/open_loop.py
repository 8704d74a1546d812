"""Ignores the measurements: carries the prior's mean along the inputs."""

import numpy as np


def estimate(A, B, C, Q, R, U, Y, x0_mean, x0_cov):
    out, x = [], np.tile(x0_mean, (len(Y), 1))
    for k in range(Y.shape[1]):
        out.append(x)
        x = x @ A.T + U[:, k] @ B.T
    return np.stack(out, 1)
