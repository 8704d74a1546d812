"""What marks the ends of the score's scale: segmentation by the true automaton (1.0), and one ARX model for everything (0.0).

Guard regimes: the last output decides the mode, so whoever knows the guards knows every mode. Dwell regimes: the most probable mode
sequence given all outputs and the true automaton (maximum a posteriori), by the Viterbi recursion on pairs of mode and age,

    (i, a) -> (i, a + 1)    a < D, certain
    (i, D) -> (i, D)        probability 1 - leave
    (i, D) -> (j, 1)        probability leave / (K - 1), j != i
    log density of y[k] in mode i:  -|y[k] - Theta_i phi[k]|^2 / (2 sigma^2) + const

with D = dwell. A record begins with a mode that is entered at step 0, so at the first step that has a regressor, L = max(na, nb), its
age is L + 1. A. J. Viterbi, IEEE Trans. Inf. Theory 13 (1967), 260; for the ages as states: L. R. Rabiner, Proc. IEEE 77 (1989), 257,
section IV.D.

The most probable sequence isn't the sequence with the fewest wrong steps to be expected; the two differ at a few switching steps.

Not covered: ages before step 0, an unknown number of modes.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tasks.cps.t07_hybrid_automaton.automata import Automaton, guarded, regressors


def segment(law: Automaton, Y: np.ndarray, U: np.ndarray) -> np.ndarray:
    """Modes of the steps L .. T - 1, by the true automaton.

    Args:
        law: the automaton.
        Y: (N, T, p) float64: outputs.
        U: (N, T, m) float64: inputs.

    Returns:
        (N, T - L) int64: modes, 0 .. K - 1.
    """
    if not law.dwell:
        return guarded(law.guards, Y[:, law.lag - 1 : -1])
    return viterbi(log_densities(law, Y, U), law.dwell, float(law.noise[1]), law.lag + 1)


def log_densities(law: Automaton, Y: np.ndarray, U: np.ndarray) -> np.ndarray:
    """(N, T - L, K) float64: log density of each output in each mode, without the constant that all modes share."""
    means = np.einsum("kpd,ntd->ntkp", law.params, regressors(Y, U, law.na, law.nb))
    return -((Y[:, law.lag :, None] - means) ** 2).sum(-1) / (2 * law.sigma**2)


def viterbi(log_density: np.ndarray, dwell: int, leave: float, age: int) -> np.ndarray:
    """The most probable mode sequences.

    Args:
        log_density: (N, T, K) float64: of each step in each mode.
        dwell: D >= 1, least number of steps in a mode.
        leave: probability of leaving at each step after them, 0 < leave < 1.
        age: of the first step's mode, counted from 1.

    Returns:
        (N, T) int64: modes.
    """
    N, T, K = log_density.shape
    first = min(age, dwell) - 1
    value = np.full((N, K, dwell), -np.inf)
    value[:, :, first] = log_density[:, 0]
    stays = np.zeros((T, N, K), dtype=bool)
    origins = np.zeros((T, N, K), dtype=np.int64)
    for k in range(1, T):
        value, stays[k], origins[k] = _advance(value, leave)
        value = value + log_density[:, k, :, None]
    return _traced(value, stays, origins)


def _advance(value: np.ndarray, leave: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values (N, K, D) before the next step's density; whether the oldest age was kept (N, K); and whom a new stay follows (N, K)."""
    K, dwell = value.shape[1:]
    oldest = value[:, :, -1]
    moves = np.where(np.eye(K, dtype=bool), -np.inf, oldest[:, :, None] + np.log(leave / (K - 1)))
    enters, kept = moves.max(axis=1), oldest + np.log1p(-leave)
    if dwell == 1:
        stays = kept >= enters
        return np.where(stays, kept, enters)[:, :, None], stays, moves.argmax(axis=1)
    ages = np.empty_like(value)
    ages[:, :, 0], ages[:, :, 1:] = enters, value[:, :, :-1]
    stays = kept >= ages[:, :, -1]
    ages[:, :, -1] = np.maximum(kept, ages[:, :, -1])
    return ages, stays, moves.argmax(axis=1)


def _traced(value: np.ndarray, stays: np.ndarray, origins: np.ndarray) -> np.ndarray:
    """(N, T) int64: the sequences that end in the best pair of mode and age."""
    N, _, dwell = value.shape
    T, rows = len(stays), np.arange(N)
    mode, age = np.divmod(value.reshape(N, -1).argmax(axis=1), dwell)
    modes = np.empty((N, T), dtype=np.int64)
    modes[:, T - 1] = mode
    for k in range(T - 1, 0, -1):
        stay = (age == dwell - 1) & stays[k, rows, mode]
        enter = (age == 0) & ~stay
        age = np.where(enter, dwell - 1, np.where(stay, age, age - 1))
        mode = np.where(enter, origins[k, rows, mode], mode)
        modes[:, k - 1] = mode
    return modes


def single(Y: np.ndarray, U: np.ndarray, na: int, nb: int) -> np.ndarray:
    """(p, na p + nb m + 1) float64: one ARX model for all steps, by least squares; arguments as in `segment`."""
    phi, y = regressors(Y, U, na, nb), Y[:, max(na, nb) :]
    return np.linalg.lstsq(phi.reshape(-1, phi.shape[2]), y.reshape(-1, y.shape[2]), rcond=None)[0].T


def scaled(law: Automaton, factor: float) -> Automaton:
    """The automaton of the data factor * Y, factor * U: its biases and its noise grow, its guards keep their values."""
    params, guards = law.params.copy(), law.guards.copy()
    params[:, :, -1] *= factor
    guards[:, :-1] /= factor
    return replace(law, params=params, guards=guards, noise=np.array([abs(factor) * law.sigma, law.noise[1]]))
