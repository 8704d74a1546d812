"""What a Gaussian estimate (X_hat, P) of the state is worth: log scores, and how far it is from another one. Judge side only.

An exact filtered covariance is singular where a direction is measured without noise, so no density of the state exists. What is
scored is therefore the state behind a small blur, z = x + e with e ~ N(0, J) independent of all else, for which (X_hat, P) forecasts
N(X_hat, P + J). The expectation over e is taken in closed form, so that no noise comes in:

    score     E_e[-ln N(x + e; X_hat, P + J)] / n = (ln 2 pi + (ln det S + d' S^-1 d + tr(S^-1 J)) / n) / 2,   S = P + J,  d = X_hat - x
    excess    KL(N(x*, S*) | N(X_hat, S)) / n = (ln det S - ln det S* + tr(S^-1 S*) - n + d' S^-1 d) / 2n,     d = X_hat - x*, S* = P* + J

The logarithmic score is strictly proper (T. Gneiting and A. E. Raftery, J. Am. Stat. Assoc. 102 (2007), 359): in expectation the exact
(x*, P*) is the best, and what another one that knows y[0..k] loses to it is the excess, given these data. Without tr(S^-1 J) the
best would be P* - J. Both are nats a component of the state, and the same in every unit when J is. They don't cover estimates that
aren't Gaussian.
"""

from __future__ import annotations

import numpy as np


def blur(x0_cov: np.ndarray, share: float) -> np.ndarray:
    """(n, n) float64: J, a share of the prior's variances, without its correlations."""
    return share * np.diag(np.diag(x0_cov))


def log_score(estimate: tuple[np.ndarray, np.ndarray], X: np.ndarray, J: np.ndarray) -> np.ndarray:
    """Negative log density of the blurred states, (N, T) float64, nats a component; lower is better, infinite where P + J isn't positive.

    Args:
        estimate: (N, T, n) and (N, T, n, n) float64: means and covariances; of these the symmetric part counts.
        X: (N, T, n) float64: true states.
        J: (n, n) float64: covariance of the blur.
    """
    W, logarithm = _weights(estimate[1] + J)
    return (np.log(2 * np.pi) + (logarithm + _square(W, estimate[0] - X) + np.einsum("...ij,ij->...", W, J)) / len(J)) / 2


def excess(estimate: tuple[np.ndarray, np.ndarray], exact: tuple[np.ndarray, np.ndarray], J: np.ndarray) -> np.ndarray:
    """Divergence of blurred estimates from the exact ones, (N, T) float64, nats a component; arguments as in `log_score`."""
    W, logarithm = _weights(estimate[1] + J)
    S = exact[1] + J
    trace = np.einsum("...ij,...ij->...", W, S)
    return (logarithm - np.linalg.slogdet(S)[1] + trace - len(J) + _square(W, estimate[0] - exact[0])) / (2 * len(J))


def nees(estimate: tuple[np.ndarray, np.ndarray], X: np.ndarray, J: np.ndarray) -> float:
    """Mean normalised square error of the blurred states, 1 for a consistent estimate and above it for one that is too sure."""
    W, _ = _weights(estimate[1] + J)
    return float(np.mean(_square(W, estimate[0] - X) + np.einsum("...ij,ij->...", W, J)) / len(J))


def _weights(S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Inverses and log determinants of symmetric parts; identities and infinity where not all are positive definite."""
    S = (S + S.swapaxes(-1, -2)) / 2
    try:
        roots = np.linalg.cholesky(S)
        return np.linalg.inv(S), 2 * np.log(np.diagonal(roots, axis1=-2, axis2=-1)).sum(-1)
    except np.linalg.LinAlgError:
        return np.broadcast_to(np.eye(S.shape[-1]), S.shape), np.full(S.shape[:-2], np.inf)


def _square(W: np.ndarray, d: np.ndarray) -> np.ndarray:
    return np.einsum("...i,...ij,...j->...", d, W, d)
