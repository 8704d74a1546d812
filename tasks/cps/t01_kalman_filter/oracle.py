"""The exact filter that submissions are measured against, and the two estimators without a filter.

    x[k+1] = A x[k] + B u[k] + w[k],  w ~ N(0, Q)        y[k] = C x[k] + v[k],  v ~ N(0, R)        x[0] ~ N(x0_mean, x0_cov)

    update    S = C P C' + R,  K = P C' S^-1,  x <- x + K (y - C x),  P <- (I - K C) P (I - K C)' + K R K'     (Joseph form)
    predict   x <- A x + B u,  P <- A P A' + Q

R. E. Kalman, "A new approach to linear filtering and prediction problems", J. Basic Eng. 82 (1960), 35-45; the Joseph form after
R. S. Bucy and P. D. Joseph, "Filtering for Stochastic Processes with Applications to Guidance" (1968). The gain doesn't depend on the
data, so that one covariance serves all trajectories.

R may be one matrix or one a step; no task asks for the latter yet. Not covered: noise that correlates w with v, gaps in y.
"""

from __future__ import annotations

import numpy as np


def covariances(
    A: np.ndarray, C: np.ndarray, Q: np.ndarray, R: np.ndarray, x0_cov: np.ndarray, T: int
) -> tuple[np.ndarray, np.ndarray]:
    """Gains and filtered covariances of T steps.

    Returns:
        (T, n, p) float64: gains K[k]; and (T, n, n) float64: covariances of x[k] given y[0..k].
    """
    p, n = C.shape
    R = np.broadcast_to(R, (T, p, p))
    gains, filtered = np.empty((T, n, p)), np.empty((T, n, n))
    P = x0_cov
    for k in range(T):
        K = np.linalg.solve(C @ P @ C.T + R[k], C @ P).T
        rest = np.eye(n) - K @ C
        P = rest @ P @ rest.T + K @ R[k] @ K.T
        gains[k], filtered[k] = K, (P + P.T) / 2
        P = A @ filtered[k] @ A.T + Q
    return gains, filtered


def estimate(
    A: np.ndarray,
    B: np.ndarray,
    C: np.ndarray,
    Q: np.ndarray,
    R: np.ndarray,
    U: np.ndarray,
    Y: np.ndarray,
    x0_mean: np.ndarray,
    x0_cov: np.ndarray,
) -> np.ndarray:
    """Filtered means E[x[k] | y[0..k], u[0..k-1]] of N trajectories.

    Args:
        A: (n, n) float64: transition.
        B: (n, m) float64: input.
        C: (p, n) float64: measurement.
        Q: (n, n) float64: covariance of w.
        R: (p, p) or (T, p, p) float64: covariance of v.
        U: (N, T, m) float64: inputs.
        Y: (N, T, p) float64: measurements.
        x0_mean: (n,) float64: mean of x[0] before y[0].
        x0_cov: (n, n) float64: covariance of x[0] before y[0].

    Returns:
        (N, T, n) float64: filtered means.
    """
    N, T, _ = Y.shape
    gains, _ = covariances(A, C, Q, R, x0_cov, T)
    means = np.empty((N, T, len(A)))
    x = np.broadcast_to(x0_mean, (N, len(A)))
    for k in range(T):
        means[:, k] = x + (Y[:, k] - x @ C.T) @ gains[k].T
        x = means[:, k] @ A.T + U[:, k] @ B.T
    return means


def persistence(C: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Estimates without a filter: the least-norm state that explains y[k] alone, (N, T, n) float64."""
    return Y @ np.linalg.pinv(C).T
