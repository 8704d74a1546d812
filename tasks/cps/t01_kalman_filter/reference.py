"""Kalman filter over a batch of trajectories.

The covariance doesn't depend on the data, so one recursion of gains serves every trajectory; means are rows of an (N, n) array.
The update comes in Joseph form, which keeps the covariance positive semi-definite when R is nearly singular.
"""

import numpy as np


def estimate(A, B, C, Q, R, U, Y, x0_mean, x0_cov):
    """Filtered means.

    Args:
        A, B, C: (n, n), (n, m), (p, n) float64: the system.
        Q, R: (n, n), (p, p) float64: covariances of process and measurement noise.
        U, Y: (N, T, m), (N, T, p) float64: inputs and measurements.
        x0_mean, x0_cov: (n,), (n, n) float64: prior of x[0].

    Returns:
        (N, T, n) float64: mean of x[k] given y[0..k] and u[0..k-1].
    """
    N, T, _ = Y.shape
    n = A.shape[0]
    estimates = np.empty((N, T, n))
    x, P = np.tile(x0_mean, (N, 1)), x0_cov
    for k in range(T):
        K, P = update(P, C, R)
        x = x + (Y[:, k] - x @ C.T) @ K.T
        estimates[:, k] = x
        x, P = x @ A.T + U[:, k] @ B.T, A @ P @ A.T + Q
    return estimates


def update(P, C, R):
    """Gain (n, p) and covariance (n, n) after a measurement."""
    S = C @ P @ C.T + R
    K = np.linalg.solve(S, C @ P).T
    rest = np.eye(len(P)) - K @ C
    P = rest @ P @ rest.T + K @ R @ K.T
    return K, (P + P.T) / 2
