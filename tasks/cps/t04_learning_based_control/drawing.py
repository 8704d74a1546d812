"""Hidden regimes: a plant, the transitions that a learner gets, the starts and the noise of the loop, and states to probe.

A regime's entry in task.yaml says

    sizes      pairs [n, m] of states and inputs, one of which is drawn
    D          transitions
    bend       rad, see plants
    noise      standard deviation of w, as a share of the length L
    shape      of the noise: gaussian, heavy (t of 5 degrees of freedom) or gusts (a quiet and a loud one, mixed); one covariance
    swing, kink, warp    forms of G and T, see plants; absent: none; kink: bounds of the slopes kappa
    of         another regime, whose plant and transitions it shares, with starts of its own
    start      half the side of the box of starts, in L; and shift, how far its centre lies from 0, in L

The transitions don't follow one another: x is uniform in a box of half side `region` L, u in one of half side `excitation` u_max. u_max
is `headroom` times the largest optimal input at these states, and no optimal input on the loops' way comes closer to it than SPARE.

A drawn regime is kept only where control matters: where doing nothing costs much more than the optimum, though the states don't run
away; and, where the optimal policy isn't linear, where linear policies lose much. Otherwise the next is drawn from the same generator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from tasks.cps import arrays
from tasks.cps.t04_learning_based_control import oracle, plants
from tasks.cps.t04_learning_based_control.plants import Plant

Policy: TypeAlias = Callable[[np.ndarray], np.ndarray]
TRIES = 400
FREEDOM = 5.0
LOUD_SHARE, LOUD_FACTOR = 0.1, 4.0
SPARE = 1.2
FAR = 20.0
"""states are held within this many L, where no loop is under control any more and every number is still finite"""


@dataclass(frozen=True)
class Regime:
    """What is hidden of one regime, and what the learner gets of it."""

    plant: Plant
    X: np.ndarray
    """(D, n) float64: states"""
    U: np.ndarray
    """(D, m) float64: inputs at these states"""
    Xn: np.ndarray
    """(D, n) float64: the states that follow"""
    u_max: float
    """largest |u_j| that a policy may answer"""
    starts: np.ndarray
    """(N, n) float64: where the loops begin"""
    W: np.ndarray
    """(T, N, n) float64: noise along the loops"""
    probes: np.ndarray
    """(N, n) float64: states of other loops, of the optimal policy"""

    def arguments(self) -> tuple[np.ndarray | float, ...]:
        """What `train_controller` gets, by position."""
        plant = self.plant
        return self.X, self.U, self.Xn, plant.Q, plant.R, float(plant.gamma), self.u_max


def write(folder: Path, regime: Regime) -> None:
    """Lay a regime down as .npy files."""
    plants.write(folder / "plant", regime.plant)
    names = ("X", "U", "Xn", "starts", "W", "probes")
    arrays.write(folder, {**{name: getattr(regime, name) for name in names}, "u_max": np.asarray(regime.u_max)})


def read(folder: Path) -> Regime:
    """The regime that `write` laid down."""
    found = arrays.read(folder)
    u_max = float(found.pop("u_max"))
    return Regime(plant=plants.read(folder / "plant"), u_max=u_max, **found)


def draw(
    rng: np.random.Generator, kind: Mapping[str, Any], axes: Mapping[str, Any], others: Sequence[Mapping[str, Any]] = ()
) -> list[Regime]:
    """Draw a regime, and those of its plant that start elsewhere, until all ask for control.

    Args:
        rng: the instance's generator; moved on.
        kind: an entry of `regimes` in task.yaml; see the module's head.
        axes: the level's other axes.
        others: entries of the regimes that share its plant.

    Raises:
        ValueError: none of TRIES draws was kept; the level's axes contradict one another.
    """
    for _ in range(TRIES):
        data = _data(rng, _plant(rng, kind, axes), kind, axes)
        found: list[Regime] = []
        for one in (kind, *others):
            regime = _started(rng, data, one, axes)
            if not asks_for_control(regime, axes):
                break
            found.append(regime)
        else:
            return [_probed(rng, regime, one, axes) for regime, one in zip(found, (kind, *others), strict=True)]
    raise ValueError(f"no regime of {dict(kind)} asks for control")


def _plant(rng: np.random.Generator, kind: Mapping[str, Any], axes: Mapping[str, Any]) -> Plant:
    n, m = (int(size) for size in kind["sizes"][rng.integers(len(kind["sizes"]))])
    gamma, length, money = rng.uniform(*axes["gamma"]), 10.0 ** rng.uniform(-0.5, 0.5), 10.0 ** rng.uniform(-0.5, 0.5)
    P = spd(rng, n, spread=2.5)
    Q = rng.uniform(*axes["share"]) * _below(rng, P, narrow="kink" in kind or "warp" in kind)
    G = rng.normal(size=(n, m)) / np.sqrt(n)
    R = spd(rng, m, spread=2.0)
    pull = float(np.trace(P @ G @ np.linalg.solve(R, G.T))) / m
    unit = 10.0 ** rng.uniform(-0.5, 0.5)  # of the inputs
    return Plant(
        P=money * P / length**2,
        Q=money * Q / length**2,
        R=money * R * gamma * pull / rng.uniform(*kind.get("authority", axes["authority"])) / unit**2,
        G=length * G / unit,
        swing=np.asarray(kind.get("swing", 0.0)),
        swing_along=rng.normal(size=(m, n)),
        turn=rng.uniform(0.2, 1.2, size=n - 1) * rng.choice([-1.0, 1.0], size=n - 1),
        bend=np.asarray(kind["bend"], dtype=float),
        bend_along=_directions(rng, n),
        kappa=rng.uniform(*kind.get("kink", (1.0, 1.0)), size=n),
        warp=np.asarray(kind.get("warp", 0.0)),
        length=np.asarray(length),
        Sigma=(kind["noise"] * length) ** 2 * spd(rng, n, spread=3.0),
        gamma=np.asarray(gamma),
    )


def _below(rng: np.random.Generator, P: np.ndarray, *, narrow: bool) -> np.ndarray:
    """(n, n) float64, at most P; narrow: at most the unit matrix times P's least eigenvalue, so that x'Qx < T'PT for every T with |T| >= |x|."""
    shape = spd(rng, len(P), spread=2.0)
    shape = shape / np.linalg.eigvalsh(shape)[-1]
    half = np.sqrt(np.linalg.eigvalsh(P)[0]) * np.eye(len(P)) if narrow else plants.root(P)
    Q = half @ shape @ half
    return (Q + Q.T) / 2


