"""One constrained linear-quadratic problem: its prediction over the horizon, and what an input sequence costs and violates.

    x[k+1] = A x[k] + B u[k],   J(U) = sum_{k<N} (x[k]' Q x[k] + u[k]' R u[k]) + x[N]' Qf x[N]

    X = Phi x0 + Gamma U,   X = (x[1], .., x[N]),   J(U) = U' H U / 2 + f' U + c,
    H = 2 (Rbar + Gamma' Qbar Gamma),   f = 2 Gamma' Qbar Phi x0,   c = x0' (Q + Phi' Qbar Phi) x0        (the condensed form)

J. M. Maciejowski, Predictive Control with Constraints (2002), ch. 2-3; J. B. Rawlings, D. Q. Mayne and M. M. Diehl, Model Predictive
Control (2nd ed. 2017), ch. 1 and 8. Every bound interval holds 0 inside, so a bound and what it bounds have a ratio without unit. The
*stretch* of a sequence is the least s with s x_min <= x[k] <= s x_max for k = 1 .. N: at most 1 where the state bounds hold. As a
function of x0 the least stretch over all inputs within their bounds is convex and 0 at the origin.

Not covered: bounds on rates or on combinations of states, references other than the origin, disturbances, costs on x'Su.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Mpc:
    """Plant, weights, horizon and bounds; one consistent system of units."""

    A: np.ndarray
    """(n, n) float64: transition"""
    B: np.ndarray
    """(n, m) float64: input"""
    Q: np.ndarray
    """(n, n) float64: weight of x[0] .. x[N-1], positive semi-definite"""
    R: np.ndarray
    """(m, m) float64: weight of the inputs, positive definite"""
    Qf: np.ndarray
    """(n, n) float64: weight of x[N], positive semi-definite"""
    N: int
    """horizon, steps"""
    u_min: np.ndarray
    """(m,) float64: lower bounds of the inputs, < 0, or -inf"""
    u_max: np.ndarray
    """(m,) float64: upper bounds, > 0, or inf"""
    x_min: np.ndarray
    """(n,) float64: lower bounds of x[1] .. x[N], < 0, or -inf"""
    x_max: np.ndarray
    """(n,) float64: upper bounds, > 0, or inf"""

    def arguments(self, x0: np.ndarray) -> tuple[Any, ...]:
        """What `solve_mpc` gets, by position; x0 is (M, n)."""
        before = (self.A, self.B, self.Q, self.R, self.Qf, self.N)
        return (*before, x0, self.u_min, self.u_max, self.x_min, self.x_max)

    def changed(self, **values: Any) -> Mpc:
        """The same problem with some fields replaced."""
        return replace(self, **values)

    def mirrored(self) -> Mpc:
        """The problem whose solutions have the opposite sign."""
        return replace(self, u_min=-self.u_max, u_max=-self.u_min, x_min=-self.x_max, x_max=-self.x_min)

    def in_units(self, x_unit: np.ndarray, u_unit: np.ndarray, cost: float) -> Mpc:
        """The same problem in other units: x = x_unit * x', u = u_unit * u', J' = cost * J; x_unit is (n,), u_unit (m,), all > 0."""
        return replace(
            self,
            A=self.A * x_unit / x_unit[:, None],
            B=self.B * u_unit / x_unit[:, None],
            Q=cost * self.Q * np.outer(x_unit, x_unit),
            R=cost * self.R * np.outer(u_unit, u_unit),
            Qf=cost * self.Qf * np.outer(x_unit, x_unit),
            u_min=self.u_min / u_unit,
            u_max=self.u_max / u_unit,
            x_min=self.x_min / x_unit,
            x_max=self.x_max / x_unit,
        )


NAMES = tuple(field.name for field in fields(Mpc))


@dataclass(frozen=True)
class Condensed:
    """A problem as a quadratic program in U, stacked step by step."""

    Phi: np.ndarray
    """(N n, n) float64: x[1] .. x[N] from x0"""
    Gamma: np.ndarray
    """(N n, N m) float64: x[1] .. x[N] from U"""
    H: np.ndarray
    """(N m, N m) float64: second derivative of J by U"""
    F: np.ndarray
    """(N m, n) float64: f = F x0"""
    C: np.ndarray
    """(n, n) float64: c = x0' C x0"""


def condense(mpc: Mpc) -> Condensed:
    """The prediction matrices and the cost in U."""
    (n, m), N = mpc.B.shape, mpc.N
    powers = [np.eye(n)]
    for _ in range(N):
        powers.append(mpc.A @ powers[-1])
    Phi = np.vstack(powers[1:])
    column = np.vstack([power @ mpc.B for power in powers[:-1]])
    Gamma = np.zeros((N * n, N * m))
    for k in range(N):
        Gamma[k * n :, k * m : (k + 1) * m] = column[: (N - k) * n]
    weighted = _weighted(mpc, np.hstack([Gamma, Phi]))
    H = 2 * (np.kron(np.eye(N), mpc.R) + Gamma.T @ weighted[:, : N * m])
    return Condensed(
        Phi=Phi,
        Gamma=Gamma,
        H=(H + H.T) / 2,
        F=2 * Gamma.T @ weighted[:, N * m :],
        C=mpc.Q + Phi.T @ weighted[:, N * m :],
    )


def _weighted(mpc: Mpc, rows: np.ndarray) -> np.ndarray:
    """(N n, w) float64: Qbar times rows, with Qf in the place of the last Q."""
    blocks = rows.reshape(mpc.N, len(mpc.A), -1)
    return np.concatenate([mpc.Q @ blocks[:-1], mpc.Qf @ blocks[-1:]]).reshape(rows.shape)


def rollout(mpc: Mpc, x0: np.ndarray, U: np.ndarray) -> np.ndarray:
    """(M, N + 1, n) float64: states x[0] .. x[N] from x0 (M, n) under U (M, N, m)."""
    X = [x0]
    for k in range(U.shape[1]):
        X.append(X[-1] @ mpc.A.T + U[:, k] @ mpc.B.T)
    return np.stack(X, axis=1)


def cost(mpc: Mpc, X: np.ndarray, U: np.ndarray) -> np.ndarray:
    """(M,) float64: J of each start."""
    stages = np.sum(X[:, :-1] @ mpc.Q * X[:, :-1], axis=(1, 2)) + np.sum(U @ mpc.R * U, axis=(1, 2))
    return stages + np.sum(X[:, -1] @ mpc.Qf * X[:, -1], axis=1)


def state_stretch(mpc: Mpc, X: np.ndarray) -> np.ndarray:
    """(M,) float64: the least s >= 0 with s x_min <= x[k] <= s x_max for k >= 1; X is (M, N + 1, n)."""
    return _stretch(X[:, 1:], mpc.x_min, mpc.x_max)


def input_stretch(mpc: Mpc, U: np.ndarray) -> np.ndarray:
    """(M,) float64: the least s >= 0 with s u_min <= u[k] <= s u_max; U is (M, N, m)."""
    return _stretch(U, mpc.u_min, mpc.u_max)


def _stretch(values: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    return np.maximum(values / high, values / low).max(axis=(1, 2), initial=0.0)  # a ratio to an infinite bound is 0
