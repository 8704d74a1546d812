"""The exact optimum that submissions are measured against, with its certificate, and the controller without any skill.

    quadratic program   min z' H z / 2 + f' z   subject to   G z <= h
    conditions          H z + f + G' l = 0,   G z + s = h,   l_i s_i = 0,   l, s >= 0        (Karush, Kuhn and Tucker)
    lower bound         D(l) = -(f + G' l)' H^-1 (f + G' l) / 2 - h' l  <=  optimum, for every l >= 0        (Wolfe's dual)

solved by Mehrotra's predictor-corrector method (S. Mehrotra, SIAM J. Optim. 2 (1992), 575; J. Nocedal and S. J. Wright, Numerical
Optimization (2nd ed. 2006), ch. 14 and 16.6), for all starts at once, since they share H and G. The difference between J and D(l) proves
how far from the optimum an answer can be at most; for a feasible U the best l make it J(U) - J*, so the optimality gap is the residual of
the KKT conditions, in the one norm that depends on no unit.

Where state bounds can't be met, the least stretch of them is the linear program  min s  subject to  G_u U <= 1, G_x U - s <= -Phi x0 / x_bound.
Without any skill: the LQR gains of the horizon (backward Riccati recursion), clipped to the input bounds, for starts all called feasible.

Not covered: sparse or very long problems (the Hessian is dense), equality constraints, bounds that don't hold 0 inside.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tasks.cps.t03_model_predictive_control import problems
from tasks.cps.t03_model_predictive_control.problems import Condensed, Mpc

ITERATIONS = 40
RESIDUAL, COMPLEMENTARITY = 1e-9, 1e-13
PROXIMAL = 1e-10


@dataclass(frozen=True)
class Solution:
    """The optimum for each of M starts."""

    U: np.ndarray
    """(M, N, m) float64: the optimal inputs, or those of the least stretch where a start is infeasible"""
    feasible: np.ndarray
    """(M,) bool"""
    stretch: np.ndarray
    """(M,) float64: the least stretch of the state bounds over all inputs within theirs; feasible means <= 1"""
    value: np.ndarray
    """(M,) float64: J* of a feasible start, the least stretch of an infeasible one"""
    bound: np.ndarray
    """(M,) float64: what the multipliers prove: J* >= bound; the least stretch of an infeasible start"""


def solve(mpc: Mpc, x0: np.ndarray) -> Solution:
    """The optimum of each start; x0 is (M, n) float64."""
    condensed = problems.condense(mpc)
    U, stretch = least_stretch(mpc, condensed, x0)
    feasible = stretch <= 1.0
    value, bound = stretch.copy(), stretch.copy()
    if feasible.any():
        U[feasible], value[feasible], bound[feasible] = optimum(mpc, condensed, x0[feasible])
    return Solution(U=U, feasible=feasible, stretch=stretch, value=value, bound=bound)


def optimum(mpc: Mpc, condensed: Condensed, x0: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Optimal U (M, N, m), J* (M,), and the lower bound of J* that the multipliers prove, for starts that are feasible."""
    G_u, G_x, offset = rows(mpc, condensed, x0)
    G, h = np.vstack([G_u, G_x]), np.hstack([np.ones((len(x0), len(G_u))), 1.0 - offset])
    f = x0 @ condensed.F.T
    unit = np.tile(input_size(mpc, condensed), mpc.N)
    H, f, G = condensed.H * np.outer(unit, unit), f * unit, G * unit  # bounds are ratios already; now inputs are too
    scale = np.mean(np.diag(H))
    z, multipliers = interior_point(H / scale, f / scale, G, h)
    multipliers = scale * multipliers
    constant = np.sum(x0 @ condensed.C * x0, axis=1)
    gradient = f + multipliers @ G
    dual = -np.sum(gradient * np.linalg.solve(H, gradient.T).T, axis=1) / 2 - np.sum(h * multipliers, axis=1)
    primal = np.sum(z @ H * z, axis=1) / 2 + np.sum(f * z, axis=1)
    return (z * unit).reshape(len(x0), mpc.N, -1), primal + constant, dual + constant


