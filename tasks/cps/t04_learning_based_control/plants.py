"""Nonlinear plants whose optimal controller is known exactly, because the value function is chosen first and the plant made to fit.

    z = T(x)                         elementwise, increasing and odd or kinked at 0, T(0) = 0, |T_i(x_i)| >= |x_i|
    z[k+1] = f(x) + G(x) u + w       w: mean 0, covariance Sigma, independent of all else, Gaussian or not
    x[k+1] = T^-1(z[k+1])
    stage cost x' Q x + u' R u, discount g in (0, 1)

Converse optimality: choose V(x) = T(x)' P T(x) + b. The right side of Bellman's equation,
min over u of x'Qx + u'Ru + g E V(x[k+1]), is quadratic in u, with S = R + g G'PG and H = g (P^-1 + g G R^-1 G')^-1:

    u* = -g S^-1 G'P f(x),      min = x'Qx + f'H f + g tr(P Sigma) + g b

so the equation holds for all x as soon as f'Hf = T(x)'P T(x) - x'Qx and b = g tr(P Sigma) / (1 - g). This is met by

    f(x) = H(x)^(-1/2) O(x) M^(1/2) T(x) * sqrt((T'PT - x'Qx) / T'MT),      M = P - Q, O(x) any orthogonal matrix

and where T is the identity the root is 1 (the quadratic-Gaussian core). O(x) is a product of Givens rotations of neighbouring axes
by angles that depend on the state. Only the covariance of w enters, so every noise of that covariance has the same V and u*.

    rotation   angle_j = turn_j + bend tanh(d_j . x / L): bend 0 makes O constant, and the plant linear where T is the identity too
    gain       G(x) = G0 diag(1 + swing tanh(e_j . x / L)): the effect of the inputs changes with the state
    kinked     T_i = x_i above 0 and kappa_i x_i below it, kappa_i >= 1: V has kinks and both loops switch on the planes x_i = 0
    warped     T_i = (L / c) sinh(c x_i / L): V is smooth and not quadratic

L, the unit of length of a plant, makes every argument of a function a pure number. Not covered: continuous time, partial observation.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path

import numpy as np

from tasks.cps import arrays


@dataclass(frozen=True)
class Plant:
    """One plant of n states and m inputs; all arrays float64, in the plant's own units."""

    P: np.ndarray
    """(n, n): V = T'PT + b"""
    Q: np.ndarray
    """(n, n): cost of the states; 0 < Q < P"""
    R: np.ndarray
    """(m, m): cost of the inputs"""
    G: np.ndarray
    """(n, m): G0, effect of the inputs"""
    swing: np.ndarray
    """(): how much that effect changes with the state, a share below 1"""
    swing_along: np.ndarray
    """(m, n): the directions e_j"""
    turn: np.ndarray
    """(n - 1,): constant parts of the angles, rad"""
    bend: np.ndarray
    """(): amplitude of their changing parts, rad"""
    bend_along: np.ndarray
    """(n - 1, n): the directions d_j"""
    kappa: np.ndarray
    """(n,): slopes of T below 0; 1 without a kink"""
    warp: np.ndarray
    """(): c of the warped T, or 0"""
    length: np.ndarray
    """(): L"""
    Sigma: np.ndarray
    """(n, n): covariance of w"""
    gamma: np.ndarray
    """(): discount of a step"""

    @cached_property
    def folding(self) -> np.ndarray:
        """(n, n) float64: M^(1/2)."""
        return root(self.P - self.Q)

    @cached_property
    def unfolding(self) -> np.ndarray:
        """(n, n) float64: H^(-1/2), where G is the same everywhere."""
        return root(np.linalg.inv(self.P) / self.gamma + self.G @ np.linalg.solve(self.R, self.G.T))


def nonlinear(plant: Plant) -> bool:
    """Whether the optimal policy isn't a linear one."""
    return bool(plant.bend or plant.swing or plant.warp or (plant.kappa != 1.0).any())


