"""Draws of plants, controllers, boxes and formulas, before any of them is given a truth. Judge side only.

    plant       n = 2: a rotation with decay; n = 3: the same with a lag that drives it; both in a random basis near the identity
    controller  the saturated linear-quadratic gain, plus random features (see loops.py)
    formulas    by name: stay and avoid (always), reach (eventually), until, recur (always eventually), settle (eventually always)

A formula's directions are random unit vectors; its offsets are quantiles of what sampled traces do there, so that each part matters.

    P = Q + A'PA - A'PB (R + B'PB)^-1 B'PA,   K = (R + B'PB)^-1 B'PA          (B. D. O. Anderson and J. B. Moore, Optimal Control, 1990)

Not covered: plants with noise, delays or more than three states.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tasks.cps.t06_ltl_verification import logic
from tasks.cps.t06_ltl_verification.logic import Formula


def plant(rng: np.random.Generator, n: int, m: int, axes: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A (n, n), B (n, m) and c (n,), float64, dimensionless."""
    angle, radius = rng.uniform(*axes["angle"]), rng.uniform(*axes["radius"])
    A = np.zeros((n, n))
    A[:2, :2] = radius * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    if n == 3:
        A[2, 2], A[:2, 2] = rng.uniform(0.4, 0.8), 0.3 * rng.normal(size=2)
    basis = np.eye(n) + 0.2 * rng.normal(size=(n, n))
    A = basis @ A @ np.linalg.inv(basis)
    B = rng.normal(size=(n, m))
    return A, B / np.linalg.norm(B, axis=0), 0.1 * rng.normal(size=n)


def gain(A: np.ndarray, B: np.ndarray, weight: float) -> np.ndarray:
    """(m, n) float64: the linear-quadratic gain for Q = I and R = weight I."""
    P, R = np.eye(len(A)), weight * np.eye(B.shape[1])
    K = np.zeros(B.T.shape)
    for _ in range(20):
        K = np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
        P = np.eye(len(A)) + A.T @ P @ (A - B @ K)
    return K


def box(rng: np.random.Generator, n: int, width: float) -> tuple[np.ndarray, np.ndarray]:
    """Corners of a box around a random centre; its half-widths are about `width`."""
    centre = rng.uniform(-0.6, 0.6, size=n)
    half = width * rng.uniform(0.8, 1.2, size=n)
    return centre - half, centre + half


def formula(rng: np.random.Generator, name: str, X: np.ndarray) -> tuple[Formula, Formula]:
    """A formula over traces and what a careless reader would take for it; the latter is never harder to satisfy.

    Args:
        rng: moved on.
        name: see the module's head.
        X: (N, T + 1, n) float64: sampled traces.
    """
    T = X.shape[1] - 1
    pick = lambda low, high, share: _atom(rng, X, low, high, share)  # noqa: E731
    if name == "stay":
        a = int(rng.integers(1, 3))
        inner = ["and", pick(a, T, 0.9), pick(a, T, 0.9)]
        return ["always", a, T, inner], ["always", T, T, inner]
    if name == "avoid":
        inner = ["or", pick(1, T, 0.5), pick(1, T, 0.5)]
        return ["always", 0, T, inner], ["always", T, T, inner]
    if name == "reach":
        a = int(rng.integers(1, T // 2 + 1))
        b = int(rng.integers(T // 2 + 1, T + 1))
        inner = ["and", pick(a, b, 0.6), pick(a, b, 0.6)]
        return ["eventually", a, b, inner], ["eventually", 0, T, inner]
    if name == "until":
        a = int(rng.integers(1, 3))
        goal = ["and", pick(a, T, 0.6), pick(a, T, 0.8)] if rng.random() < 0.5 else pick(a, T, 0.6)
        return ["until", a, T, pick(0, T - 1, 0.8), goal], ["eventually", a, T, goal]
    w = int(rng.integers(1, max(T // 2, 2)))
    if name == "recur":
        inner = pick(1, T, 0.6)
        return ["always", 1, T - w, ["eventually", 0, w, inner]], ["eventually", 0, T, inner]
    inner = ["and", pick(w, T, 0.7), pick(w, T, 0.7)]
    return ["eventually", 1, T - w, ["always", 0, w, inner]], ["eventually", 0, T, inner]


def _atom(rng: np.random.Generator, X: np.ndarray, low: int, high: int, share: float) -> Formula:
    h = rng.normal(size=X.shape[2])
    h /= np.linalg.norm(h)
    return logic.atom(h, float(np.quantile(X[:, low : high + 1] @ h, np.clip(share + 0.1 * rng.normal(), 0.3, 0.97))))
