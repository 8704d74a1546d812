"""Exact reachability of a closed loop by its linear regions: simplices on which the whole trace is an affine function of x[0].

The box is cut into simplices. Step by step and layer by layer, a simplex on whose corners a neuron has both signs is cut where an edge
between the two signs meets the neuron's zero set, until no neuron changes its sign in any simplex. Before a layer everything is affine
on a simplex, so values at the new corner are interpolated, and what is known at the corners is known everywhere:

    an atom's least value on a simplex is the least at its corners; so is the least value of a formula of `and` and `always` alone
    of any formula the atoms' least values give a lower bound, and its values at the corners give an upper one

The bounds meet by cutting the simplices that are still open along their longest edges. The share of the box that violates a formula is
exact: simplices are cut along the atoms' zero sets, after which each one is violated as a whole or not at all.

This is the exact star-set reachability of H.-D. Tran et al. (FM 2019) with simplices for stars; the number of regions after
R. Pascanu et al. (ICLR 2014). Not covered: sound rounding (arithmetic is float64; the problems keep a margin), many dimensions.
"""

from __future__ import annotations

import itertools

import numpy as np

from tasks.cps.t06_ltl_verification import logic
from tasks.cps.t06_ltl_verification.loops import Loop

TINY = 1e-11


def box_simplices(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """(n!, n + 1, n) float64: Kuhn's cutting of a box into simplices."""
    n = len(low)
    steps = [np.cumsum(np.eye(n)[list(order)], axis=0) for order in itertools.permutations(range(n))]
    unit = np.stack([np.vstack([np.zeros(n), step]) for step in steps])
    return low + unit * (high - low)


def cut(corners: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Cut simplices until no function changes its sign within one.

    Args:
        corners: (N, n + 1, D) float64: what is affine on each simplex, at its corners.
        values: (N, n + 1, h) float64: the functions, affine too.

    Returns:
        Both arrays after the cutting, with as many simplices as it took.
    """
    done, open_ = [], np.concatenate([corners, values], axis=2)
    D = corners.shape[2]
    while len(open_):
        z = open_[:, :, D:]
        least, most = z.min(axis=1), z.max(axis=1)
        depth = np.minimum(-least, most)
        neuron = depth.argmax(axis=1)
        rows = np.arange(len(open_))
        ready = depth[rows, neuron] <= TINY
        done.append(open_[ready])
        open_, neuron = open_[~ready], neuron[~ready]
        open_ = _halves(open_, open_[np.arange(len(open_)), :, D + neuron])
    joined = np.concatenate(done) if done else open_
    return joined[:, :, :D], joined[:, :, D:]


def _halves(cells: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Both parts of each simplex, cut at the zero of z, (N, n + 1) float64, on the edge from its least to its greatest corner."""
    rows, below, above = np.arange(len(cells)), z.argmin(axis=1), z.argmax(axis=1)
    share = (z[rows, above] / (z[rows, above] - z[rows, below]))[:, None]
    meeting = cells[rows, above] + share * (cells[rows, below] - cells[rows, above])
    left, right = cells.copy(), cells.copy()
    left[rows, below], right[rows, above] = meeting, meeting
    return np.concatenate([left, right])


class TooMany(ValueError):
    """More simplices, or more rounds, than were allowed."""


def linear_regions(loop: Loop, T: int, most: int = 1_000_000) -> np.ndarray:
    """(N, n + 1, T + 1, n) float64: the traces at the corners of simplices on which they are affine in x[0].

    Raises:
        TooMany: there are more than `most` of them.
    """
    n = len(loop.A)
    cells = box_simplices(loop.low, loop.high)
    for _ in range(T):
        x = cells[:, :, -n:]
        z = x
        for W, b in loop.layers[:-1]:
            cells, z = cut(cells, z @ W.T + b)
            if len(cells) > most:
                raise TooMany(f"{len(cells)} simplices")
            z = np.maximum(z, 0.0) * (z.sum(axis=1, keepdims=True) > 0)
        W, b = loop.layers[-1]
        following = cells[:, :, -n:] @ loop.A.T + (z @ W.T + b) @ loop.B.T + loop.c
        cells = np.concatenate([cells, following], axis=2)
    return cells.reshape(len(cells), n + 1, T + 1, n)


def lower_bounds(formula: logic.Formula, cells: np.ndarray) -> np.ndarray:
    """(N,) float64: lower bounds of the robustness on each simplex of (N, n + 1, T + 1, n) traces."""
    return logic.evaluate(formula, lambda h, d: (d - cells @ h).min(axis=1))[:, 0]


def minimum(
    formula: logic.Formula, cells: np.ndarray, gap: float, rounds: int = 60, most: int = 60_000
) -> tuple[float, float, np.ndarray]:
    """The least robustness over the box.

    Args:
        formula: over the traces.
        cells: (N, n + 1, T + 1, n) float64, of `linear_regions`.
        gap: how far apart the two bounds may stay.
        rounds: cuttings at most.
        most: simplices at most that are open at a time.

    Returns:
        A lower bound, an upper bound, and the (n,) float64 initial state that reaches the upper one.

    Raises:
        TooMany: the bounds didn't meet.
    """
    best, where = np.inf, cells[0, 0, 0]
    floor = np.inf
    for _ in range(rounds):
        values = logic.robustness(formula, cells.reshape(-1, *cells.shape[2:]))
        if values.min() < best:
            best, where = float(values.min()), cells.reshape(-1, *cells.shape[2:])[values.argmin(), 0]
        bounds = lower_bounds(formula, cells)
        keep = bounds < best - gap
        floor = min(floor, float(bounds[~keep].min(initial=np.inf)))
        cells = cells[keep]
        if not len(cells):
            return min(floor, best), best, where
        if len(cells) > most:
            break
        cells = _bisected(cells)
    raise TooMany(f"the bounds of the least robustness didn't meet within {rounds} cuttings and {most} simplices")


def _bisected(cells: np.ndarray) -> np.ndarray:
    x0 = cells[:, :, 0]
    edges = np.linalg.norm(x0[:, :, None] - x0[:, None], axis=3).reshape(len(cells), -1)
    i, j = np.divmod(edges.argmax(axis=1), x0.shape[1])
    rows = np.arange(len(cells))
    middle = (cells[rows, i] + cells[rows, j]) / 2
    left, right = cells.copy(), cells.copy()
    left[rows, i], right[rows, j] = middle, middle
    return np.concatenate([left, right])


def violating_share(formula: logic.Formula, cells: np.ndarray, whole: float | None = None) -> float:
    """The exact share of the box whose traces violate the formula, 0 .. 1; `whole` is the box's volume where cells are only a part."""
    whole = volumes(cells).sum() if whole is None else whole
    cells = cells[lower_bounds(formula, cells) < 0]
    if not len(cells):
        return 0.0
    values = np.concatenate([d - cells @ np.asarray(h) for _, h, d in logic.atoms(formula)], axis=2)
    flat, _ = cut(cells.reshape(*cells.shape[:2], -1), values)
    cells = flat.reshape(len(flat), *cells.shape[1:])
    violated = logic.robustness(formula, cells.mean(axis=1)) < 0
    return float(volumes(cells[violated]).sum() / whole)


def volumes(cells: np.ndarray) -> np.ndarray:
    """(N,) float64: n! times the volume of each simplex of initial states."""
    x0 = cells[:, :, 0]
    return np.abs(np.linalg.det(x0[:, 1:] - x0[:, :1]))
