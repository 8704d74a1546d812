"""Linear-Gaussian regimes: the published one, and hidden ones that a seed draws. Judge side only.

    integrator   two axes of position and velocity, x = [px, py, vx, vy], with the dt^2/2 term in B; sensors at an angle
    modes        damped rotations and decays sampled at a drawn dt, mixed by a random change of basis

A drawn regime is kept only where a filter matters: where the oracle beats the estimate without a filter clearly, and where scaling Q,
R or the prior's covariance moves its estimates; and where R is nearly singular, only if its correlation matters. Otherwise the next one
is drawn from the same generator.

Published data: one generator a set; for each trajectory x[0], then all its inputs, then for each step v[k] and w[k].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from tasks.cps.probes import rmse
from tasks.cps.t01_kalman_filter import oracle

TRIES = 400


@dataclass(frozen=True)
class Regime:
    """A plant, its noise, and N trajectories of T steps; x[k+1] = A x[k] + B u[k] + w[k], y[k] = C x[k] + v[k]."""

    A: np.ndarray
    """(n, n) float64: transition"""
    B: np.ndarray
    """(n, m) float64: input"""
    C: np.ndarray
    """(p, n) float64: measurement"""
    Q: np.ndarray
    """(n, n) float64: covariance of w"""
    R: np.ndarray
    """(p, p) float64: covariance of v"""
    U: np.ndarray
    """(N, T, m) float64: inputs"""
    Y: np.ndarray
    """(N, T, p) float64: measurements"""
    x0_mean: np.ndarray
    """(n,) float64: mean of x[0]"""
    x0_cov: np.ndarray
    """(n, n) float64: covariance of x[0]"""
    X: np.ndarray
    """(N, T, n) float64: true states, hidden"""

    def arguments(self, **changes: Any) -> tuple[np.ndarray, ...]:
        """What `estimate` gets, by position, after some arrays were replaced."""
        changed = replace(self, **changes)
        return tuple(getattr(changed, name) for name in INPUTS)


INPUTS = tuple(field.name for field in fields(Regime) if field.name != "X")


def write(folder: Path, regime: Regime) -> None:
    """Lay a regime down as .npy files, whose bytes depend on nothing but the arrays."""
    folder.mkdir(parents=True)
    for field in fields(Regime):
        np.save(folder / f"{field.name}.npy", getattr(regime, field.name), allow_pickle=False)


def read(folder: Path) -> Regime:
    """The regime that `write` laid down."""
    return Regime(**{field.name: np.load(folder / f"{field.name}.npy", allow_pickle=False) for field in fields(Regime)})


def published(numbers: Mapping[str, float], *, seed: int, N: int, sigma_v: float) -> Regime:
    """The published double integrator, number for number (see the module's head for the order of the draws).

    Args:
        numbers: `contract.smoke` of task.yaml: dt, T, sigma_w, sigma_u, the two process floors and the prior's variances.
        seed: 5 visible, 17 in distribution, 31 out of distribution.
        N: trajectories.
        sigma_v: standard deviation of the measurement noise.
    """
    dt, T = numbers["dt"], int(numbers["T"])
    A, B, C = np.eye(4) + dt * np.eye(4, k=2), dt * np.eye(4, 2, k=-2), np.eye(2, 4)
    drift, shake = numbers["position_variance"], numbers["sigma_w"] ** 2 * dt
    Q, R = np.diag([drift, drift, shake, shake]), sigma_v**2 * np.eye(2)
    x0_cov = np.diag([numbers["x0_position_variance"]] * 2 + [numbers["x0_velocity_variance"]] * 2)
    rng = np.random.default_rng(seed)
    U, Y, X = np.empty((N, T, 2)), np.empty((N, T, 2)), np.empty((N, T, 4))
    for i in range(N):
        x = np.sqrt(np.diag(x0_cov)) * rng.standard_normal(4)
        U[i] = numbers["sigma_u"] * rng.standard_normal((T, 2))
        for k in range(T):
            X[i, k], Y[i, k] = x, C @ x + sigma_v * rng.standard_normal(2)
            x = A @ x + B @ U[i, k] + np.sqrt(np.diag(Q)) * rng.standard_normal(4)
    return Regime(A=A, B=B, C=C, Q=Q, R=R, U=U, Y=Y, x0_mean=np.zeros(4), x0_cov=x0_cov, X=X)


def draw(rng: np.random.Generator, kind: Mapping[str, Any], axes: Mapping[str, Any]) -> Regime:
    """Draw regimes of a kind until one asks for a filter.

    Args:
        rng: the instance's generator; moved on.
        kind: an entry of `regimes` in task.yaml: plant, n, m, p (a list of values each), noise and floor of R.
        axes: the level's other axes: N, T, dt, radius, and the least effects.

    Raises:
        ValueError: none of TRIES draws was kept; the level's axes contradict one another.
    """
    for _ in range(TRIES):
        regime = _drawn(rng, kind, axes)
        if _asks_for_a_filter(regime, axes, correlated="floor" in kind):
            return regime
    raise ValueError(f"no regime of {dict(kind)} asks for a filter")


def _drawn(rng: np.random.Generator, kind: Mapping[str, Any], axes: Mapping[str, Any]) -> Regime:
    dt = rng.uniform(*axes["dt"])
    if kind["plant"] == "integrator":
        A, B = np.eye(4) + dt * np.eye(4, k=2), dt**2 / 2 * np.eye(4, 2) + dt * np.eye(4, 2, k=-2)
        C = np.hstack([_sensor_axes(rng), np.zeros((2, 2))])
    else:
        n, m, p = (int(size) for size in kind["sizes"][rng.integers(len(kind["sizes"]))])
        A, B, C = _modes(rng, n, dt, axes["radius"]), rng.normal(size=(n, m)), rng.normal(size=(p, n))
    (n, m), p = B.shape, len(C)
    Q = rng.uniform(0.05, 0.3) ** 2 * spd(rng, n, spread=10.0)
    R = kind["noise"] * float(np.trace(C @ Q @ C.T)) / p * spd(rng, p, spread=4.0)
    if kind.get("floor"):
        R = nearly_singular(rng, R, kind["floor"])
    return simulate(rng, plant=(A, B, C), noise=(Q, R), N=int(axes["N"]), T=int(axes["T"]))


def _sensor_axes(rng: np.random.Generator) -> np.ndarray:
    """(2, 2) float64: two sensors at an angle to the axes of motion, with gains of their own."""
    angle = rng.uniform(0.0, 2.0 * np.pi)
    return rng.uniform(0.7, 1.4, size=(2, 1)) * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def _modes(rng: np.random.Generator, n: int, dt: float, radius: tuple[float, float]) -> np.ndarray:
    """(n, n) float64: pairs of modes that turn by omega dt and shrink by a radius, and a real one where n is odd, in a mixed basis."""
    D = np.diag(rng.uniform(*radius, size=n))
    for i in range(0, n - 1, 2):
        angle = rng.uniform(1.0, 6.0) * dt
        D[i : i + 2, i : i + 2] = D[i, i] * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    basis = np.eye(n) + 0.4 * rng.normal(size=(n, n)) / np.sqrt(n)
    return basis @ D @ np.linalg.inv(basis)


def spd(rng: np.random.Generator, n: int, *, spread: float) -> np.ndarray:
    """(n, n) float64: a random covariance with a mean eigenvalue of 1; the largest is at most `spread` times the smallest."""
    basis = np.linalg.qr(rng.normal(size=(n, n)))[0]
    values = np.exp(rng.uniform(0.0, np.log(spread), size=n))
    covariance = (basis * (values / values.mean())) @ basis.T
    return (covariance + covariance.T) / 2


def nearly_singular(rng: np.random.Generator, R: np.ndarray, floor: float) -> np.ndarray:
    """R with its size, and an eigenvalue of `floor` times the size in a random direction."""
    size = float(np.trace(R)) / len(R)
    direction = rng.uniform(0.6, 1.0, size=len(R)) * rng.choice([-1.0, 1.0], size=len(R))  # far from every axis: R is correlated
    direction /= np.linalg.norm(direction)
    return size * (np.eye(len(R)) - (1 - floor) * np.outer(direction, direction))


def simulate(
    rng: np.random.Generator, *, plant: tuple[np.ndarray, ...], noise: tuple[np.ndarray, np.ndarray], N: int, T: int
) -> Regime:
    """N trajectories of T steps from a drawn prior, with inputs that wander."""
    (A, B, C), (Q, R) = plant, noise
    n, m = B.shape
    x0_mean, x0_cov = rng.normal(size=n), rng.uniform(3.0, 30.0) * np.trace(Q) / n * spd(rng, n, spread=6.0)
    U = 0.5 * rng.normal(size=(N, T, m)) + 0.5 * rng.normal(size=(N, 1, m))
    X, Y = continue_from(rng, A=A, B=B, C=C, Q=Q, R=R, U=U, x=x0_mean + rng.normal(size=(N, n)) @ np.linalg.cholesky(x0_cov).T)
    return Regime(A=A, B=B, C=C, Q=Q, R=R, U=U, Y=Y, x0_mean=x0_mean, x0_cov=x0_cov, X=X)


def continue_from(
    rng: np.random.Generator,
    *,
    A: np.ndarray,
    B: np.ndarray,
    C: np.ndarray,
    Q: np.ndarray,
    R: np.ndarray,
    U: np.ndarray,
    x: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """States (N, T, n) and measurements (N, T, p), float64, that begin in x (N, n) and follow the inputs U (N, T, m)."""
    N, T, _ = U.shape
    X = np.empty((N, T, len(A)))
    W = rng.normal(size=X.shape) @ np.linalg.cholesky(Q).T
    for k in range(T):
        X[:, k] = x
        x = x @ A.T + U[:, k] @ B.T + W[:, k]
    return X, X @ C.T + rng.normal(size=(N, T, len(C))) @ np.linalg.cholesky(R).T


def _asks_for_a_filter(regime: Regime, axes: Mapping[str, Any], *, correlated: bool) -> bool:
    plain = oracle.estimate(*regime.arguments())
    error = rmse(plain, regime.X)
    if error > axes["oracle_at_most"] * rmse(oracle.persistence(regime.C, regime.Y), regime.X):
        return False
    wrong = {name: 10.0 * getattr(regime, name) for name in ("Q", "R", "x0_cov")}
    return all(_effect(regime, plain, {name: value}) > axes["least_effect"] * error for name, value in wrong.items()) and (
        not correlated or _effect(regime, plain, {"R": np.diag(np.diag(regime.R))}) > axes["least_correlation"] * error
    )


def _effect(regime: Regime, plain: np.ndarray, wrong: Mapping[str, np.ndarray]) -> float:
    """How far a wrong matrix moves the exact filter's estimates, root mean square."""
    return rmse(oracle.estimate(*regime.arguments(**wrong)), plain)
