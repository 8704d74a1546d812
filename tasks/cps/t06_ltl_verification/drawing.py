"""Draws of cases whose truth is known. Judge side only.

Two closed loops a regime, each asked about twice with offsets that differ (adding t to every offset adds t to the robustness):

    needle, twin   a bump in the controller takes the least robustness a drawn depth below what the rest of the box has; the offsets put
                   that least value a little below 0 (needle) and a little above (twin). Samples meet the bump next to never, and
                   look alike in both
    open, wide     the bump does no harm; the offsets let a drawn share of the box violate (open), or nothing, with a drawn margin (wide)

What a sampler sees of a case that it finds no violation in is the depth (needle, twin) or the margin (wide). `depths` and `margins`
of task.yaml interleave, so that no range of what was seen holds the safe cases of every regime and no needle.

A needle is kept only if it violates by the formula as it is read rightly and not as a careless reader does (plants.formula), so that
the careless reader calls an unsafe case safe. The least robustness is exact (regions.py); no case is nearer to 0 than `margin`.

Not covered: needles that a search over the controller's kinks can't find; see README.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tasks.cps.t06_ltl_verification import logic, loops, plants, regions
from tasks.cps.t06_ltl_verification.cases import Case
from tasks.cps.t06_ltl_verification.logic import Formula
from tasks.cps.t06_ltl_verification.loops import Bump, Layers, Loop

TRIES = 400
SAMPLES = 300
SEEN = 3000
HEIGHTS = 60
FAR = 1e3
NEAR, LONELY = 0.02, 0.015


@dataclass(frozen=True)
class Sketch:
    """A loop without a bump, and its formula before the offsets are moved."""

    loop: Loop
    gain: np.ndarray
    """(m, n) float64: the controller's gain"""
    shape: Mapping[str, Any]
    """what `loops.network` takes"""
    parts: int
    """seed of the network's random parts, so that a bump can be added to the same ones"""
    formula: Formula
    careless: Formula
    X: np.ndarray
    """(SEEN, T + 1, n) float64: sampled traces"""
    spread: float
    """standard deviation of the robustness over them"""

    def network(self, bump: Bump) -> Layers:
        """The controller with a bump."""
        return loops.network(np.random.default_rng(self.parts), self.gain, dict(self.shape), [bump])


class _Unfit(Exception):
    """A draw that can't be used; the next one is tried."""


def regime(rng: np.random.Generator, kind: Mapping[str, Any], axes: Mapping[str, Any], depth: float, margin: float) -> list[Case]:
    """The four cases of a regime.

    Args:
        rng: moved on.
        kind: of task.yaml: n, m, T, depth, formulas, width.
        axes: of the level.
        depth: of the needle, as a share of the robustness's spread.
        margin: of the wide case, likewise.
    """
    return [*_first(_needle_and_twin, rng, kind, axes, depth), *_first(_open_and_wide, rng, kind, axes, margin)]


def _first(draw, rng, kind, axes, share):  # type: ignore[no-untyped-def]
    for _ in range(TRIES):
        try:
            return draw(rng, kind, axes, share)
        except (_Unfit, regions.TooMany):
            continue
    raise ValueError(f"{draw.__name__} with {dict(kind)} found nothing in {TRIES} tries")


