"""Linear-Gaussian regimes: the published one, and hidden ones that a seed draws.

    integrator   two axes of position and velocity, x = [px, py, vx, vy], with the dt^2/2 term in B; sensors at an angle
    modes        damped rotations and decays sampled at a drawn dt, mixed by a random change of basis

What a regime can have beside its plant, as its entry in task.yaml says:

    drives    Q = G G' with fewer columns than states: noise enters through them only. For the integrator these are the accelerations
              of a step, G = [dt^2/2; dt] an axis (discrete white noise acceleration, Y. Bar-Shalom et al., Estimation (2001), ch. 6.3.2)
    loud      R[k] switches between two covariances whose sizes differ by this factor, every 2 to 5 steps
    perfect   R[k] is singular to the last bit in a direction off every axis; "fixed", or "turning" from step to step
    missing   share of the components of y that are missing, each trajectory for itself; gap: a stretch with whole steps missing

A drawn regime is kept only where a filter matters: where the exact one beats both the estimate without a filter and the one without
measurements, where scaling Q, R or the prior's covariance moves its estimates and a larger R corrects less, and where each simplification
that the entry `notices` costs log score; and where S, the covariance of the innovations, is well conditioned. Otherwise the next one is
drawn from the same generator.

Published data: one generator a set; for each trajectory x[0], then all its inputs, then for each step v[k] and w[k].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from tasks.cps import arrays
from tasks.cps.t01_kalman_filter import oracle, scoring

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
    """(T, p, p) float64: covariances of v"""
    U: np.ndarray
    """(N, T, m) float64: inputs"""
    Y: np.ndarray
    """(N, T, p) float64: measurements, NaN where one is missing"""
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

    def open_loop(self) -> oracle.Gaussians:
        """What is known of the states without any measurement."""
        return oracle.open_loop(self.A, self.B, self.Q, self.U, self.x0_mean, self.x0_cov)


INPUTS = tuple(field.name for field in fields(Regime) if field.name != "X")


def write(folder: Path, regime: Regime) -> None:
    """Lay a regime down as .npy files, whose bytes depend on nothing but the arrays."""
    arrays.write(folder, {field.name: getattr(regime, field.name) for field in fields(Regime)})


def read(folder: Path) -> Regime:
    """The regime that `write` laid down."""
    return Regime(**arrays.read(folder))


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
    Q, R = np.diag([drift, drift, shake, shake]), np.repeat(sigma_v**2 * np.eye(2)[None], T, axis=0)
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
        kind: an entry of `regimes` in task.yaml: plant, sizes (a list of [n, m, p]), noise, and what the module's head lists.
        axes: the level's other axes: N, T, dt, radius, blur, and the least effects.

    Raises:
        ValueError: none of TRIES draws was kept; the level's axes contradict one another.
    """
    for _ in range(TRIES):
        regime = _drawn(rng, kind, axes)
        if _well_conditioned(regime, axes["condition"]) and _asks_for_a_filter(regime, kind, axes):
            return regime
    raise ValueError(f"no regime of {dict(kind)} asks for a filter")


def _drawn(rng: np.random.Generator, kind: Mapping[str, Any], axes: Mapping[str, Any]) -> Regime:
    A, B, C, Q = _plant(rng, kind, axes)
    N, T, p = int(axes["N"]), int(axes["T"]), len(C)
    R = kind["noise"] * float(np.trace(C @ Q @ C.T)) / p * _noise(rng, kind, T, p)
    if "perfect" in kind:
        R = _few_bits(kind["noise"] * float(np.trace(C @ Q @ C.T)) / p) * _perfect(rng, kind["perfect"], T, p)
    return simulate(rng, plant=(A, B, C), noise=(Q, R), seen=_seen(rng, kind, (N, T, p)))


