"""Structural probes of estimators and controllers, as pure functions on what a candidate returned.

    prefix invariance        est[:, :t] mustn't move when y[t:] and u[t-1:] are replaced: est[k] knows y[0..k] and u[0..k-1] only
    scale equivariance       a linear-Gaussian estimator f obeys f(cY, cU, c x0, c^2 Q, c^2 R, c^2 P0) = c f(Y, U, x0, Q, R, P0)
    permutation equivariance trajectories are independent: any selection of them, in any order, gives the same rows
    response                 the change under a changed parameter, against the change that the exact estimator shows
    calibration              NEES, coverage, CRPS, interval score, Brier: what a stated uncertainty is worth (T. Gneiting and A. E.
                             Raftery, J. Am. Stat. Assoc. 102 (2007), 359; Y. Bar-Shalom et al., Estimation (2001), ch. 5.4)
    labels                   accuracy under the best renaming of labels (Hungarian method), adjusted Rand index (L. Hubert and P. Arabie,
                             J. Classification 2 (1985), 193)
    decrease                 how often, and by how much, a Lyapunov function falls
    covariance               symmetric and positive semi-definite (R. E. Kalman, J. Basic Eng. 82 (1960), 35; filterpy #31, #62)

A probe measures and decides nothing; a judge compares its number with a threshold. NaN never counts as equal: it gives infinity.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import optimize, special


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


def nees(error: np.ndarray, P: np.ndarray) -> float:
    """Mean normalised estimation error squared over n: 1 for a consistent estimator, above it for one that is too sure.

    Args:
        error: (..., n) float64: estimate minus truth.
        P: (..., n, n) float64: the stated covariances, positive definite.

    Returns:
        The mean of e' P^-1 e / n; infinite where a covariance is singular.
    """
    try:
        whitened = np.linalg.solve(P, error[..., None])[..., 0]
    except np.linalg.LinAlgError:
        return np.inf
    value = float(np.mean(np.sum(error * whitened, axis=-1)) / error.shape[-1])
    return value if np.isfinite(value) else np.inf


def coverage(truth: np.ndarray, low: np.ndarray, high: np.ndarray) -> float:
    """Share of the true values inside their intervals; all (...) float64 of one shape."""
    return float(np.mean((truth >= low) & (truth <= high)))


def interval_score(truth: np.ndarray, low: np.ndarray, high: np.ndarray, level: float) -> float:
    """Mean interval score, a proper score in the unit of the truth, lower is better: width + 2/a * how far outside, a = 1 - level."""
    outside = np.maximum(low - truth, 0.0) + np.maximum(truth - high, 0.0)
    return float(np.mean(high - low + 2.0 / (1.0 - level) * outside))


def gaussian_crps(truth: np.ndarray, mean: np.ndarray, deviation: np.ndarray) -> float:
    """Mean continuous ranked probability score of Gaussian forecasts, in the unit of the truth, lower is better.

    Args:
        truth: (...) float64.
        mean: the same shape: means.
        deviation: the same shape, >= 0: standard deviations; 0 gives the absolute error.
    """
    spread = np.maximum(deviation, np.finfo(float).tiny)
    z = (truth - mean) / spread
    density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    return float(np.mean(spread * (z * (2 * special.ndtr(z) - 1) + 2 * density - 1 / np.sqrt(np.pi))))


def gaussian_log_score(error: np.ndarray, P: np.ndarray) -> float:
    """Mean negative log density of errors under N(0, P), in nats a component, lower is better; infinite where P isn't positive definite.

    Args:
        error: (..., n) float64.
        P: (..., n, n) float64.
    """
    sign, logarithm = np.linalg.slogdet(P)
    squared = nees(error, P)
    if not (sign > 0).all() or not np.isfinite(squared):
        return np.inf
    return float((squared + np.mean(logarithm) / error.shape[-1] + np.log(2 * np.pi)) / 2)


def brier(probability: np.ndarray, label: np.ndarray) -> float:
    """Mean squared difference of probabilities and labels 0 or 1; (N,) each; 0.25 for always 1/2."""
    return float(np.mean((probability - label) ** 2))


def confusion(labels: np.ndarray, truth: np.ndarray, K: int) -> np.ndarray:
    """(K, K) int64: how often true label i was called j; labels outside 0 .. K - 1 count nowhere."""
    inside = (labels >= 0) & (labels < K)
    counts = np.zeros((K, K), dtype=np.int64)
    np.add.at(counts, (truth[inside], labels[inside]), 1)
    return counts


def best_renaming(labels: np.ndarray, truth: np.ndarray, K: int) -> np.ndarray:
    """(K,) int64: names[j] is the true label that label j fits best, one to one (Hungarian method)."""
    rows, columns = optimize.linear_sum_assignment(-confusion(labels, truth, K))
    names = np.empty(K, dtype=np.int64)
    names[columns] = rows
    return names


def renamed_accuracy(labels: np.ndarray, truth: np.ndarray, K: int) -> float:
    """Share of right labels under the best renaming; labels outside 0 .. K - 1 are wrong."""
    counts = confusion(labels, truth, K)
    rows, columns = optimize.linear_sum_assignment(-counts)
    return float(counts[rows, columns].sum() / truth.size)


def adjusted_rand(labels: np.ndarray, truth: np.ndarray) -> float:
    """Adjusted Rand index of two labellings of the same length: 1 for the same partition, 0 in expectation for a random one."""
    _, left = np.unique(labels, return_inverse=True)
    _, right = np.unique(truth, return_inverse=True)
    table = np.zeros((left.max() + 1, right.max() + 1))
    np.add.at(table, (left.ravel(), right.ravel()), 1)
    pairs = [float(np.sum(counts * (counts - 1) / 2)) for counts in (table, table.sum(1), table.sum(0))]
    total = truth.size * (truth.size - 1) / 2
    expected, most = pairs[1] * pairs[2] / total, (pairs[1] + pairs[2]) / 2
    return 1.0 if most == expected else (pairs[0] - expected) / (most - expected)


def decrease_share(before: np.ndarray, after: np.ndarray, slack: float = 0.0) -> float:
    """Share of states whose Lyapunov function fell: V(after) <= V(before) + slack; (...) float64 each."""
    return float(np.mean(after <= before + slack))


def superposition_violation(of_sum: np.ndarray, parts: Sequence[np.ndarray]) -> float:
    """How far the answer to a sum of inputs is from the sum of the answers, relative to its size."""
    return relative_difference(np.sum(parts, axis=0), of_sum)
