"""Draws hybrid automata that can be identified, and their data.

    free    each mode has parameters of its own
    near    slopes almost those of the first mode, the biases part them: nearly parallel hyperplanes
    hinge   two modes that meet on the guard: Theta_1 = Theta_0 + v [h; c]', zero on h'y + c = 0: a continuous map, whose samples
            near the guard fit both modes

sigma is set so that the means of two modes are `separation` sigma apart (root mean square over the data of a mode, the nearest pair).
A drawn regime is kept only where every mode has its stated share of the steps, in the data and (at least 0.3 of it) in the fresh data,
where the separation is as stated within a quarter and no two modes are too far apart, where the outputs stay bounded, where few fresh
steps fit both modes of a hinge, and where the true automaton's segmentation is nearly right. Otherwise the next is drawn from the same
generator.

Inputs: white noise about a level of each trajectory. Fresh data: other starts, further out, under sinusoids with steps on top.

Not covered: automata of which a mode can't be told from another by any data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from tasks.cps.t07_hybrid_automaton import oracle
from tasks.cps.t07_hybrid_automaton.automata import Automaton, Regime, blur, separations, shares, simulate

TRIES = 400
LARGEST = 15.0
"""bound of |y|, in the unit of y; inputs are of size 1"""
NEAREST, SLACK, FARTHEST = 0.75, 1.33, 2.5
"""bounds of the distance between two modes' means, as multiples of the stated separation: of the nearest pair, and of the farthest"""
LEAST_ACCURACY = 0.97
"""of the oracle: share of steps whose mode it finds"""
Kind = Mapping[str, Any]


def draw(rng: np.random.Generator, kind: Kind, axes: Kind) -> Regime:
    """Draw regimes of a kind until one can be identified.

    Args:
        rng: the instance's generator; moved on.
        kind: an entry of `regimes` in task.yaml: K, p, m, na, nb, separation, shares, and form, apart, rare, dwell, leave.
        axes: the level's other axes: N, T, fresh, radius.

    Raises:
        ValueError: none of TRIES draws was kept; the level's axes contradict one another.
    """
    for _ in range(TRIES):
        law = _placed(rng, kind, axes)
        if law is not None and _identifiable(regime := _data(rng, law, axes), kind):
            return regime
    raise ValueError(f"no automaton of {dict(kind)} can be identified")


def shifted(rng: np.random.Generator, regime: Regime, kind: Kind, axes: Kind) -> Regime:
    """New data of a regime's two-mode automaton with its guard moved along the normal, where both modes still occur.

    Raises:
        ValueError: none of TRIES shifts was kept.
    """
    law, y = regime.automaton, regime.Y.reshape(-1, regime.automaton.p)
    spread = float((y @ (law.guards[0, :-1] - law.guards[1, :-1])).std())
    for _ in range(TRIES):
        move = spread * rng.uniform(*axes["shift"]) * rng.choice([-1.0, 1.0])
        guards = law.guards + np.outer([0.5, -0.5], [0.0] * law.p + [move])
        other = _data(rng, replace(law, guards=guards), axes)
        if _identifiable(other, kind):
            return other
    raise ValueError("no shifted guard can be identified")


def _placed(rng: np.random.Generator, kind: Kind, axes: Kind) -> Automaton | None:
    """An automaton with guards through its own outputs and with the noise of its separation; None where it runs off."""
    law, bend = _law(rng, kind, axes), rng.uniform(0.5, 1.3, size=int(kind["p"])) * rng.choice([-1.0, 1.0], size=int(kind["p"]))
    normal, levels, cloud = _normal(rng, law), _levels(rng, kind), rng.normal(size=(400, law.p))
    for _ in range(1 if law.dwell else 3):
        if not law.dwell:
            law = replace(law, guards=_guards(normal, levels, cloud))
        if kind.get("form") == "hinge":
            law = replace(law, params=_bent(law, bend))
        U = _inputs(rng, 24, 40, int(kind["m"]))
        Y, modes = simulate(rng, law, U, rng.normal(size=(24, law.lag, law.p)))
        cloud, apart = Y[:, 8:].reshape(-1, law.p), separations(law, Y, U, modes)[0]
        if apart < 0.1 or np.abs(Y).max() > LARGEST:
            return None
        law = replace(law, noise=np.array([apart / kind["separation"], law.noise[1]]))
    return law


def _law(rng: np.random.Generator, kind: Kind, axes: Kind) -> Automaton:
    K, p, m, na, nb = (int(kind[name]) for name in ("K", "p", "m", "na", "nb"))
    params = np.stack([_theta(rng, (p, m, na, nb), axes["radius"]) for _ in range(K)])
    if kind.get("form") == "near":
        slopes = params[0, :, :-1] * (1.0 + kind["apart"] * rng.uniform(-1.0, 1.0, size=params[:, :, :-1].shape))
        params = np.concatenate([slopes, params[:, :, -1:]], axis=2)
    orders = np.array([na, nb, int(kind.get("dwell", 0))])
    return Automaton(params, np.zeros((K, p + 1)), orders, np.array([0.1, float(kind.get("leave", 0.0))]))


