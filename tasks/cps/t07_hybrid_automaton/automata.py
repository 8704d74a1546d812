"""Hybrid automata: what one is, how it runs, and the data of a regime. Judge and generator side only; drawing.py draws them.

A switched ARX model with K modes, p outputs, m inputs and orders na, nb. With L = max(na, nb), for k >= L,

    phi[k] = [y[k-1]; ...; y[k-na]; u[k-1]; ...; u[k-nb]; 1]
    y[k]   = Theta_s[k] phi[k] + e[k],   e ~ N(0, sigma^2 I)

    guard (PWARX)  s[k] = argmax_j guards[j]' [y[k-1]; 1]: K polyhedral regions of the last output
    dwell (SARX)   s is drawn without regard to y: a mode stays `dwell` steps, then leaves with probability `leave` a step, to any other

A. Bemporad, A. Garulli, S. Paoletti and A. Vicino, IEEE Trans. Autom. Control 50 (2005), 1567; S. Paoletti, A. L. Juloski, G.
Ferrari-Trecate and R. Vidal, "Identification of hybrid systems: a tutorial", Eur. J. Control 13 (2007), 242.

Not covered: guards on inputs or older outputs, noise on the measured output (output error), resets of the state, correlated noise.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from tasks.cps import arrays


@dataclass(frozen=True)
class Automaton:
    """The law of a switched ARX model; see the module's head."""

    params: np.ndarray
    """(K, p, na p + nb m + 1) float64: Theta of each mode"""
    guards: np.ndarray
    """(K, p + 1) float64: scores of [y[k-1]; 1], the largest is the mode; zeros where `dwell` is not 0"""
    orders: np.ndarray
    """(3,) int64: na, nb, dwell; dwell = 0 where guards decide"""
    noise: np.ndarray
    """(2,) float64: sigma, and `leave`, the probability of leaving a mode at each step after the dwell time"""

    @property
    def K(self) -> int:
        """How many modes."""
        return len(self.params)

    @property
    def p(self) -> int:
        """How many outputs."""
        return int(self.params.shape[1])

    @property
    def na(self) -> int:
        """Output lags."""
        return int(self.orders[0])

    @property
    def nb(self) -> int:
        """Input lags."""
        return int(self.orders[1])

    @property
    def dwell(self) -> int:
        """Least number of steps in a mode, or 0 where guards decide."""
        return int(self.orders[2])

    @property
    def lag(self) -> int:
        """First step that has a regressor."""
        return max(self.na, self.nb)

    @property
    def sigma(self) -> float:
        """Standard deviation of the noise, in the unit of y."""
        return float(self.noise[0])


@dataclass(frozen=True)
class Regime:
    """An automaton with the data that a candidate gets, and fresh data that it never sees."""

    automaton: Automaton
    Y: np.ndarray
    """(N, T, p) float64: outputs"""
    U: np.ndarray
    """(N, T, m) float64: inputs"""
    modes: np.ndarray
    """(N, T) int64: true modes, 0 .. K - 1; before step `lag` the first one, which nothing judges"""
    fresh_Y: np.ndarray
    """(M, H, p) float64: outputs from other starts under other inputs"""
    fresh_U: np.ndarray
    """(M, H, m) float64: those inputs"""
    fresh_modes: np.ndarray
    """(M, H) int64: those modes"""


def write(folder: Path, regime: Regime) -> None:
    """Lay a regime down as .npy files."""
    own = {field.name: getattr(regime, field.name) for field in fields(Regime) if field.name != "automaton"}
    law = {field.name: getattr(regime.automaton, field.name) for field in fields(Automaton)}
    arrays.write(folder, own | law)


def read(folder: Path) -> Regime:
    """The regime that `write` laid down."""
    found = arrays.read(folder)
    law = Automaton(**{field.name: found.pop(field.name) for field in fields(Automaton)})
    return Regime(automaton=law, **found)


def regressors(Y: np.ndarray, U: np.ndarray, na: int, nb: int) -> np.ndarray:
    """(N, T - L, na p + nb m + 1) float64: phi[k] for k = L .. T - 1 with L = max(na, nb)."""
    lag, T = max(na, nb), Y.shape[1]
    past = [Y[:, lag - i : T - i] for i in range(1, na + 1)] + [U[:, lag - i : T - i] for i in range(1, nb + 1)]
    return np.concatenate([*past, np.ones((len(Y), T - lag, 1))], axis=2)


