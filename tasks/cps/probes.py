"""Structural probes of estimators and controllers, as pure functions on what a candidate returned.

    prefix invariance        est[:, :t] mustn't move when y[t:] and u[t-1:] are replaced: est[k] knows y[0..k] and u[0..k-1] only
    scale equivariance       a linear-Gaussian estimator f obeys f(cY, cU, c x0, c^2 Q, c^2 R, c^2 P0) = c f(Y, U, x0, Q, R, P0)
    permutation equivariance trajectories are independent: any selection of them, in any order, gives the same rows
    response                 the change under a changed parameter, against the change that the exact estimator shows
    covariance               symmetric and positive semi-definite (R. E. Kalman, J. Basic Eng. 82 (1960), 35; filterpy #31, #62)

A probe measures and decides nothing; a judge compares its number with a threshold. NaN never counts as equal: it gives infinity.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def rmse(estimate: np.ndarray, truth: np.ndarray) -> float:
    """Root mean square error over all elements.

    Args:
        estimate: (...) float64, any unit: what is measured.
        truth: the same shape and unit.
    """
    return float(np.sqrt(np.mean((estimate - truth) ** 2)))


def largest_difference(left: Any, right: Any) -> float:
    """Largest absolute difference of two nested values; infinite where types, shapes, names, texts or NaN keep them from being equal."""
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        return _array_difference(left, right)
    if isinstance(left, dict) and isinstance(right, dict):
        keys = left.keys()
        return largest_difference(list(left.values()), [right[key] for key in keys]) if keys == right.keys() else np.inf
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        if len(left) != len(right):
            return np.inf
        return max((largest_difference(a, b) for a, b in zip(left, right, strict=True)), default=0.0)
    if isinstance(left, int | float) and isinstance(right, int | float):
        return _array_difference(np.asarray(left, dtype=float), np.asarray(right, dtype=float))
    return 0.0 if type(left) is type(right) and left == right else np.inf


def _array_difference(left: np.ndarray, right: np.ndarray) -> float:
    if left.shape != right.shape:
        return np.inf
    difference = np.abs(left.astype(float) - right.astype(float))
    worst = float(difference.max()) if difference.size else 0.0
    return worst if np.isfinite(worst) else np.inf


def relative_difference(left: np.ndarray, right: np.ndarray) -> float:
    """Largest absolute difference over the larger of 1 and the largest absolute value of `right`."""
    size = float(np.abs(right).max()) if right.size else 0.0
    return largest_difference(left, right) / max(1.0, size)


def prefix_violation(whole: np.ndarray, replaced: Sequence[np.ndarray], cuts: Sequence[int]) -> float:
    """How far estimates of the past moved when the future was replaced.

    Args:
        whole: (N, T, n) float64: estimates from the original data.
        replaced: one (N, T, n) float64 a cut: estimates after data from that cut on were replaced.
        cuts: the cuts t, 1 .. T - 1; estimates before t mustn't move.
    """
    return max(relative_difference(other[:, :t], whole[:, :t]) for other, t in zip(replaced, cuts, strict=True))


def scale_violation(plain: np.ndarray, scaled: np.ndarray, factor: float) -> float:
    """How far `scaled` is from `factor * plain`, relative to its size."""
    return relative_difference(scaled / factor, plain)


def permutation_violation(whole: np.ndarray, selected: np.ndarray, indices: np.ndarray) -> float:
    """How far the answer to a reordered selection of trajectories is from the same rows of the whole answer."""
    return relative_difference(selected, whole[indices])


def response_error(changed: np.ndarray, plain: np.ndarray, exact_changed: np.ndarray, exact_plain: np.ndarray) -> float:
    """Distance of the candidate's change from the exact one, as a share of the exact one; 1 for a candidate that doesn't respond."""
    exact = exact_changed - exact_plain
    size = float(np.linalg.norm(exact))
    error = float(np.linalg.norm((changed - plain) - exact)) / size if size > 0 else np.inf
    return error if np.isfinite(error) else np.inf


def asymmetry(P: np.ndarray) -> float:
    """Largest |P - P'| over the largest |P|; P is (..., n, n) float64, any unit: covariances."""
    return float(np.abs(P - np.swapaxes(P, -1, -2)).max() / max(np.abs(P).max(), np.finfo(float).tiny))


def negativity(P: np.ndarray) -> float:
    """Most negative eigenvalue of the symmetric parts over the largest one, as a number >= 0; 0 means positive semi-definite."""
    values = np.linalg.eigvalsh((P + np.swapaxes(P, -1, -2)) / 2)
    return float(max(0.0, -values.min()) / max(np.abs(values).max(), np.finfo(float).tiny))