def _plant(rng: np.random.Generator, kind: Mapping[str, Any], axes: Mapping[str, Any]) -> tuple[np.ndarray, ...]:
    """A, B, C and Q."""
    dt = rng.uniform(*axes["dt"])
    if kind["plant"] == "integrator":
        A, B = np.eye(4) + dt * np.eye(4, k=2), dt**2 / 2 * np.eye(4, 2) + dt * np.eye(4, 2, k=-2)
        C, G = np.hstack([_sensor_axes(rng), np.zeros((2, 2))]), B
    else:
        n, m, p = (int(size) for size in kind["sizes"][rng.integers(len(kind["sizes"]))])
        A, B, C = _modes(rng, n, dt, axes["radius"]), rng.normal(size=(n, m)), rng.normal(size=(p, n))
        G = rng.normal(size=(n, int(kind.get("drives", n))))
    size = rng.uniform(0.05, 0.3) ** 2
    if "drives" in kind:
        Q = G @ spd(rng, G.shape[1], spread=4.0) @ G.T
        return A, B, C, size * len(A) / float(np.trace(Q)) * (Q + Q.T) / 2
    return A, B, C, size * spd(rng, len(A), spread=10.0)


def _noise(rng: np.random.Generator, kind: Mapping[str, Any], T: int, p: int) -> np.ndarray:
    """(T, p, p) float64: covariances of a mean size of about 1."""
    quiet = spd(rng, p, spread=4.0)
    if "loud" not in kind:
        return np.repeat(quiet[None], T, axis=0)
    pair = np.stack([quiet, kind["loud"] * spd(rng, p, spread=4.0)]) / np.sqrt(kind["loud"])
    lengths = rng.integers(2, 6, size=T)
    return pair[(np.repeat(np.arange(T), lengths)[:T] + rng.integers(2)) % 2]


def _perfect(rng: np.random.Generator, how: str, T: int, p: int) -> np.ndarray:
    """(T, p, p) float64: covariances G G' of rank p - 1, in fractions of few bits, so that no rounding makes them regular."""
    directions = [_imperfect(rng, p) / 16 for _ in range(4 if how == "turning" else 1)]
    covariances = np.stack([G @ G.T for G in directions])
    return covariances[rng.permutation(np.arange(T) % len(directions))]


def _imperfect(rng: np.random.Generator, p: int) -> np.ndarray:
    """(p, p - 1) integers as float64: the directions with noise, so that the one without is far from every axis."""
    while True:
        G = rng.integers(5, 16, size=(p, p - 1)) * rng.choice([-1.0, 1.0], size=(p, p - 1))
        if np.abs(np.linalg.svd(G.T)[2][-1]).min() > 0.35:
            return G


def _few_bits(value: float) -> float:
    mantissa, exponent = np.frexp(value)
    return float(np.ldexp(np.round(mantissa * 256) / 256, exponent))


def _seen(rng: np.random.Generator, kind: Mapping[str, Any], shape: tuple[int, int, int]) -> np.ndarray:
    """(N, T, p) bool: which components are measured."""
    seen = rng.random(shape) >= kind.get("missing", 0.0)
    if "gap" in kind:
        starts = rng.integers(1, shape[1] - kind["gap"], size=shape[0])
        steps = np.arange(shape[1])
        seen &= ((steps < starts[:, None]) | (steps >= starts[:, None] + kind["gap"]))[..., None]
    return seen


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


def root(covariance: np.ndarray) -> np.ndarray:
    """(..., n, n) float64: a matrix G with G G' = covariance, which may be singular."""
    values, vectors = np.linalg.eigh(covariance)
    exact = np.where(values > 1e-12 * values[..., -1:], values, 0.0)  # a square root would make much of a rounding error
    return vectors * np.sqrt(exact)[..., None, :]