def guarded(guards: np.ndarray, y: np.ndarray) -> np.ndarray:
    """(...) int64: the mode that guards (K, p + 1) give to last outputs y (..., p)."""
    return np.argmax(y @ guards[:, :-1].T + guards[:, -1], axis=-1)


def exogenous(rng: np.random.Generator, law: Automaton, N: int, T: int) -> np.ndarray:
    """(N, T) int64: mode sequences of a dwell-time automaton."""
    modes = np.empty((N, T), dtype=np.int64)
    mode, age = rng.integers(law.K, size=N), np.zeros(N, dtype=np.int64)
    for k in range(T):
        leaves = (age >= law.dwell) & (rng.random(N) < law.noise[1])
        mode = np.where(leaves, (mode + rng.integers(1, law.K, size=N)) % law.K, mode)
        age = np.where(leaves, 1, age + 1)
        modes[:, k] = mode
    return modes


def simulate(rng: np.random.Generator, law: Automaton, U: np.ndarray, start: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Run an automaton.

    Args:
        rng: the source of noise and of exogenous modes.
        law: the automaton.
        U: (N, T, m) float64: inputs.
        start: (N, lag, p) float64: the outputs before the first regressor.

    Returns:
        (N, T, p) float64: outputs; and (N, T) int64: modes.
    """
    N, T, _ = U.shape
    Y = np.empty((N, T, law.p))
    Y[:, : law.lag] = start
    E = law.sigma * rng.standard_normal(Y.shape)
    modes = exogenous(rng, law, N, T) if law.dwell else np.zeros((N, T), dtype=np.int64)
    for k in range(law.lag, T):
        if not law.dwell:
            modes[:, k] = guarded(law.guards, Y[:, k - 1])
        past = [Y[:, k - i] for i in range(1, law.na + 1)] + [U[:, k - i] for i in range(1, law.nb + 1)]
        phi = np.concatenate([*past, np.ones((N, 1))], axis=1)
        Y[:, k] = np.einsum("npd,nd->np", law.params[modes[:, k]], phi) + E[:, k]
    modes[:, : law.lag] = modes[:, law.lag : law.lag + 1]
    return Y, modes


def distances(law: Automaton, Y: np.ndarray, U: np.ndarray, modes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How far the means of all modes are from those of the true one.

    Returns:
        (N, T - L, K) float64, the unit of y: distances; and (N, T - L) int64: the true modes of those steps.
    """
    phi, s = regressors(Y, U, law.na, law.nb), modes[:, law.lag :]
    means = np.einsum("kpd,ntd->ntkp", law.params, phi)
    own = np.take_along_axis(means, s[..., None, None], axis=2)
    return np.sqrt(((means - own) ** 2).sum(-1)), s


def separations(law: Automaton, Y: np.ndarray, U: np.ndarray, modes: np.ndarray) -> tuple[float, float]:
    """Root mean square distances of each mode's means from another mode's, on the mode's data: the smallest and the largest, in the unit of y.

    Zeros where a mode doesn't occur.
    """
    apart, s = distances(law, Y, U, modes)
    if shares(s, law.K).min() == 0.0:
        return 0.0, 0.0
    seen = [(apart[s == i, j] ** 2).mean() for i in range(law.K) for j in range(law.K) if j != i]
    return float(np.sqrt(min(seen))), float(np.sqrt(max(seen)))


def blur(law: Automaton, Y: np.ndarray, U: np.ndarray, modes: np.ndarray) -> float:
    """Share of the steps at which another mode's mean is within one sigma of the true one's, so that no residual tells them apart."""
    apart, s = distances(law, Y, U, modes)
    others = np.where(np.arange(law.K) == s[..., None], np.inf, apart)
    return float(np.mean(others.min(axis=2) < law.sigma))


def shares(modes: np.ndarray, K: int) -> np.ndarray:
    """(K,) float64: how often each mode occurs."""
    return np.bincount(modes.ravel(), minlength=K) / modes.size