def _directions(rng: np.random.Generator, n: int) -> np.ndarray:
    """(n - 1, n) float64: along two axes each, of length 1.5."""
    found = np.zeros((n - 1, n))
    for row in found:
        row[rng.choice(n, size=min(2, n), replace=False)] = rng.normal(size=min(2, n))
    return 1.5 * found / np.linalg.norm(found, axis=1, keepdims=True)


def _data(rng: np.random.Generator, plant: Plant, kind: Mapping[str, Any], axes: Mapping[str, Any]) -> Regime:
    """The transitions; loops come later."""
    D, (n, m) = int(kind["D"]), plant.G.shape
    X = axes["region"] * float(plant.length) * rng.uniform(-1.0, 1.0, size=(D, n))
    u_max = axes["headroom"] * float(np.abs(oracle.action(plant, X)).max())
    U = axes["excitation"] * u_max * rng.uniform(-1.0, 1.0, size=(D, m))
    Xn = plants.step(plant, X, U, noise(rng, plant, kind, (D,)))
    nothing = np.empty((0, n))
    return Regime(plant=plant, X=X, U=U, Xn=Xn, u_max=u_max, starts=nothing, W=nothing, probes=nothing)


def _started(rng: np.random.Generator, regime: Regime, kind: Mapping[str, Any], axes: Mapping[str, Any]) -> Regime:
    """The same plant and transitions with starts and noise."""
    centre = rng.normal(size=regime.X.shape[1])
    centre *= kind.get("shift", 0.0) / np.linalg.norm(centre)
    box = kind["start"] * rng.uniform(-1.0, 1.0, size=(int(axes["N"]), len(centre)))
    W = noise(rng, regime.plant, kind, (int(axes["T"]), len(box)))
    return replace(regime, starts=float(regime.plant.length) * (centre + box), W=W)


def _probed(rng: np.random.Generator, regime: Regime, kind: Mapping[str, Any], axes: Mapping[str, Any]) -> Regime:
    """The same regime with states that the optimal policy visits on its first `probed` steps, from the same starts under other noise."""
    steps, (N, _) = int(axes["probed"]), regime.starts.shape
    X, _ = optimal_loop(regime.plant, regime.starts, noise(rng, regime.plant, kind, (steps, N)))
    return replace(regime, probes=X[rng.integers(1, steps, size=N), np.arange(N)])