def least_stretch(mpc: Mpc, condensed: Condensed, x0: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """U (M, N, m) within the input bounds whose stretch of the state bounds is least, and that stretch (M,)."""
    G_u, G_x, offset = rows(mpc, condensed, x0)
    unit = np.tile(input_size(mpc, condensed), mpc.N)
    G = np.block(
        [[G_u * unit, np.zeros((len(G_u), 1))], [G_x * unit, -np.ones((len(G_x), 1))], [np.zeros((1, len(unit))), -np.eye(1)]]
    )
    h = np.hstack([np.ones((len(x0), len(G_u))), -offset, np.zeros((len(x0), 1))])
    f = np.zeros((len(x0), G.shape[1]))
    f[:, -1] = 1.0
    z, _ = interior_point(np.zeros((G.shape[1],) * 2), f, G, h)
    U = np.clip((z[:, :-1] * unit).reshape(len(x0), mpc.N, -1), mpc.u_min, mpc.u_max)
    return U, problems.state_stretch(mpc, problems.rollout(mpc, x0, U))


def farthest(mpc: Mpc, condensed: Condensed, directions: np.ndarray, *, at_most: float) -> np.ndarray:
    """(M,) float64: the largest s <= at_most for which the start s * direction is feasible; directions is (M, n)."""
    G_u, G_x, offset = rows(mpc, condensed, directions)
    unit = np.tile(input_size(mpc, condensed), mpc.N)
    M, v = len(directions), len(unit)
    G = np.zeros((M, len(G_u) + len(G_x) + 1, v + 1))
    G[:, :-1, :v] = np.vstack([G_u, G_x]) * unit
    G[:, len(G_u) : -1, v] = offset
    G[:, -1, v] = 1.0 / at_most
    f = np.zeros((M, v + 1))
    f[:, -1] = -1.0
    return interior_point(np.zeros((v + 1, v + 1)), f, G, np.ones(G.shape[:2]))[0][:, -1]


def rows(mpc: Mpc, condensed: Condensed, x0: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Finite bounds as ratios: G_u U <= 1 and G_x U + offset <= 1; (r_u, N m), (r_x, N m) and (M, r_x) float64."""
    u_bounds = np.concatenate([np.tile(mpc.u_max, mpc.N), np.tile(mpc.u_min, mpc.N)])
    x_bounds = np.concatenate([np.tile(mpc.x_max, mpc.N), np.tile(mpc.x_min, mpc.N)])
    u_kept, x_kept = np.isfinite(u_bounds), np.isfinite(x_bounds)
    G_u = (np.vstack([np.eye(len(condensed.H))] * 2) / u_bounds[:, None])[u_kept]
    G_x = (np.vstack([condensed.Gamma] * 2) / x_bounds[:, None])[x_kept]
    drift = x0 @ condensed.Phi.T
    return G_u, G_x, (np.hstack([drift, drift]) / x_bounds)[:, x_kept]


def input_size(mpc: Mpc, condensed: Condensed) -> np.ndarray:
    """(m,) float64: a size of each input: its nearer bound, or without one what costs as much as the others do."""
    nearest = np.minimum(mpc.u_max, -mpc.u_min)
    weight = np.sqrt(np.diag(condensed.H)[: len(nearest)])
    finite = np.isfinite(nearest)
    typical = np.median((nearest * weight)[finite]) if finite.any() else 1.0
    return np.where(finite, nearest, typical / weight)


def interior_point(H: np.ndarray, f: np.ndarray, G: np.ndarray, h: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Minimisers (M, v) and multipliers (M, r) of M programs that share H.

    Args:
        H: (v, v) float64: positive definite, or zero for a linear program, which then gets a weight of PROXIMAL.
        f: (M, v) float64: linear costs.
        G: (r, v) float64, or (M, r, v) where the programs differ: G z <= h.
        h: (M, r) float64.
    """
    linear = not H.any()
    H = PROXIMAL * np.eye(len(H)) if linear else H
    z = np.zeros_like(f) if linear else -np.linalg.solve(H, f.T).T
    gain = np.ones(len(f)) if linear else np.abs(np.sum(f * z, axis=1)) / 2
    G = np.broadcast_to(G, (len(f), *G.shape[-2:]))
    s, lam = np.maximum(h - _times(G, z), 1.0), np.ones(h.shape)
    going = np.arange(len(f))
    for _ in range(ITERATIONS if h.shape[1] else 0):
        dual = z[going] @ H + f[going] + _times(G[going].swapaxes(1, 2), lam[going])
        primal = _times(G[going], z[going]) + s[going] - h[going]
        size = np.maximum(1.0, np.abs(h[going]).max(axis=1))
        open_ = (np.abs(dual).max(axis=1) > RESIDUAL) | (np.abs(primal).max(axis=1) > RESIDUAL * size)
        open_ |= np.mean(s[going] * lam[going], axis=1) > COMPLEMENTARITY * gain[going]
        if not open_.any():
            break
        going = going[open_]
        z[going], s[going], lam[going] = _step(H, G[going], (z[going], s[going], lam[going]), (dual[open_], primal[open_]))
    return z, lam


def _step(H, G, point, residuals):
    """One predictor-corrector step of the programs that still move."""
    (z, s, lam), (dual, primal) = point, residuals
    K = H + (G * (lam / s)[..., None]).swapaxes(1, 2) @ G
    K *= 1.0 + 1e-14 * np.eye(len(H))  # keeps a degenerate program's last steps regular
    mu = np.mean(s * lam, axis=1, keepdims=True)

    def direction(target):
        right = -dual - _times(G.swapaxes(1, 2), (lam * primal - target) / s)
        dz = np.linalg.solve(K, right[..., None])[..., 0]
        ds = -primal - _times(G, dz)
        return dz, ds, -(target + lam * ds) / s

    _, ds, dl = direction(s * lam)
    length = np.minimum(_longest(s, ds), _longest(lam, dl))
    centring = (np.mean((s + length * ds) * (lam + length * dl), axis=1, keepdims=True) / mu) ** 3
    dz, ds, dl = direction(s * lam + ds * dl - centring * mu)
    length = 0.995 * np.minimum(_longest(s, ds), _longest(lam, dl))
    return z + length * dz, s + length * ds, lam + length * dl


def _times(matrices: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    return (matrices @ vectors[..., None])[..., 0]


def _longest(values: np.ndarray, change: np.ndarray) -> np.ndarray:
    """(M, 1) float64: the longest step of at most 1 that keeps every value >= 0."""
    falling = np.where(change < 0, -change / values, 0.0)
    return 1.0 / np.maximum(1.0, falling.max(axis=1, keepdims=True))


def clipped_lqr(mpc: Mpc, x0: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The baseline: U (M, N, m) of the clipped LQR gains of the horizon, and flags (M,) that call every start feasible."""
    gains, P = [], mpc.Qf
    for _ in range(mpc.N):
        K = np.linalg.solve(mpc.R + mpc.B.T @ P @ mpc.B, mpc.B.T @ P @ mpc.A)
        P = mpc.Q + mpc.A.T @ P @ (mpc.A - mpc.B @ K)
        gains.append(K)
    U, x = [], x0
    for K in reversed(gains):
        U.append(np.clip(-x @ K.T, mpc.u_min, mpc.u_max))
        x = x @ mpc.A.T + U[-1] @ mpc.B.T
    return np.stack(U, axis=1), np.ones(len(x0), dtype=bool)
