"""A textbook fit of a fixed size, which a regime can ask to fail: what it leaves out must matter there. NumPy only.

    fir    y[k] = sum_j G[j] u[k-1-j], j < 10, least squares: no memory beyond ten steps, and the warm-up is not used
           (L. Ljung, System Identification, 2nd ed. (1999), ch. 4.2)

Not covered: choosing the lags, which makes it an honest method.
"""

from __future__ import annotations

import numpy as np


def lagged(sequence: np.ndarray, lags: int) -> np.ndarray:
    """(N, T, lags * d) float64: the values 1 .. lags steps before, zero before the start."""
    N, T, d = sequence.shape
    found = np.zeros((N, T, lags, d))
    for j in range(min(lags, T - 1)):
        found[:, j + 1 :, j] = sequence[:, : T - 1 - j]
    return found.reshape(N, T, lags * d)


def fir(U_train: np.ndarray, Y_train: np.ndarray, U_test: np.ndarray, warmup: np.ndarray, lags: int = 10) -> np.ndarray:
    """(N_test, H, p) float64: means."""
    W = warmup.shape[1]
    theta = _least_squares(lagged(U_train, lags)[:, lags:], Y_train[:, lags:])
    return (lagged(U_test, lags) @ theta)[:, W:]


def _least_squares(rows: np.ndarray, targets: np.ndarray) -> np.ndarray:
    Z = rows.reshape(-1, rows.shape[2])
    return np.linalg.lstsq(Z, targets.reshape(len(Z), -1), rcond=None)[0]


FITS = {"fir": fir}
