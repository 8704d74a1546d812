"""The exact filter that submissions are measured against, and two estimators that don't filter.

    x[k+1] = A x[k] + B u[k] + w[k],  w ~ N(0, Q)        y[k] = C x[k] + v[k],  v ~ N(0, R[k])     x[0] ~ N(x0_mean, x0_cov)

    update    S = C P C' + R,  K = P C' S^-1,  x <- x + K (y - C x),  P <- (I - K C) P (I - K C)' + K R K'     (Joseph form)
    predict   x <- A x + B u,  P <- A P A' + Q

R. E. Kalman, "A new approach to linear filtering and prediction problems", J. Basic Eng. 82 (1960), 35-45; the Joseph form after
R. S. Bucy and P. D. Joseph, "Filtering for Stochastic Processes with Applications to Guidance" (1968).

A component of y that is missing takes no part: with the measured rows of C, and the measured rows and columns of R, the update is the
one above. Here the rows of C that are missing are set to zero, their innovations too, and their block of R to the identity; then S
is block diagonal, and K has zeros in their columns. What is missing must not depend on the states (it is drawn without a look at
them). Covariances depend on which components are missing and not on their values, so trajectories with the same gaps share one recursion.

The filter is defined wherever S, of the measured components, is positive definite; R and Q need not be. Not covered: noise that
correlates w with v; a singular S, which would need a pseudo-inverse.
"""

from __future__ import annotations

import numpy as np

Gaussians = tuple[np.ndarray, np.ndarray]
"""(N, T, n) and (N, T, n, n) float64: means and covariances of N trajectories of T states"""


def gains(
    A: np.ndarray, C: np.ndarray, Q: np.ndarray, R: np.ndarray, x0_cov: np.ndarray, seen: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Gains and filtered covariances for M patterns of gaps.

    Args:
        A: (n, n) float64: transition.
        C: (p, n) float64: measurement.
        Q: (n, n) float64: covariance of w.
        R: (T, p, p) float64: covariances of v.
        x0_cov: (n, n) float64: covariance of x[0] before y[0].
        seen: (M, T, p) bool: which components are measured.

    Returns:
        (M, T, n, p) float64: gains K[k], zero in the columns of missing components; and (M, T, n, n) float64: covariances of x[k]
        given y[0..k].
    """
    (M, T, p), n = seen.shape, len(A)
    found, filtered = np.empty((M, T, n, p)), np.empty((M, T, n, n))
    P = np.broadcast_to(x0_cov, (M, n, n))
    for k in range(T):
        H, V = C * seen[:, k, :, None], np.where(seen[:, k, :, None] & seen[:, k, None, :], R[k], np.eye(p))
        HP = H @ P
        K = np.linalg.solve(HP @ H.swapaxes(1, 2) + V, HP).swapaxes(1, 2)
        rest = np.eye(n) - K @ H
        P = rest @ P @ rest.swapaxes(1, 2) + K @ V @ K.swapaxes(1, 2)
        P = (P + P.swapaxes(1, 2)) / 2
        found[:, k], filtered[:, k] = K, P
        P = A @ P @ A.T + Q
    return found, filtered


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
) -> Gaussians:
    """The distributions of x[k] given y[0..k] and u[0..k-1], of N trajectories.

    Args:
        A: (n, n) float64: transition.
        B: (n, m) float64: input.
        C: (p, n) float64: measurement.
        Q: (n, n) float64: covariance of w.
        R: (T, p, p) float64: covariances of v.
        U: (N, T, m) float64: inputs.
        Y: (N, T, p) float64: measurements, NaN where one is missing.
        x0_mean: (n,) float64: mean of x[0] before y[0].
        x0_cov: (n, n) float64: covariance of x[0] before y[0].
    """
    N, T, _ = Y.shape
    seen = ~np.isnan(Y)
    patterns, member = (seen[:1], np.zeros(N, dtype=int)) if seen.all() else np.unique(seen, axis=0, return_inverse=True)
    K, P = gains(A, C, Q, R, x0_cov, patterns)
    K, y = K[member.ravel()], np.where(seen, Y, 0.0)
    drive, H = U @ B.T, C.T
    means = np.empty((N, T, len(A)))
    x = np.broadcast_to(x0_mean, (N, len(A)))
    for k in range(T):
        innovation = np.where(seen[:, k], y[:, k] - x @ H, 0.0)
        means[:, k] = x + (K[:, k] @ innovation[..., None])[..., 0]
        x = means[:, k] @ A.T + drive[:, k]
    return means, P[member.ravel()]


def open_loop(A: np.ndarray, B: np.ndarray, Q: np.ndarray, U: np.ndarray, x0_mean: np.ndarray, x0_cov: np.ndarray) -> Gaussians:
    """The distributions of x[k] given u[0..k-1] and no measurement: the baseline. Arguments as in `estimate`."""
    (N, T, _), n = U.shape, len(A)
    means, covariances = np.empty((N, T, n)), np.empty((N, T, n, n))
    x, P = np.broadcast_to(x0_mean, (N, n)), x0_cov
    for k in range(T):
        means[:, k], covariances[:, k] = x, P
        x, P = x @ A.T + U[:, k] @ B.T, A @ P @ A.T + Q
    return means, covariances


def unfiltered(C: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """The least-norm state that explains y[k] alone, or what is measured of it: (N, T, n) float64."""
    seen = ~np.isnan(Y)
    if seen.all():
        return Y @ np.linalg.pinv(C).T
    return (np.linalg.pinv(C * seen[..., None]) @ np.where(seen, Y, 0.0)[..., None])[..., 0]