def write(folder: Path, plant: Plant) -> None:
    """Lay a plant down as .npy files."""
    arrays.write(folder, {field.name: np.asarray(getattr(plant, field.name), dtype=float) for field in fields(Plant)})


def read(folder: Path) -> Plant:
    """The plant that `write` laid down."""
    return Plant(**arrays.read(folder))


def transform(plant: Plant, x: np.ndarray) -> np.ndarray:
    """T(x), (N, n) float64, of states x (N, n)."""
    if plant.warp:
        return plant.length / plant.warp * np.sinh(plant.warp * x / plant.length)
    return np.where(x < 0, plant.kappa * x, x)


def restore(plant: Plant, z: np.ndarray) -> np.ndarray:
    """T^-1(z), (N, n) float64."""
    if plant.warp:
        return plant.length / plant.warp * np.arcsinh(plant.warp * z / plant.length)
    return np.where(z < 0, z / plant.kappa, z)


def gains(plant: Plant, x: np.ndarray) -> np.ndarray:
    """G(x), (N, n, m) float64."""
    share = 1.0 + plant.swing * np.tanh(x @ plant.swing_along.T / plant.length)
    return plant.G * share[:, None, :]


def drift(plant: Plant, x: np.ndarray) -> np.ndarray:
    """f(x), (N, n) float64: where z goes without input and noise."""
    z = transform(plant, x)
    folded = z @ plant.folding.T
    if plant.warp or (plant.kappa != 1.0).any():
        wanted = _form(plant.P, z) - _form(plant.Q, x)
        folded *= np.sqrt(wanted / np.maximum((folded**2).sum(1), np.finfo(float).tiny))[:, None]
    return _unfolded(plant, x, rotated(plant, x, folded))


def rotated(plant: Plant, x: np.ndarray, v: np.ndarray) -> np.ndarray:
    """O(x) v, (N, n) float64."""
    angles = plant.turn + plant.bend * np.tanh(x @ plant.bend_along.T / plant.length)
    cosine, sine, v = np.cos(angles), np.sin(angles), v.copy()
    for j in range(v.shape[1] - 1):
        first = cosine[:, j] * v[:, j] - sine[:, j] * v[:, j + 1]
        v[:, j + 1] = sine[:, j] * v[:, j] + cosine[:, j] * v[:, j + 1]
        v[:, j] = first
    return v


def mean_next(plant: Plant, x: np.ndarray, u: np.ndarray, f: np.ndarray | None = None) -> np.ndarray:
    """f(x) + G(x) u, (N, n) float64: the mean of z[k+1]; `f` saves computing f(x) again."""
    return (drift(plant, x) if f is None else f) + np.einsum("nij,nj->ni", gains(plant, x), u)


def step(plant: Plant, x: np.ndarray, u: np.ndarray, w: np.ndarray, f: np.ndarray | None = None) -> np.ndarray:
    """x[k+1], (N, n) float64, from states (N, n), inputs (N, m) and noise (N, n); `f` as in `mean_next`."""
    return restore(plant, mean_next(plant, x, u, f) + w)


def root(M: np.ndarray) -> np.ndarray:
    """(..., n, n) float64: the symmetric square root of a positive definite M."""
    values, vectors = np.linalg.eigh(M)
    return (vectors * np.sqrt(values)[..., None, :]) @ vectors.swapaxes(-1, -2)


def _unfolded(plant: Plant, x: np.ndarray, v: np.ndarray) -> np.ndarray:
    """H(x)^(-1/2) v, from H^-1 = P^-1 / g + G R^-1 G'; one matrix where G is the same everywhere."""
    if not plant.swing:
        return v @ plant.unfolding.T
    G = gains(plant, x)
    roots = root(np.linalg.inv(plant.P) / plant.gamma + G @ np.linalg.solve(plant.R, G.swapaxes(1, 2)))
    return np.einsum("nij,nj->ni", roots, v)


def _form(M: np.ndarray, x: np.ndarray) -> np.ndarray:
    """x'Mx, (N,)."""
    return np.einsum("ni,ij,nj->n", x, M, x)
