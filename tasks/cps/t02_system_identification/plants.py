"""Draws hidden regimes: a plant, its noise, inputs, and the outputs. What the equations are stands in `oracle`.

    plant      pairs of modes that turn and shrink, and a real one where n is odd, in a mixed basis; the slowest has the drawn radius
    noise      process: the share of the output's variance that w causes, relative to what white inputs cause; measurement: that of v.
               A `coloured` regime has much of the first: then the errors of a forecast grow with the horizon
    inputs     white (Gaussian), uniform, steps (held for 5 to 20 steps), multisine (three sinusoids of 0.01 to 0.12 cycles a step);
               the test's are `amplitude` times as large as those of the training
    units      every input and output has a unit of its own, 0.1 to 10

A drawn regime is kept only where it asks for what the task is about: the state is observable and reachable (Hankel singular values), the
oracle beats the forecasts without a model, and, where the entry says so, the forecast's spread grows with the horizon (`grows`), or the fits in
`naive` fail by a margin on the drawn data. Otherwise the next one is drawn from the same generator.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tasks.cps import arrays
from tasks.cps.t02_system_identification import naive, oracle
from tasks.cps.t02_system_identification.oracle import Plant

TRIES = 400


@dataclass(frozen=True)
class Regime:
    """Training data, and test trajectories whose outputs after the warm-up are hidden; units of the drawn channels."""

    plant: Plant
    U_train: np.ndarray
    """(N, T, m) float64: inputs"""
    Y_train: np.ndarray
    """(N, T, p) float64: outputs"""
    U_test: np.ndarray
    """(N_test, T_test, m) float64: inputs"""
    Y_test: np.ndarray
    """(N_test, T_test, p) float64: outputs, hidden from W on"""
    W: int
    """steps of the warm-up"""

    @property
    def warmup(self) -> np.ndarray:
        """(N_test, W, p) float64: the outputs that are told."""
        return self.Y_test[:, : self.W]

    def in_units(self, u: np.ndarray, y: np.ndarray) -> Regime:
        """The same regime where inputs count u (m,) and outputs y (p,) times as much."""
        return Regime(
            plant=self.plant.in_units(u, y),
            U_train=self.U_train * u,
            Y_train=self.Y_train * y,
            U_test=self.U_test * u,
            Y_test=self.Y_test * y,
            W=self.W,
        )

    def exact(self) -> oracle.Forecast:
        """What the true plant says of the hidden outputs."""
        return oracle.forecast(self.plant, self.U_test, self.warmup)


def write(folder: Path, regime: Regime) -> None:
    """Lay a regime down as .npy files, whose bytes depend on nothing but the arrays."""
    data = {name: getattr(regime, name) for name in ("U_train", "Y_train", "U_test", "Y_test")}
    arrays.write(folder, {**regime.plant.arrays(), **data, "W": np.array(regime.W)})


def read(folder: Path) -> Regime:
    """The regime that `write` laid down."""
    found = arrays.read(folder)
    plant = Plant(**{name: found.pop(name) for name in ("A", "B", "C", "Q", "R", "P0")})
    return Regime(plant=plant, W=int(found.pop("W")), **found)


def draw(rng: np.random.Generator, kind: Mapping[str, Any], axes: Mapping[str, Any]) -> Regime:
    """Draw regimes of a kind until one is kept.

    Args:
        rng: the instance's generator; moved on.
        kind: an entry of `regimes` in task.yaml; what it leaves out stands in `axes`.
        axes: the level's numbers.

    Raises:
        ValueError: none of TRIES draws was kept; the level's axes contradict one another.
    """
    numbers = {**axes, **kind}
    for _ in range(TRIES):
        plant = _plant(rng, numbers)
        if plant is None:
            continue
        regime = _simulated(rng, plant, numbers)
        regime = regime.in_units(*(10.0 ** rng.uniform(-1.0, 1.0, size=size) for size in (plant.B.shape[1], len(plant.C))))
        if _asks(regime, numbers):
            return regime
    raise ValueError(f"no regime of {dict(kind)} is kept")


def _plant(rng: np.random.Generator, numbers: Mapping[str, Any]) -> Plant | None:
    n, m, p = (int(size) for size in numbers["sizes"][rng.integers(len(numbers["sizes"]))])
    A, B, C = _modes(rng, n, numbers), rng.normal(size=(n, m)), rng.normal(size=(p, n))
    singular = np.linalg.svd(_hankel(oracle.markov(A, B, C, 2 * n + 9)), compute_uv=False)
    if singular[n - 1] < numbers["least_singular"] * singular[0]:
        return None
    driven = np.diag(C @ oracle.stationary(A, B @ B.T) @ C.T)
    C = C / np.sqrt(driven)[:, None]  # white inputs of unit variance now cause outputs of unit variance
    Q = _covariance(rng, n)
    Q *= numbers["process"] / np.mean(np.diag(C @ oracle.stationary(A, Q) @ C.T))
    R = numbers["measurement"] * _covariance(rng, p)
    return Plant(A=A, B=B, C=C, Q=Q, R=R, P0=oracle.stationary(A, Q))


def _modes(rng: np.random.Generator, n: int, numbers: Mapping[str, Any]) -> np.ndarray:
    """(n, n) float64: the slowest pair has a radius out of the range, the others are quicker; a well-conditioned random basis."""
    slowest = rng.uniform(*numbers["radius"])
    D = np.zeros((n, n))
    for i in range(0, n, 2):
        r, turn = slowest * (1.0 if i == 0 else rng.uniform(*numbers["others"])), rng.uniform(*numbers["angle"])
        block = r * np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        D[i : i + 2, i : i + 2] = block if i + 1 < n else r * rng.choice([-0.5, 1.0])
    basis = np.linalg.qr(rng.normal(size=(n, n)))[0] @ np.diag(rng.uniform(0.6, 1.6, size=n))
    return basis @ D @ np.linalg.inv(basis)


def _hankel(G: np.ndarray) -> np.ndarray:
    rows = (len(G) + 1) // 2
    return np.block([[G[i + j] for j in range(rows)] for i in range(rows)])


def _covariance(rng: np.random.Generator, n: int) -> np.ndarray:
    """(n, n) float64: a random covariance with a mean eigenvalue of 1; the largest is at most 6 times the smallest."""
    basis, values = np.linalg.qr(rng.normal(size=(n, n)))[0], np.exp(rng.uniform(0.0, np.log(6.0), size=n))
    covariance = (basis * (values / values.mean())) @ basis.T
    return (covariance + covariance.T) / 2


def inputs(rng: np.random.Generator, how: str, shape: tuple[int, int, int]) -> np.ndarray:
    """(N, T, m) float64: inputs of a mean square of about 1."""
    N, T, m = shape
    if how == "white":
        return rng.normal(size=shape)
    if how == "uniform":
        return rng.uniform(-np.sqrt(3.0), np.sqrt(3.0), size=shape)
    if how == "steps":
        changes = rng.random(size=(N, T, m)) < 1.0 / 12.0
        changes[:, 0] = True
        last = np.maximum.accumulate(np.where(changes, np.arange(T)[:, None], 0), axis=1)
        return np.take_along_axis(rng.choice([-1.0, 1.0], size=shape) * rng.uniform(0.5, 1.4, size=shape), last, axis=1)
    frequency = rng.uniform(0.01, 0.12, size=(3, N, 1, m))
    phase, amplitude = rng.uniform(0.0, 2 * np.pi, size=(3, N, 1, m)), rng.uniform(0.5, 1.1, size=(3, N, 1, m))
    return np.sum(amplitude * np.sin(2 * np.pi * frequency * np.arange(T)[:, None] + phase), axis=0)


def simulate(rng: np.random.Generator, plant: Plant, U: np.ndarray) -> np.ndarray:
    """(N, T, p) float64: outputs of the plant, which starts as P0 says."""
    (N, T, _), n = U.shape, len(plant.A)
    roots = [np.linalg.cholesky(S + 1e-15 * np.trace(S) * np.eye(len(S))) for S in (plant.P0, plant.Q, plant.R)]
    x = rng.normal(size=(N, n)) @ roots[0].T
    drive = U @ plant.B.T + rng.normal(size=(N, T, n)) @ roots[1].T
    X = np.empty((N, T, n))
    for k in range(T):
        X[:, k] = x
        x = x @ plant.A.T + drive[:, k]
    return X @ plant.C.T + rng.normal(size=(N, T, len(plant.C))) @ roots[2].T


def _simulated(rng: np.random.Generator, plant: Plant, numbers: Mapping[str, Any]) -> Regime:
    m = plant.B.shape[1]
    N, T = (int(rng.integers(low, high + 1)) for low, high in (numbers["N"], numbers["T"]))
    U_train = inputs(rng, numbers["train"], (N, T, m))
    T_test = int(numbers["W"]) + int(numbers["H"])
    U_test = numbers["amplitude"] * inputs(rng, numbers["test"], (int(numbers["N_test"]), T_test, m))
    return Regime(
        plant=plant,
        U_train=U_train,
        Y_train=simulate(rng, plant, U_train),
        U_test=U_test,
        Y_test=simulate(rng, plant, U_test),
        W=int(numbers["W"]),
    )


def _asks(regime: Regime, numbers: Mapping[str, Any]) -> bool:
    exact = regime.exact()
    size = np.sqrt(np.mean(regime.Y_train**2, axis=(0, 1)))
    best = _error(exact[0], exact, size)
    without = [oracle.held(regime.warmup, exact[0].shape[1]), np.zeros_like(exact[0])]
    if best > numbers["oracle_at_most"] * min(_error(mean, exact, size) for mean in without):
        return False
    if growth(exact[1], int(numbers["near"])) < numbers.get("grows", 0.0):
        return False
    data = (regime.U_train, regime.Y_train, regime.U_test, regime.warmup)
    fits = [naive.FITS[name](*data) for name in numbers.get("naive", ())]
    return all(_error(mean, exact, size) > numbers["naive_at_least"] * best for mean in fits)


def growth(deviation: np.ndarray, near: int) -> float:
    """Mean spread of the last half of the horizon over that of the first `near` steps, of the output where it grows least."""
    return float(np.min(deviation[:, deviation.shape[1] // 2 :].mean((0, 1)) / deviation[:, :near].mean((0, 1))))


def _error(mean: np.ndarray, exact: oracle.Forecast, size: np.ndarray) -> float:
    return float(np.sqrt(np.mean((exact[1] ** 2 + (mean - exact[0]) ** 2) / size**2)))
