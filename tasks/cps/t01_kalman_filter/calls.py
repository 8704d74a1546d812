"""What t01 asks a candidate about each hidden regime; judge.py tells which process gets which call, and why.

Not covered: what the answers must be.
"""

from __future__ import annotations

import numpy as np

from assay.protocol import Call, Problem, Returns
from tasks.cps.t01_kalman_filter import regimes
from tasks.cps.t01_kalman_filter.regimes import Regime

SCALED = ("R", "Q", "x0_cov")
Arguments = tuple[np.ndarray, ...]


def call(arguments: Arguments) -> Call:
    """A call of `estimate` with the contract of its answer."""
    (N, T, _), n = arguments[6].shape, len(arguments[0])
    parts = (Returns("array", shape=(N, T, n)), Returns("array", shape=(N, T, n, n)))
    return Call("estimate", arguments, Returns("tuple", items=parts))


def future_names(problem: Problem) -> list[str]:
    """A process for each cut."""
    return [f"future_{cut}" for cut in range(int(problem.thresholds["cuts"]))]


def cuts(problem: Problem, number: int, T: int) -> list[int]:
    """Where the future is replaced: early, late and between."""
    between = _generator(problem, number).choice(np.arange(3, T - 2), size=int(problem.thresholds["cuts"]) - 2, replace=False)
    return [1 + number % 2, *sorted(int(cut) for cut in between), T - 1]


def futures(problem: Problem, number: int, regime: Regime) -> list[Arguments]:
    """The regime with y[t:] and u[t-1:] replaced by another course of the same plant, with the gaps of other trajectories."""
    rng = _generator(problem, 100 + number)
    found = []
    for t in cuts(problem, number, regime.Y.shape[1]):
        U, Y = regime.U.copy(), regime.Y.copy()
        U[:, t - 1 :] = rng.permutation(U)[:, t - 1 :] + 0.3 * rng.normal(size=U[:, t - 1 :].shape)
        plant = {name: getattr(regime, name) for name in "ABCQ"}
        _, other = regimes.continue_from(rng, U=U[:, t - 1 :], x=regime.X[:, t - 1], R=regime.R[t - 1 :], **plant)
        Y[:, t:] = np.where(np.isnan(rng.permutation(regime.Y)[:, t:]), np.nan, other[:, 1:])
        found.append(regime.arguments(U=U, Y=Y))
    return found


def responses(problem: Problem, regime: Regime) -> list[Arguments]:
    """The regime with R, Q or the prior's covariance scaled."""
    factor = problem.thresholds["response_factor"]
    return [regime.arguments(**{name: factor * getattr(regime, name)}) for name in SCALED]


def selection(problem: Problem, number: int, N: int) -> np.ndarray:
    """Half of the trajectories in another order."""
    return _generator(problem, 200 + number).permutation(N)[: N // 2]


def basis(problem: Problem, number: int, n: int) -> np.ndarray:
    """(n, n) float64: M of the other states M x; a rotation with gains of 1/2 to 2."""
    rng = _generator(problem, 300 + number)
    return rng.uniform(0.5, 2.0, size=(n, 1)) * np.linalg.qr(rng.normal(size=(n, n)))[0]


def symmetries(problem: Problem, number: int, regime: Regime) -> list[Arguments]:
    """Half of the trajectories with the sensors in reverse; the same half in another basis of the states; and all in other units."""
    rows, c = selection(problem, number, len(regime.Y)), problem.thresholds["scale_factor"]
    U, Y = regime.U[rows], regime.Y[rows]
    sensors = {"C": regime.C[::-1].copy(), "R": regime.R[:, ::-1, ::-1].copy(), "Y": Y[:, :, ::-1].copy()}
    M = basis(problem, number, len(regime.A))
    back = np.linalg.inv(M)
    states = {"A": M @ regime.A @ back, "B": M @ regime.B, "C": regime.C @ back, "x0_mean": M @ regime.x0_mean}
    states |= {name: _even(M @ getattr(regime, name) @ M.T) for name in ("Q", "x0_cov")}
    linear = {name: c * getattr(regime, name) for name in ("U", "Y", "x0_mean")}
    quadratic = {name: c**2 * getattr(regime, name) for name in SCALED}
    return [
        regime.arguments(U=U, **sensors),
        regime.arguments(U=U, Y=Y, **states),
        regime.arguments(**linear, **quadratic),
    ]


def _even(covariance: np.ndarray) -> np.ndarray:
    return (covariance + covariance.T) / 2


def _generator(problem: Problem, number: int) -> np.random.Generator:
    return np.random.default_rng([202, problem.seed, number])