def optimal_loop(plant: Plant, starts: np.ndarray, W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """States (T, N, n) and inputs (T, N, m), float64, of the optimal policy from `starts` (N, n) under the noise W (T, N, n)."""
    X, U, x = [], [], starts
    for w in W:
        f = plants.drift(plant, x)
        X.append(x)
        U.append(oracle.action(plant, x, f))
        x = plants.step(plant, x, U[-1], w, f)
    return np.stack(X), np.stack(U)


def noise(rng: np.random.Generator, plant: Plant, kind: Mapping[str, Any], shape: tuple[int, ...]) -> np.ndarray:
    """(*shape, n) float64: independent draws of w, of covariance Sigma whatever the shape of their law."""
    n, form = len(plant.P), kind.get("shape", "gaussian")
    w = rng.normal(size=(*shape, n)) @ plants.root(plant.Sigma)
    if form == "heavy":
        w = w * np.sqrt((FREEDOM - 2.0) / rng.chisquare(FREEDOM, size=(*shape, 1)))
    if form == "gusts":
        loud = rng.random((*shape, 1)) < LOUD_SHARE
        w = w * np.where(loud, LOUD_FACTOR, 1.0) / np.sqrt(1.0 + LOUD_SHARE * (LOUD_FACTOR**2 - 1.0))
    return w


def spd(rng: np.random.Generator, n: int, *, spread: float) -> np.ndarray:
    """(n, n) float64: a random covariance with a mean eigenvalue of 1; the largest is at most `spread` times the smallest."""
    basis = np.linalg.qr(rng.normal(size=(n, n)))[0]
    values = np.exp(rng.uniform(0.0, np.log(spread), size=n))
    covariance = (basis * (values / values.mean())) @ basis.T
    return (covariance + covariance.T) / 2


def asks_for_control(regime: Regime, axes: Mapping[str, Any]) -> bool:
    """Whether a regime is kept; see the module's head."""
    plant = regime.plant
    optimum = float(oracle.value(plant, regime.starts).mean())

    def costs(policy: Policy, low: float, high: float) -> bool:
        return low * optimum <= loop_regret(regime, policy, most=high * optimum) <= high * optimum

    if not costs(idle_policy(regime), *axes["idle"]):
        return False
    curved = plants.nonlinear(plant)
    if curved and not costs(regulator(regime), *axes["regulator"]):
        return False
    X, U = optimal_loop(plant, regime.starts, regime.W)
    if SPARE * np.abs(U).max() > regime.u_max:
        return False
    return not curved or costs(nearest_linear(regime, X, U), axes["linear"], np.inf)


def idle_policy(regime: Regime) -> Policy:
    """No input."""
    return lambda x: np.zeros((len(x), regime.U.shape[1]))


def regulator(regime: Regime) -> Policy:
    """The linear-quadratic regulator of the linear model that fits the transitions best."""
    return _linear(regime, -oracle.linear_gain(*regime.arguments()[:6]))


def nearest_linear(regime: Regime, X: np.ndarray, U: np.ndarray) -> Policy:
    """The linear policy that is closest to optimal inputs U (T, N, m) at the states X (T, N, n) of the optimal loop."""
    return _linear(regime, np.linalg.lstsq(X.reshape(-1, X.shape[2]), U.reshape(-1, U.shape[2]), rcond=None)[0].T)


def _linear(regime: Regime, gain: np.ndarray) -> Policy:
    return lambda x: np.clip(x @ gain.T, -regime.u_max, regime.u_max)


def baseline_policy(regime: Regime) -> Policy:
    """The regulator of the best linear model; no input where the plant is linear, and that regulator nearly optimal."""
    return regulator(regime) if plants.nonlinear(regime.plant) else idle_policy(regime)


def follow(plant: Plant, x: np.ndarray, u: np.ndarray, w: np.ndarray, f: np.ndarray | None = None) -> np.ndarray:
    """The next states of a loop, (N, n) float64, held within FAR lengths; `f` saves computing f(x) again."""
    return np.clip(plants.step(plant, x, u, w, f), -FAR * plant.length, FAR * plant.length)


def loop_regret(regime: Regime, policy: Policy, *, most: float = np.inf) -> float:
    """Regret of a policy along the regime's loops; infinite, and no longer followed, beyond `most`."""
    plant, x, total = regime.plant, regime.starts, 0.0
    for k, w in enumerate(regime.W):
        u, f = policy(x), plants.drift(plant, x)
        total += float(plant.gamma**k * oracle.loss(plant, x, u, f).mean())
        if total > most:
            return np.inf
        x = follow(plant, x, u, w, f)
    return total