def _theta(rng: np.random.Generator, sizes: tuple[int, ...], radius: tuple[float, float]) -> np.ndarray:
    """(p, na p + nb m + 1) float64: a stable mode, whose companion matrix has a drawn spectral radius."""
    p, m, na, nb = sizes
    lags = rng.normal(size=(p, na * p)) / np.repeat(np.arange(1, na + 1), p)
    companion = np.vstack([lags, np.eye((na - 1) * p, na * p)])
    ratio = rng.uniform(*radius) / np.abs(np.linalg.eigvals(companion)).max()
    lags = lags * np.repeat(ratio ** np.arange(1, na + 1), p)
    inputs = rng.uniform(0.4, 1.2, size=(p, nb * m)) * rng.choice([-1.0, 1.0], size=(p, nb * m))
    return np.hstack([lags, inputs, rng.uniform(-1.2, 1.2, size=(p, 1))])


def _normal(rng: np.random.Generator, law: Automaton) -> np.ndarray:
    """(K, p) float64: directions of the regions: two opposite ones, three in a plane, or three on a line in random order."""
    if law.K == 2:
        h = rng.normal(size=law.p)
        return np.outer([1.0, -1.0], h / np.linalg.norm(h))
    if law.p == 1:
        return rng.permutation([-1.0, 0.0, 1.0])[:, None]
    angles = rng.uniform(0.0, 2 * np.pi) + 2 * np.pi * np.arange(3) / 3 + rng.uniform(-0.3, 0.3, size=3)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def _levels(rng: np.random.Generator, kind: Kind) -> tuple[float, float]:
    """Shares of the outputs below the lower and above the upper guard; of two modes the first counts: the share of mode 1."""
    if kind.get("rare"):
        return 1.0 - float(kind["rare"]), 0.0
    low, high = rng.uniform(0.27, 0.38, size=2) if kind["K"] == 3 else rng.uniform(0.38, 0.62, size=2)
    return float(low), float(high)


def _guards(normal: np.ndarray, levels: tuple[float, float], cloud: np.ndarray) -> np.ndarray:
    """(K, p + 1) float64: guards along the normals that cut the cloud (n, p) of outputs at the levels."""
    K, p = normal.shape
    if K == 2:
        return np.hstack([normal, -normal @ normal[0][:, None] * np.quantile(cloud @ normal[0], levels[0])]) / 2
    if p == 1:
        lower, upper = np.quantile(cloud[:, 0], [levels[0], 1 - levels[1]])
        bias = np.where(normal < 0, lower, np.where(normal > 0, -upper, 0.0))
        return np.hstack([normal, bias])
    return np.hstack([normal, -normal @ np.median(cloud, axis=0)[:, None]])


def _bent(law: Automaton, bend: np.ndarray) -> np.ndarray:
    """(2, p, d) float64: the first mode's parameters, and those that differ by bend times the guard's function."""
    h = law.guards[0] - law.guards[1]
    other = law.params[0].copy()
    other[:, : law.p] += np.outer(bend, h[:-1])
    other[:, -1] += bend * h[-1]
    return np.stack([law.params[0], other])


def _inputs(rng: np.random.Generator, N: int, T: int, m: int) -> np.ndarray:
    """(N, T, m) float64: white noise about a level of each trajectory."""
    return 0.8 * rng.normal(size=(N, T, m)) + 0.6 * rng.normal(size=(N, 1, m))


def _other_inputs(rng: np.random.Generator, N: int, T: int, m: int) -> np.ndarray:
    """(N, T, m) float64: sinusoids of 0.03 to 0.2 cycles a step, with steps of 10 on top."""
    turns = rng.uniform(0.03, 0.2, size=(N, 1, m)) * np.arange(T)[:, None] + rng.uniform(size=(N, 1, m))
    steps = np.repeat(rng.uniform(-1.0, 1.0, size=(N, -(-T // 10), m)), 10, axis=1)[:, :T]
    return rng.uniform(0.6, 1.4, size=(N, 1, m)) * np.sin(2 * np.pi * turns) + steps


def _data(rng: np.random.Generator, law: Automaton, axes: Kind) -> Regime:
    m = (law.params.shape[2] - 1 - law.na * law.p) // law.nb
    N, T = int(axes["N"]), int(axes["T"])
    M, H = axes["fresh"]
    U, other = _inputs(rng, N, T, m), _other_inputs(rng, M, H, m)
    Y, modes = simulate(rng, law, U, rng.normal(size=(N, law.lag, law.p)))
    fresh, fresh_modes = simulate(rng, law, other, 1.8 * rng.normal(size=(M, law.lag, law.p)))
    return Regime(law, Y, U, modes, fresh, other, fresh_modes)


def _identifiable(regime: Regime, kind: Kind) -> bool:
    law, bounds = regime.automaton, kind["shares"]
    occur, fresh_occur = shares(regime.modes[:, law.lag :], law.K), shares(regime.fresh_modes, law.K)
    if max(np.abs(regime.Y).max(), np.abs(regime.fresh_Y).max()) > LARGEST:
        return False
    if not bounds[0] <= occur.min() <= bounds[1] or fresh_occur.min() < 0.3 * bounds[0]:
        return False
    if blur(law, regime.fresh_Y, regime.fresh_U, regime.fresh_modes) > kind.get("blur", 1.0):
        return False
    nearest, farthest = (apart / law.sigma / kind["separation"] for apart in separations(law, regime.Y, regime.U, regime.modes))
    if not NEAREST <= nearest <= SLACK or farthest > FARTHEST:
        return False
    found = oracle.segment(law, regime.Y, regime.U)
    return bool(np.mean(found == regime.modes[:, law.lag :]) >= LEAST_ACCURACY)
