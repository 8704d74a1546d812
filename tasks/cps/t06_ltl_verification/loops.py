"""Closed loops of an affine plant and a ReLU network: simulation, changes of coordinates, and networks that hide a needle.

    x[k+1] = A x[k] + B u[k] + c,   u = W_L z_{L-1} + b_L,   z_i = max(W_i z_{i-1} + b_i, 0),   z_0 = x[k]

A drawn network is the sum of three parts, written into the same layers, its hidden neurons then shuffled and scaled (max(s z, 0) = s max(z, 0)
for s > 0), so that no part stands in a place of its own:

    saturated gain   clip(-K x, -u_max, u_max) = relu(u_max - K x) - relu(-u_max - K x) - u_max
    features         two random layers with small output weights
    bumps            beta relu(1 - sum_i |a_i'(x - p)| / w): a pyramid of height beta over a small cell around p, and 0 elsewhere

Not covered: biases on no layer, other activations, convolution, noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

Layers: TypeAlias = list[tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Loop:
    """A plant, its controller and the box of initial states."""

    A: np.ndarray
    """(n, n) float64: transition"""
    B: np.ndarray
    """(n, m) float64: input"""
    c: np.ndarray
    """(n,) float64: offset"""
    layers: Layers
    """(W, b) of each layer: (out, in) and (out,) float64; ReLU after all but the last"""
    low: np.ndarray
    """(n,) float64: lower corner of the initial box"""
    high: np.ndarray
    """(n,) float64: upper corner"""


@dataclass(frozen=True)
class Bump:
    """A pyramid in the controller."""

    p: np.ndarray
    """(n,) float64: its apex"""
    axes: np.ndarray
    """(n, n) float64: rows a_i of unit length"""
    w: float
    """half-width along each a_i, in the state's unit"""
    beta: np.ndarray
    """(m,) float64: height in each input"""


def control(layers: Layers, x: np.ndarray) -> np.ndarray:
    """(..., m) float64: the network's output at states x, (..., n) float64."""
    for W, b in layers[:-1]:
        x = np.maximum(x @ W.T + b, 0.0)
    W, b = layers[-1]
    return x @ W.T + b


def simulate(loop: Loop, x0: np.ndarray, T: int) -> np.ndarray:
    """(N, T + 1, n) float64: traces from initial states x0, (N, n) float64."""
    X = [x0]
    for _ in range(T):
        X.append(X[-1] @ loop.A.T + control(loop.layers, X[-1]) @ loop.B.T + loop.c)
    return np.stack(X, axis=1)


def box_points(rng: np.random.Generator, low: np.ndarray, high: np.ndarray, N: int) -> np.ndarray:
    """(N, n) float64: uniform draws from a box."""
    return low + (high - low) * rng.random((N, len(low)))


def network(rng: np.random.Generator, K: np.ndarray, shape: dict[str, Any], bumps: Sequence[Bump] = ()) -> Layers:
    """A controller that is the sum of the three parts of the module's head.

    Args:
        rng: moved on by the same amount whatever the bumps' places and heights are.
        K: (m, n) float64: the gain.
        shape: u_max; features (first and second layer); feature_gain; depth 2 or 3.
        bumps: at least none.
    """
    m, n = K.shape
    q1, q2 = shape["features"]
    V1, v1 = rng.normal(size=(q1, n)), 0.5 * rng.normal(size=q1)
    V2, v2 = rng.normal(size=(q2, q1)) / np.sqrt(q1), 0.2 * rng.normal(size=q2)
    out = shape["feature_gain"] * rng.normal(size=(m, q2)) / np.sqrt(q2)
    gain = ((np.vstack([-K, K]), np.zeros(2 * m)), *_saturation(m, shape["u_max"]))
    parts = [gain, ((V1, v1), (V2, v2), (out, np.zeros(m))), *(_pyramid(bump) for bump in bumps)]
    layers = _side_by_side(parts)
    if shape["depth"] == 3:
        layers = _deepened(rng, layers, slice(2 * m, 2 * m + q2))
    return shuffled(rng, layers)


def _saturation(m: int, u_max: float) -> Layers:
    difference, eye = np.hstack([np.eye(m), -np.eye(m)]), np.eye(m)
    limits = np.repeat([u_max, -u_max], m)
    return [(np.vstack([difference, difference]), limits), (np.hstack([eye, -eye]), np.full(m, -u_max))]


def _pyramid(bump: Bump) -> Layers:
    root = np.sqrt(bump.w)
    W = np.vstack([bump.axes, -bump.axes]) / root
    return [(W, -W @ bump.p), (np.full((1, len(W)), -1.0 / root), np.ones(1)), (bump.beta[:, None], np.zeros(len(bump.beta)))]


def _side_by_side(parts: Sequence[Sequence[tuple[np.ndarray, np.ndarray]]]) -> Layers:
    first = (np.vstack([part[0][0] for part in parts]), np.concatenate([part[0][1] for part in parts]))
    blocks = [part[1] for part in parts]
    middle = np.zeros((sum(len(W) for W, _ in blocks), len(first[0])))
    row = column = 0
    for W, _ in blocks:
        middle[row : row + W.shape[0], column : column + W.shape[1]] = W
        row, column = row + W.shape[0], column + W.shape[1]
    last = (np.hstack([part[2][0] for part in parts]), np.sum([part[2][1] for part in parts], axis=0))
    return [first, (middle, np.concatenate([b for _, b in blocks])), last]


def _deepened(rng: np.random.Generator, layers: Layers, features: slice) -> Layers:
    """One more hidden layer: the output's positive and negative parts, and a mixture of the features with little weight."""
    W, b = layers[-1]
    m, q = len(W), features.stop - features.start
    mixed = np.zeros((2, W.shape[1]))
    mixed[:, features] = rng.normal(size=(2, q)) / np.sqrt(q)
    hidden = (np.vstack([W, -W, mixed]), np.concatenate([b, -b, 0.1 * rng.normal(size=2)]))
    return [*layers[:-1], hidden, (np.hstack([np.eye(m), -np.eye(m), 0.05 * rng.normal(size=(m, 2))]), np.zeros(m))]


def shuffled(rng: np.random.Generator, layers: Layers, spread: float = 0.5) -> Layers:
    """The same function with each hidden layer's neurons reordered and scaled by factors exp(-spread) .. exp(spread)."""
    layers = [(W.copy(), b.copy()) for W, b in layers]
    for i in range(len(layers) - 1):
        (W, b), (after, b_after) = layers[i], layers[i + 1]
        order, scale = rng.permutation(len(W)), np.exp(rng.uniform(-spread, spread, size=len(W)))
        layers[i] = ((W * scale[:, None])[order], (b * scale)[order])
        layers[i + 1] = ((after / scale)[:, order], b_after)
    return layers


def in_coordinates(loop: Loop, scale: np.ndarray, order: np.ndarray) -> Loop:
    """The same loop in x' = (scale * x)[order].

    Args:
        loop: in the old coordinates.
        scale: (n,) float64, none 0; a negative one turns an axis round.
        order: (n,) int64: a permutation.
    """
    S = np.diag(scale)[order]
    back = np.linalg.inv(S)
    corners = np.sort(np.stack([S @ loop.low, S @ loop.high]), axis=0)
    (W, b), *rest = loop.layers
    return replace(
        loop, A=S @ loop.A @ back, B=S @ loop.B, c=S @ loop.c, layers=[(W @ back, b), *rest], low=corners[0], high=corners[1]
    )
