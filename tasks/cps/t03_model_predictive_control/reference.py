"""Optimal inputs of linear-quadratic problems with bounds: an interior-point method on the condensed problem, all starts at once.

The states follow from the inputs, X = Phi x0 + Gamma U, so the cost and the bounds are stated in U alone:

    min U' H U / 2 + f' U   subject to   G U <= h

Bounds are ratios (u / u_max <= 1 and so on) and inputs are counted in their bounds, so that nothing depends on units. A first linear program
finds the least stretch of the state bounds, which says whether a start is feasible; where it isn't, its inputs are the answer.
"""

# ruff: noqa: B023 - closures that are called in the pass that makes them

import numpy as np

STEPS = 50
EXACT = 1e-12  # mean complementarity, in the scale of the cost


def solve_mpc(A, B, Q, R, Qf, N, x0, u_min, u_max, x_min, x_max):
    """Optimal inputs (M, N, m) of each start and whether it is feasible (M,)."""
    Phi, Gamma = predict(A, B, N)
    H, F = cost(Phi, Gamma, Q, R, Qf, N)
    G_u, _ = ratios(np.eye(N * B.shape[1]), u_min, u_max, N)
    G_x, kept = ratios(Gamma, x_min, x_max, N)
    drift = (np.tile(x0 @ Phi.T, 2) / np.concatenate([np.tile(x_max, N), np.tile(x_min, N)]))[:, kept]

    unit = np.tile(input_units(H, u_min, u_max), N)
    H, F, G_u, G_x = H * np.outer(unit, unit), F * unit[:, None], G_u * unit, G_x * unit

    z, stretch = least_stretch(G_u, G_x, drift)
    feasible = stretch <= 1.0
    if feasible.any():
        limits = np.hstack([np.ones((feasible.sum(), len(G_u))), 1.0 - drift[feasible]])
        scale = np.mean(np.diag(H))
        z[feasible] = interior_point(H / scale, x0[feasible] @ F.T / scale, np.vstack([G_u, G_x]), limits)
    U = (z * unit).reshape(len(x0), N, -1)
    return np.clip(U, u_min, u_max), feasible


def predict(A, B, N):
    """Phi (N n, n) and Gamma (N n, N m), with x[1] .. x[N] = Phi x0 + Gamma U."""
    n, m = B.shape
    Phi, Gamma = np.zeros((N, n, n)), np.zeros((N, n, N * m))
    power, row = np.eye(n), np.zeros((n, N * m))
    for k in range(N):
        row = A @ row
        row[:, k * m : (k + 1) * m] = B
        power = A @ power
        Phi[k], Gamma[k] = power, row
    return Phi.reshape(N * n, n), Gamma.reshape(N * n, N * m)


def cost(Phi, Gamma, Q, R, Qf, N):
    """H (N m, N m) and F (N m, n): the cost is U' H U / 2 + x0' F' U and a constant."""
    weights = np.kron(np.eye(N), Q)
    weights[-len(Q) :, -len(Q) :] = Qf
    H = 2.0 * (np.kron(np.eye(N), R) + Gamma.T @ weights @ Gamma)
    return (H + H.T) / 2, 2.0 * Gamma.T @ weights @ Phi


def ratios(rows, low, high, N):
    """The rows over their upper and their lower bounds, without those of infinite ones, and which were kept."""
    bounds = np.concatenate([np.tile(high, N), np.tile(low, N)])
    kept = np.isfinite(bounds)
    return (np.vstack([rows, rows])[kept]) / bounds[kept, None], kept


def input_units(H, u_min, u_max):
    """(m,): the nearer bound of each input; where it has none, what costs as much as the others at theirs."""
    nearest = np.minimum(u_max, -u_min)
    weight = np.sqrt(np.diag(H)[: len(nearest)])
    known = np.isfinite(nearest)
    typical = np.median((nearest * weight)[known]) if known.any() else 1.0
    return np.where(known, nearest, typical / weight)


def least_stretch(G_u, G_x, drift):
    """Inputs (M, N m) that stretch the state bounds least, and that stretch (M,): min s with G_u z <= 1, G_x z - s <= -drift."""
    M, v = len(drift), G_u.shape[1]
    G = np.zeros((len(G_u) + len(G_x) + 1, v + 1))
    G[: len(G_u), :v] = G_u
    G[len(G_u) : -1, :v] = G_x
    G[len(G_u) :, v] = -1.0  # the last row is s >= 0
    h = np.hstack([np.ones((M, len(G_u))), -drift, np.zeros((M, 1))])
    f = np.zeros((M, v + 1))
    f[:, v] = 1.0
    z = interior_point(1e-10 * np.eye(v + 1), f, G, h)
    return z[:, :v], z[:, v]


def interior_point(H, f, G, h):
    """Minimisers (M, v) of z' H z / 2 + f' z with G z <= h, by Mehrotra's predictor and corrector; f is (M, v), h (M, r)."""
    z = np.zeros_like(f)
    slack, multiplier = np.maximum(h, 1.0), np.ones_like(h)
    for _ in range(STEPS):
        dual, primal = z @ H + f + multiplier @ G, z @ G.T + slack - h
        gap = np.mean(slack * multiplier, axis=1, keepdims=True)
        if max(np.abs(dual).max(), np.abs(primal).max()) < 1e-9 and gap.max(initial=0.0) < EXACT:
            break
        K = H + (G.T * (multiplier / slack)[:, None, :]) @ G
        K *= 1.0 + 1e-14 * np.eye(len(H))  # keeps the last steps regular where several minimisers exist

        def direction(target):
            right = -dual - ((multiplier * primal - target) / slack) @ G
            dz = np.linalg.solve(K, right[..., None])[..., 0]
            ds = -primal - dz @ G.T
            return dz, ds, -(target + multiplier * ds) / slack

        _, ds, dm = direction(slack * multiplier)
        length = longest(slack, ds, multiplier, dm)
        left = np.mean((slack + length * ds) * (multiplier + length * dm), axis=1, keepdims=True)
        dz, ds, dm = direction(slack * multiplier + ds * dm - (left / gap) ** 3 * gap)
        length = 0.995 * longest(slack, ds, multiplier, dm) * (gap > EXACT / 100)  # those that have arrived wait for the others
        z, slack, multiplier = z + length * dz, slack + length * ds, multiplier + length * dm
    return z


def longest(slack, ds, multiplier, dm):
    """(M, 1): the longest step of at most 1 that keeps slacks and multipliers positive."""
    fall = np.maximum(-ds / slack, -dm / multiplier).max(axis=1, keepdims=True)
    return 1.0 / np.maximum(fall, 1.0)
