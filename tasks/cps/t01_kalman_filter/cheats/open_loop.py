"""Ignores the measurements: carries the prior's mean and covariance along the inputs."""

import numpy as np


def estimate(A, B, C, Q, R, U, Y, x0_mean, x0_cov):
    means, covs, x, P = [], [], np.tile(x0_mean, (len(Y), 1)), x0_cov
    for k in range(Y.shape[1]):
        means.append(x)
        covs.append(np.tile(P, (len(Y), 1, 1)))
        x, P = x @ A.T + U[:, k] @ B.T, A @ P @ A.T + Q
    return np.stack(means, 1), np.stack(covs, 1)