def simulate(
    rng: np.random.Generator, *, plant: tuple[np.ndarray, ...], noise: tuple[np.ndarray, np.ndarray], seen: np.ndarray
) -> Regime:
    """Trajectories from a drawn prior, with inputs that wander; as many and as long as `seen`, (N, T, p) bool, says."""
    (A, B, C), (Q, R), (N, T, _) = plant, noise, seen.shape
    n, m = B.shape
    x0_mean, x0_cov = rng.normal(size=n), rng.uniform(3.0, 30.0) * np.trace(Q) / n * spd(rng, n, spread=6.0)
    U = 0.5 * rng.normal(size=(N, T, m)) + 0.5 * rng.normal(size=(N, 1, m))
    X, Y = continue_from(rng, A=A, B=B, C=C, Q=Q, R=R, U=U, x=x0_mean + rng.normal(size=(N, n)) @ root(x0_cov).T)
    Y = np.where(seen, Y, np.nan)
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
    """States (N, T, n) and measurements (N, T, p), float64, that begin in x (N, n) and follow U (N, T, m); R is (T, p, p)."""
    N, T, _ = U.shape
    X = np.empty((N, T, len(A)))
    W = rng.normal(size=X.shape) @ root(Q).T
    for k in range(T):
        X[:, k] = x
        x = x @ A.T + U[:, k] @ B.T + W[:, k]
    return X, X @ C.T + np.einsum("kij,nkj->nki", root(R), rng.normal(size=(N, T, len(C))))


def simplified(regime: Regime, name: str) -> dict[str, np.ndarray]:
    """The matrices that a simplification puts in the place of the given ones: "Q diagonal", "R diagonal", "R first", "R mean"."""
    R = regime.R
    return {
        "Q diagonal": {"Q": np.diag(np.diag(regime.Q))},
        "R diagonal": {"R": R * np.eye(R.shape[1])},
        "R first": {"R": np.repeat(R[:1], len(R), axis=0)},
        "R mean": {"R": np.repeat(R.mean(0, keepdims=True), len(R), axis=0)},
    }[name]


def _well_conditioned(regime: Regime, bound: float) -> bool:
    """Whether the innovations of all components have covariances of a moderate condition, so that those of any choice of them have."""
    A, C, Q = regime.A, regime.C, regime.Q
    _, P = oracle.gains(A, C, Q, regime.R, regime.x0_cov, np.ones((1, *regime.R.shape[:2]), dtype=bool))
    before = np.concatenate([regime.x0_cov[None], A @ P[0, :-1] @ A.T + Q])
    values = np.linalg.eigvalsh(C @ before @ C.T + regime.R)
    return bool((values[:, 0] * bound > values[:, -1]).all())


def _asks_for_a_filter(regime: Regime, kind: Mapping[str, Any], axes: Mapping[str, Any]) -> bool:
    plain = oracle.estimate(*regime.arguments())
    error = _rms(plain[0] - regime.X)
    others = (oracle.unfiltered(regime.C, regime.Y), regime.open_loop()[0])
    if error > axes["oracle_at_most"] * min(_rms(other - regime.X) for other in others):
        return False
    scaled = [oracle.estimate(*regime.arguments(**{name: 10.0 * getattr(regime, name)}))[0] for name in ("R", "Q", "x0_cov")]
    if min(_rms(one - plain[0]) for one in scaled) <= axes["least_effect"] * error:
        return False
    if _left(regime, scaled[0]) <= axes["least_slack"] * _left(regime, plain[0]):
        return False
    J = scoring.blur(regime.x0_cov, axes["blur"])
    simple = [oracle.estimate(*regime.arguments(**simplified(regime, name))) for name in kind.get("notices", ())]
    return all(scoring.excess(one, plain, J).mean(0).max() > axes["least_excess"] for one in simple)


def _left(regime: Regime, means: np.ndarray) -> float:
    """What estimates leave of the measurements."""
    return float(np.sqrt(np.nanmean((means @ regime.C.T - regime.Y) ** 2)))


def _rms(difference: np.ndarray) -> float:
    return float(np.sqrt(np.mean(difference**2)))
