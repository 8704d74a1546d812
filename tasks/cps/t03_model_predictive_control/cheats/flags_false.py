"""Exact inputs, but every start is called infeasible."""

import numpy as np
from scipy.optimize import linprog, nnls


def condensed(A, B, Q, R, Qf, N):
    n, m = B.shape
    Phi = np.vstack([np.linalg.matrix_power(A, k + 1) for k in range(N)])
    zero = np.zeros((n, m))
    Gamma = np.block([[np.linalg.matrix_power(A, k - j) @ B if j <= k else zero for j in range(N)] for k in range(N)])
    W = np.kron(np.eye(N), Q)
    W[-n:, -n:] = Qf
    return Phi, Gamma, Gamma.T @ W @ Gamma + np.kron(np.eye(N), R), Gamma.T @ W @ Phi


def ratios(block, low, high, N):
    bound = np.concatenate([np.tile(high, N), np.tile(low, N)])
    keep = np.isfinite(bound)
    return np.vstack([block, block])[keep] / bound[keep, None], lambda d: (np.tile(d, 2) / bound)[keep]


def nearest(H, f, G, h):
    L = np.linalg.cholesky(H)
    free = -np.linalg.solve(L, f)
    C = -np.linalg.solve(L, G.T).T
    d = -h - C @ free
    y, size = np.zeros(len(f)), np.abs(d).max(initial=1e-300)
    if len(d) and d.max() > 0:
        E = np.vstack([C.T, d / size])
        target = np.eye(len(E))[-1]
        r = E @ nnls(E, target, maxiter=5000)[0] - target
        y = -size * r[:-1] / r[-1]
    return np.linalg.solve(L.T, free + y)


def least(Gu, Gx, drift):
    rows = np.vstack([np.c_[Gu, np.zeros(len(Gu))], np.c_[Gx, -np.ones(len(Gx))]])
    v = Gu.shape[1] if len(Gu) else Gx.shape[1]
    found = linprog(np.eye(v + 1)[-1], rows, np.r_[np.ones(len(Gu)), -drift], bounds=[(None, None)] * v + [(0, None)])
    return found.x[:-1], found.fun


def solve(A, B, Q, R, Qf, N, x0, u_min, u_max, x_min, x_max):
    Phi, Gamma, H, F = condensed(A, B, Q, R, Qf, N)
    Gu, _ = ratios(np.eye(len(H)), u_min, u_max, N)
    Gx, over = ratios(Gamma, x_min, x_max, N)
    U, ok = [], []
    for x in x0:
        drift = over(Phi @ x)
        z, s = least(Gu, Gx, drift)
        ok.append(bool(s <= 1))
        U.append(nearest(H, F @ x, np.vstack([Gu, Gx]), np.r_[np.ones(len(Gu)), 1 - drift]) if ok[-1] else z)
    return np.clip(np.reshape(U, (len(x0), N, -1)), u_min, u_max), np.array(ok)


def solve_mpc(A, B, Q, R, Qf, N, x0, u_min, u_max, x_min, x_max):
    U, ok = solve(A, B, Q, R, Qf, N, x0, u_min, u_max, x_min, x_max)
    return U, np.zeros(len(ok), dtype=bool)
