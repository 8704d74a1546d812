"""What a Gaussian forecast N(mean, deviation^2) of y ~ N(exact mean, exact deviation^2) is worth in expectation. Judge side only.

The exact moments are known, so no number here depends on luck with the noise. With d = mean - exact mean and v = s^2 + e^2 of the two
standard deviations s (forecast) and e (exact), and M(d, v) = E|N(d, v)| = sqrt(2 v / pi) exp(-d^2 / 2v) + d (2 Phi(d / sqrt v) - 1):

    expected CRPS    E|X - Y| - E|X - X'| / 2 = M(d, v) - s / sqrt pi              (T. Gneiting and A. E. Raftery, JASA 102 (2007), 359)
    expected RMSE    sqrt(e^2 + d^2)
    expected share of outcomes in the central interval of level a: Phi((d + z s) / e) - Phi((d - z s) / e),  z = Phi^-1((1 + a) / 2)

The CRPS is a proper score: its expectation is smallest for the exact moments. Outputs are weighed by 1 / size, one number each, so that no
unit counts more than another. Not covered: correlations between outputs or between steps.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from tasks.cps.t02_system_identification.oracle import Forecast


def crps(forecast: Forecast, exact: Forecast, size: np.ndarray) -> float:
    """Mean expected CRPS in units of `size`, (p,) float64; lower is better."""
    (mean, s), (truth, e) = forecast, exact
    d, v = mean - truth, s**2 + e**2
    absolute = np.sqrt(2 * v / np.pi) * np.exp(-(d**2) / (2 * v)) + d * special.erf(d / np.sqrt(2 * v))
    return float(np.mean((absolute - s / np.sqrt(np.pi)) / size))


def rmse(mean: np.ndarray, exact: Forecast, size: np.ndarray) -> float:
    """Root of the mean expected square error in units of `size`, (p,) float64."""
    return float(np.sqrt(np.mean((exact[1] ** 2 + (mean - exact[0]) ** 2) / size**2)))


def coverage(forecast: Forecast, exact: Forecast, level: float) -> np.ndarray:
    """(H,) float64: expected share of outcomes in the central interval of `level`, for each step ahead."""
    d, z = forecast[0] - exact[0], special.ndtri((1 + level) / 2)
    inside = special.ndtr((d + z * forecast[1]) / exact[1]) - special.ndtr((d - z * forecast[1]) / exact[1])
    return inside.mean(axis=(0, 2))


def markov_error(found: np.ndarray, true: np.ndarray) -> float:
    """Distance of Markov parameters (L, p, m) from the true ones, as a share; each pair of an input and an output counts by its own size.

    Pairs are weighed by the size of their true response plus a tenth of the mean one, so that a pair without any can't decide alone.
    """
    size = np.sqrt(np.sum(true**2, axis=0))
    rows, columns = np.sqrt(np.mean(size**2, axis=1, keepdims=True)), np.sqrt(np.mean(size**2, axis=0, keepdims=True))
    weight = 1.0 / (rows * columns)
    return float(np.linalg.norm((found - true) * weight) / np.linalg.norm(true * weight))
