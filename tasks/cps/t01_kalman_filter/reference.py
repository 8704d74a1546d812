"""Kalman filter over a batch of trajectories, with gaps in the measurements and singular covariances.

A missing component gets a zero row in C, a zero innovation, and the identity in its block of R, so every trajectory keeps the same
shapes. The covariance depends on which components are missing and not on the data: trajectories with the same gaps share it. The
update comes in Joseph form, which keeps the covariance positive semidefinite where R is singular; no covariance but that of the
innovation is inverted.
"""

import numpy as np


def estimate(A, B, C, Q, R, U, Y, x0_mean, x0_cov):
    """Filtered means and covariances.

    Args:
        A, B, C: (n, n), (n, m), (p, n) float64: the system.
        Q, R: (n, n), (T, p, p) float64: covariances of process and measurement noise.
        U, Y: (N, T, m), (N, T, p) float64: inputs and measurements, NaN where one is missing.
        x0_mean, x0_cov: (n,), (n, n) float64: prior of x[0].

    Returns:
        (N, T, n) and (N, T, n, n) float64: mean and covariance of x[k] given y[0..k] and u[0..k-1].
    """
    N, T, _ = Y.shape
    n = A.shape[0]
    seen = ~np.isnan(Y)
    patterns, member = (seen[:1], np.zeros(N, dtype=int)) if seen.all() else np.unique(seen, axis=0, return_inverse=True)
    member = member.ravel()
    means, covariances = np.empty((N, T, n)), np.empty((N, T, n, n))
    x, P = np.tile(x0_mean, (N, 1)), np.tile(x0_cov, (len(patterns), 1, 1))
    for k in range(T):
        K, P = update(P, C, R[k], patterns[:, k])
        innovation = np.where(seen[:, k], Y[:, k] - x @ C.T, 0.0)
        x = x + (K[member] @ innovation[:, :, None])[:, :, 0]
        means[:, k], covariances[:, k] = x, P[member]
        x, P = x @ A.T + U[:, k] @ B.T, A @ P @ A.T + Q
    return means, covariances


def update(P, C, R, seen):
    """Gains (M, n, p) and covariances (M, n, n) after a measurement of the components `seen`, (M, p) bool."""
    H = C * seen[:, :, None]
    V = np.where(seen[:, :, None] & seen[:, None, :], R, np.eye(len(C)))
    HP = H @ P
    K = np.linalg.solve(HP @ H.swapaxes(1, 2) + V, HP).swapaxes(1, 2)
    rest = np.eye(P.shape[-1]) - K @ H
    P = rest @ P @ rest.swapaxes(1, 2) + K @ V @ K.swapaxes(1, 2)
    return K, (P + P.swapaxes(1, 2)) / 2