def sketch(rng: np.random.Generator, kind: Mapping[str, Any], axes: Mapping[str, Any]) -> Sketch:
    """A loop and a formula that vary over the box."""
    n, m, T = kind["n"], kind["m"], int(rng.integers(kind["T"][0], kind["T"][1] + 1))
    A, B, c = plants.plant(rng, n, m, axes)
    K = plants.gain(A, B, float(rng.uniform(*axes["input_weight"])))
    low, high = plants.box(rng, n, kind["width"])
    shape = {name: kind.get(name, axes.get(name)) for name in ("features", "feature_gain", "u_max", "depth")}
    parts = int(rng.integers(1 << 32))
    absent = Bump(p=np.full(n, FAR), axes=np.eye(n), w=axes["bump"], beta=np.zeros(m))
    layers = loops.network(np.random.default_rng(parts), K, shape, [absent])
    loop = Loop(A=A, B=B, c=c, layers=layers, low=low, high=high)
    X = loops.simulate(loop, loops.box_points(rng, low, high, SAMPLES), T)
    formula, careless = plants.formula(rng, kind["formulas"][int(rng.integers(len(kind["formulas"])))], X)
    spread = float(logic.robustness(formula, X).std())
    if spread < axes["least_spread"]:
        raise _Unfit
    X = loops.simulate(loop, loops.box_points(rng, low, high, SEEN), T)
    return Sketch(loop, K, shape, parts, formula, careless, X, spread)


def _needle_and_twin(rng: np.random.Generator, kind: Mapping[str, Any], axes: Mapping[str, Any], depth: float) -> list[Case]:
    found = sketch(rng, kind, axes)
    T = found.X.shape[1] - 1
    wanted = float(logic.robustness(found.formula, found.X).min()) - max(depth * found.spread, 3 * axes["margin"])
    bump = _needle(rng, found, axes, wanted)
    loop = replace(found.loop, layers=found.network(bump))
    cells = _cells(loop, T, bump, axes)
    _, value, worst = regions.minimum(found.formula, cells, axes["gap"])
    if abs(value - wanted) > 0.2 * depth * found.spread + axes["margin"]:
        raise _Unfit
    low, high = (axes["margin"] * rng.uniform(1.2, 2.4, size=2)).tolist()
    needle = logic.shifted(found.formula, -low - value)
    careless = logic.shifted(found.careless, -low - value)
    suspects = cells[regions.lower_bounds(needle, cells) < axes["margin"]]
    if regions.minimum(careless, suspects, axes["gap"])[0] < axes["margin"]:
        raise _Unfit
    if regions.violating_share(needle, suspects, regions.volumes(cells).sum()) > axes["needle_share"]:
        raise _Unfit
    twin = logic.shifted(found.formula, high - value)
    _tractable(twin, cells, high, axes)
    return [
        Case(loop, needle, T, "needle", 0, least=-low, worst=worst),
        Case(loop, twin, T, "twin", 0, least=high, worst=worst),
    ]


def _cells(loop: Loop, T: int, bump: Bump, axes: Mapping[str, Any]) -> np.ndarray:
    """The loop's linear regions, if next to none of the box ever meets the bump."""
    cells = regions.linear_regions(loop, T, axes["most_cells"])
    away = np.abs((cells[:, :, :T] - bump.p) @ bump.axes.T).sum(axis=3)
    volumes = regions.volumes(cells)
    if volumes[(away < 0.999 * bump.w).any(axis=(1, 2))].sum() > axes["bump_share"] * volumes.sum():
        raise _Unfit
    return cells


def _tractable(formula: Formula, cells: np.ndarray, least: float, axes: Mapping[str, Any]) -> None:
    """Refuse a safe case of which a good part of the box comes near to the least robustness: branch and bound would cut all of it."""
    volumes = regions.volumes(cells)
    near = regions.lower_bounds(formula, cells) < least + axes["margin"]
    if volumes[near].sum() > axes["near_share"] * volumes.sum():
        raise _Unfit


def _lonely(found: Sketch, p: np.ndarray) -> bool:
    """Whether few sampled traces pass anywhere near p: a plant that contracts may lead a long strip of the box there."""
    T = found.X.shape[1] - 1
    near = np.abs(found.X[:, :T] - p).max(axis=2) < NEAR
    return bool(near.any(axis=1).mean() < LONELY)


