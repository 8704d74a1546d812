"""Hidden regimes: a drawn problem with starts of three kinds, kept where every one of them asks for what its kind is there for.

Starts lie on rays from the origin, x0 = s d. On a ray, s_free is where the first bound of the unconstrained optimum is met (it is linear in
s), and s_far where the least stretch of the state bounds reaches 1. Least stretch is convex in s and 0 at s = 0, so it is at most
s / s_far before s_far and at least that after it: the shares below *are* the margins of feasibility.

    slack       s = share * s_free, with `slack` of the level: no bound is met at the optimum
    binding     between s_free and s_far, at most `near` * s_far: some bound is met, and clipped LQR gains break a state bound or cost 5%
                more than the optimum; without state bounds up to `beyond` * s_free
    infeasible  s = share * s_far, with `far` of the level: the state bounds must be stretched

A regime is kept where each simplification that its entry `notices` answers wrongly by a margin: see `told_apart`. Otherwise the next one is
drawn from the same generator.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tasks.cps import arrays
from tasks.cps.t03_model_predictive_control import oracle, plants, problems
from tasks.cps.t03_model_predictive_control.problems import Condensed, Mpc

TRIES = 400
RAYS = 40
FARTHEST = 30.0  # as a multiple of s_free: rays that are feasible beyond it aren't used, nor those that are so for ever


@dataclass(frozen=True)
class Regime:
    """A problem, M starts, and the optimum of each."""

    mpc: Mpc
    x0: np.ndarray
    """(M, n) float64: starts"""
    U: np.ndarray
    """(M, N, m) float64: optimal inputs; of an infeasible start those of the least stretch"""
    feasible: np.ndarray
    """(M,) bool"""
    value: np.ndarray
    """(M,) float64: J* of a feasible start, the least stretch of an infeasible one"""
    binding: np.ndarray
    """(M,) bool: clipped LQR gains have no skill there: the starts that the score counts"""


def write(folder: Path, regime: Regime) -> None:
    """Lay a regime down as .npy files, whose bytes depend on nothing but the arrays."""
    parts = {name: np.asarray(getattr(regime.mpc, name)) for name in problems.NAMES}
    arrays.write(folder, {**parts, **{name: getattr(regime, name) for name in ("x0", "U", "feasible", "value", "binding")}})


def read(folder: Path) -> Regime:
    """The regime that `write` laid down."""
    parts = arrays.read(folder)
    mpc = Mpc(**{name: int(parts.pop(name)) if name == "N" else parts.pop(name) for name in problems.NAMES})
    return Regime(mpc=mpc, **parts)


def draw(rng: np.random.Generator, kind: Mapping[str, Any], axes: Mapping[str, Any]) -> Regime:
    """Draw regimes of a kind until one has all its starts and tells the simplifications apart.

    Args:
        rng: the instance's generator; moved on.
        kind: an entry of `regimes` in task.yaml; see `plants.draw`, and `notices`.
        axes: the level's other axes: starts, slack, near, far, beyond, least_loss.

    Raises:
        ValueError: none of TRIES draws was kept; the level's axes contradict one another.
    """
    for _ in range(TRIES):
        mpc = plants.draw(rng, kind)
        regime = _with_starts(rng, mpc, axes)
        if regime is not None and all(told_apart(regime, name) for name in kind.get("notices", ())):
            return regime
    raise ValueError(f"no regime of {dict(kind)} has all its starts")


def _with_starts(rng: np.random.Generator, mpc: Mpc, axes: Mapping[str, Any]) -> Regime | None:
    """The regime of a problem with its starts, or None where too few rays have them."""
    condensed = problems.condense(mpc)
    slack, binding, infeasible = (int(count) for count in axes["starts"])
    rays = rng.normal(size=(RAYS, len(mpc.A))) * _x_size(mpc)
    free = s_free(mpc, condensed, rays)
    if bounded(mpc):
        far = oracle.farthest(mpc, condensed, rays, at_most=2 * FARTHEST * free.max())
    else:
        far, binding, infeasible = axes["beyond"] / axes["near"] * free, binding + infeasible, 0
    good = (axes["near"] * far > 1.2 * free) & (far < FARTHEST * free)
    rays, free, far = rays[good], free[good, None], far[good, None]
    if len(rays) < max(slack, binding, infeasible):
        return None
    share = rng.uniform(size=(3, len(rays), 1))
    bound = rays * _between(share[1], np.maximum(1.1 * free, 0.5 * axes["near"] * far), axes["near"] * far)
    bound = bound[_without_skill(mpc, condensed, bound, axes["least_loss"])]
    if len(bound) < binding:
        return None
    free_ones = rays * free * _between(share[0], *axes["slack"])
    too_far = (rays * far * _between(share[2], *axes["far"]))[::-1]
    return _solved(rng, mpc, (free_ones[:slack], bound[:binding], too_far[:infeasible]))


def _solved(rng: np.random.Generator, mpc: Mpc, starts: tuple[np.ndarray, ...]) -> Regime:
    """The regime with its starts in a drawn order."""
    order = rng.permutation(sum(len(part) for part in starts))
    x0 = np.concatenate(starts)[order]
    binding = np.repeat([False, True, True], [len(part) for part in starts])[order]
    solution = oracle.solve(mpc, x0)
    return Regime(mpc=mpc, x0=x0, U=solution.U, feasible=solution.feasible, value=solution.value, binding=binding)


def bounded(mpc: Mpc) -> bool:
    """Whether any state has a bound."""
    return bool(np.isfinite([mpc.x_min, mpc.x_max]).any())


def s_free(mpc: Mpc, condensed: Condensed, rays: np.ndarray) -> np.ndarray:
    """(M,) float64: the s at which the unconstrained optimum from s * ray meets its first bound; rays is (M, n)."""
    U = unconstrained(condensed, rays).reshape(len(rays), mpc.N, -1)
    X = problems.rollout(mpc, rays, U)
    return 1.0 / np.maximum(problems.input_stretch(mpc, U), problems.state_stretch(mpc, X))


def unconstrained(condensed: Condensed, x0: np.ndarray) -> np.ndarray:
    """(M, N m) float64: the optimum without bounds."""
    return -np.linalg.solve(condensed.H, condensed.F @ x0.T).T


def told_apart(regime: Regime, name: str) -> bool:
    """Whether a simplification answers some start wrongly, far beyond every tolerance of the judge.

    "state bounds", "input bounds": without them the optimum breaks them by 2%. "Qf", "Q", "R", "horizon": with Qf = Q, with Q or R
    diagonal, or with a step less, the unconstrained optimum costs 0.1% more than the true one. "box": a feasible start lies outside the state
    bounds by 2%, so that its own place says nothing. "stretch": from an infeasible start the clipped LQR gains, and no input at all,
    stretch the state bounds by 2% more than is needed.
    """
    mpc, x0 = regime.mpc, regime.x0[regime.feasible]
    if name == "state bounds":
        free = mpc.changed(x_min=np.full_like(mpc.x_min, -np.inf), x_max=np.full_like(mpc.x_max, np.inf))
        U, *_ = oracle.optimum(free, problems.condense(mpc), x0)
        return bool(problems.state_stretch(mpc, problems.rollout(mpc, x0, U)).max() > 1.02)
    if name == "input bounds":
        free = mpc.changed(u_min=np.full_like(mpc.u_min, -np.inf), u_max=np.full_like(mpc.u_max, np.inf))
        return bool(problems.input_stretch(mpc, oracle.optimum(free, problems.condense(mpc), x0)[0]).max() > 1.02)
    if name == "box":
        return bool(problems.state_stretch(mpc, np.repeat(x0[:, None], 2, axis=1)).max() > 1.02)
    if name == "stretch":
        return _wasted(regime) > 1.02
    return _excess(regime, name) > 1e-3


def _wasted(regime: Regime) -> float:
    """By which factor the lazy answers to the infeasible starts stretch too much: the best of them at its worst start."""
    mpc, x0, least = regime.mpc, regime.x0[~regime.feasible], regime.value[~regime.feasible]
    lazy = oracle.clipped_lqr(mpc, x0)[0], np.zeros((len(x0), *regime.U.shape[1:]))
    return float(min((problems.state_stretch(mpc, problems.rollout(mpc, x0, U)) / least).max(initial=0.0) for U in lazy))


def _excess(regime: Regime, name: str) -> float:
    """The largest cost that a simplified problem's optimum has too much where no bound matters, as a share of the optimum."""
    mpc = regime.mpc
    simple = {
        "Qf": {"Qf": mpc.Q},
        "Q": {"Q": np.diag(np.diag(mpc.Q))},
        "R": {"R": np.diag(np.diag(mpc.R))},
        "horizon": {"N": mpc.N - 1},
    }[name]
    chosen = regime.feasible & ~regime.binding
    x0, value = regime.x0[chosen], regime.value[chosen]
    U = unconstrained(problems.condense(mpc.changed(**simple)), x0).reshape(len(x0), -1, mpc.B.shape[1])
    U = np.pad(U, ((0, 0), (0, mpc.N - U.shape[1]), (0, 0)))
    return float((problems.cost(mpc, problems.rollout(mpc, x0, U), U) / value - 1.0).max())


def _without_skill(mpc: Mpc, condensed: Condensed, x0: np.ndarray, least_loss: float) -> np.ndarray:
    """(M,) bool: where the clipped LQR gains break a state bound by 1% or lose a share of the cost."""
    U, _ = oracle.clipped_lqr(mpc, x0)
    X = problems.rollout(mpc, x0, U)
    best = oracle.optimum(mpc, condensed, x0)[1]
    return (problems.state_stretch(mpc, X) > 1.01) | (problems.cost(mpc, X, U) > (1.0 + least_loss) * best)


def _x_size(mpc: Mpc) -> np.ndarray:
    """(n,) float64: a size of each state: its nearer bound, or without one what bounded inputs reach in three steps."""
    nearest = np.minimum(mpc.x_max, -mpc.x_min)
    u_size = np.minimum(mpc.u_max, -mpc.u_min)
    reached = plants.reach(mpc.A, mpc.B * np.where(np.isfinite(u_size), u_size, 1.0), 3)
    return np.where(np.isfinite(nearest), nearest, reached)


def _between(share: np.ndarray, low: np.ndarray | float, high: np.ndarray | float) -> np.ndarray:
    return low + share * (high - low)
