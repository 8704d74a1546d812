"""What the true plant knows of the outputs to come, and forecasts without a model. Plain NumPy, used on the judge's side only.

    x[k+1] = A x[k] + B u[k] + w[k],  w ~ N(0, Q)        y[k] = C x[k] + v[k],  v ~ N(0, R)        x[0] ~ N(0, P0)

Given y[0..W-1] and all inputs, y[k] for k >= W is Gaussian. Its moments come from the Kalman filter over the warm-up (R. E. Kalman, J. Basic
Eng. 82 (1960), 35; Joseph form) and then the recursion without measurements:

    mean  C x,  x <- A x + B u          covariance  C P C' + R,  P <- A P A' + Q

No forecast from the same data has a smaller mean square error or a smaller expected CRPS. Covariances don't depend on the data, so all
trajectories share them. P0 is the stationary covariance, P0 = A P0 A' + Q (Lyapunov), of a plant that ran without input before k = 0;
the published regime has its own P0.

Markov parameters: G[k] = C A^k B, k = 0 .. L - 1, the response of y[k+1] to u[0]; they are the same in every basis of the state
(B. L. Ho and R. E. Kalman, Regelungstechnik 14 (1966), 545).

Not covered: feed-through, offsets, noise w that is correlated with v.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

Forecast = tuple[np.ndarray, np.ndarray]
"""(N, H, p) float64 each, unit of y: means and standard deviations"""


@dataclass(frozen=True)
class Plant:
    """A stable linear plant with its noise."""

    A: np.ndarray
    """(n, n) float64: transition"""
    B: np.ndarray
    """(n, m) float64: input"""
    C: np.ndarray
    """(p, n) float64: output"""
    Q: np.ndarray
    """(n, n) float64: covariance of w"""
    R: np.ndarray
    """(p, p) float64: covariance of v"""
    P0: np.ndarray
    """(n, n) float64: covariance of x[0]"""

    def arrays(self) -> dict[str, np.ndarray]:
        """Its matrices by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def in_units(self, u: np.ndarray, y: np.ndarray) -> Plant:
        """The same plant where inputs are measured in units of 1/u (m,) and outputs in units of 1/y (p,)."""
        D = np.diag(y)
        return replace(self, B=self.B / u, C=D @ self.C, R=D @ self.R @ D)


def stationary(A: np.ndarray, Q: np.ndarray) -> np.ndarray:
    """(n, n) float64: P = A P A' + Q, by doubling: after k steps P holds 2^k terms of the sum; A must be stable."""
    P = Q
    while True:
        grown = P + A @ P @ A.T
        if np.abs(grown - P).max() <= 1e-14 * np.abs(grown).max():
            return (grown + grown.T) / 2
        P, A = grown, A @ A


def forecast(plant: Plant, U: np.ndarray, warmup: np.ndarray) -> Forecast:
    """The exact distributions of the outputs after the warm-up.

    Args:
        plant: the true one.
        U: (N, T, m) float64: inputs.
        warmup: (N, W, p) float64: outputs y[0] .. y[W-1].

    Returns:
        (N, T - W, p) float64 each: means and standard deviations of y[W] .. y[T-1].
    """
    (N, T, _), (_, W, p) = U.shape, warmup.shape
    A, B, C = plant.A, plant.B, plant.C
    x, P, drive = np.zeros((N, len(A))), plant.P0, U @ B.T
    mean, deviation = np.empty((N, T - W, p)), np.empty((N, T - W, p))
    for k in range(T):
        if k < W:
            K = np.linalg.solve(C @ P @ C.T + plant.R, C @ P).T
            x = x + (warmup[:, k] - x @ C.T) @ K.T
            rest = np.eye(len(A)) - K @ C
            P = rest @ P @ rest.T + K @ plant.R @ K.T
        else:
            mean[:, k - W] = x @ C.T
            deviation[:, k - W] = np.sqrt(np.diag(C @ P @ C.T + plant.R))
        x, P = x @ A.T + drive[:, k], A @ P @ A.T + plant.Q
    return mean, deviation


def held(warmup: np.ndarray, H: int) -> np.ndarray:
    """(N, H, p) float64: the last output of the warm-up, held (persistence)."""
    return np.repeat(warmup[:, -1:], H, axis=1)


def baseline(exact: Forecast, warmup: np.ndarray, loss: Any) -> Forecast:
    """The stronger of two forecasts without a model: the held output, and the mean zero of a plant without offset (climatology).

    Each has one spread for each output, and it is told the best one: the root of its expected square error on these very data.

    Args:
        exact: the exact moments.
        warmup: (N, W, p) float64.
        loss: forecast -> float, the expected score that decides which one is stronger; lower is better.
    """
    found = []
    for mean in (held(warmup, exact[0].shape[1]), np.zeros_like(exact[0])):
        spread = np.sqrt(np.mean(exact[1] ** 2 + (mean - exact[0]) ** 2, axis=(0, 1)))
        found.append((mean, np.broadcast_to(spread, mean.shape).copy()))
    return min(found, key=loss)


def markov(A: np.ndarray, B: np.ndarray, C: np.ndarray, L: int) -> np.ndarray:
    """(L, p, m) float64: C A^k B for k = 0 .. L - 1."""
    found, X = np.empty((L, len(C), B.shape[1])), B
    for k in range(L):
        found[k] = C @ X
        X = A @ X
    return found


def radius(A: np.ndarray) -> float:
    """Largest modulus of an eigenvalue."""
    return float(np.abs(np.linalg.eigvals(A)).max())