def _needle(rng: np.random.Generator, found: Sketch, axes: Mapping[str, Any], wanted: float) -> Bump:
    """A bump on the way of some trace that takes its robustness to `wanted`, and by a careless reading leaves it higher."""
    T, (m, n) = found.X.shape[1] - 1, found.gain.shape
    inside = np.all(
        np.abs(found.X[:, 0] - (found.loop.low + found.loop.high) / 2) < 0.4 * (found.loop.high - found.loop.low), axis=1
    )
    for x0 in rng.permutation(found.X[inside, 0])[:12]:
        k = int(rng.integers(0, min(T - 1, 4)))
        direction = rng.normal(size=m)
        direction /= np.linalg.norm(direction)
        heights = np.linspace(-1.0, 1.0, HEIGHTS) * axes["kick"]
        X = _kicked(found.loop, x0, k, heights[:, None] * direction, T)
        r, lenient = logic.robustness(found.formula, X), logic.robustness(found.careless, X)
        at = int(np.argmin(np.abs(r - wanted)))
        if not _lonely(found, X[at, k]):
            continue
        if abs(r[at] - wanted) < 0.1 * found.spread and lenient[at] > r[at] + 0.1 * found.spread:
            beta = _refined(found, x0, k, direction, heights[at], wanted)
            turn = np.linalg.qr(rng.normal(size=(n, n)))[0]
            return Bump(p=X[at, k], axes=turn, w=axes["bump"], beta=beta * direction)
    raise _Unfit


def _kicked(loop: Loop, x0: np.ndarray, k: int, kicks: np.ndarray, T: int) -> np.ndarray:
    """(N, T + 1, n) float64: traces from x0, each with a kick of its own, (N, m) float64, added to the input at step k."""
    before = loops.simulate(loop, x0[None], k)
    x = before[:, k]
    first = x @ loop.A.T + (loops.control(loop.layers, x) + kicks) @ loop.B.T + loop.c
    after = loops.simulate(loop, first, T - k - 1)
    return np.concatenate([np.repeat(before, len(kicks), axis=0), after], axis=1)


def _refined(found: Sketch, x0: np.ndarray, k: int, direction: np.ndarray, height: float, wanted: float) -> float:
    """The height near a first guess whose robustness is nearest to the wanted one."""
    T, step = found.X.shape[1] - 1, 2.0 / (HEIGHTS - 1)
    for _ in range(3):
        heights = height + np.linspace(-step, step, 41)
        r = logic.robustness(found.formula, _kicked(found.loop, x0, k, heights[:, None] * direction, T))
        height, step = float(heights[np.argmin(np.abs(r - wanted))]), step / 15
    return height


def _open_and_wide(rng: np.random.Generator, kind: Mapping[str, Any], axes: Mapping[str, Any], margin: float) -> list[Case]:
    found = sketch(rng, kind, axes)
    T, (m, n) = found.X.shape[1] - 1, found.gain.shape
    start, k = int(rng.integers(SEEN)), int(rng.integers(0, min(T - 1, 4)))
    beta = rng.uniform(-0.5, 0.5, size=m) * axes["kick"]
    bump = Bump(p=found.X[start, k], axes=np.linalg.qr(rng.normal(size=(n, n)))[0], w=axes["bump"], beta=beta)
    if not _lonely(found, bump.p):
        raise _Unfit
    loop = replace(found.loop, layers=found.network(bump))
    cells = _cells(loop, T, bump, axes)
    _, value, worst = regions.minimum(found.formula, cells, axes["gap"])
    r = logic.robustness(found.formula, found.X)
    gap = float(r.min()) - value
    if gap > margin * found.spread:  # the bump turned into a needle
        raise _Unfit
    below = -float(np.quantile(r, rng.uniform(*axes["open_share"])))
    above = max(margin * found.spread - gap, 1.2 * axes["margin"]) - value
    _tractable(logic.shifted(found.formula, above), cells, value + above, axes)
    return [
        Case(loop, logic.shifted(found.formula, shift), T, kind_, 1, least=value + shift, worst=worst)
        for kind_, shift in (("open", below), ("wide", above))
    ]
