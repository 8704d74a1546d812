"""Half of the upper bound at every step, from every start."""

import numpy as np


def solve_mpc(A, B, Q, R, Qf, N, x0, u_min, u_max, x_min, x_max):
    half = np.where(np.isfinite(u_max), u_max, 1.0) / 2
    return np.tile(half, (len(x0), N, 1)), np.ones(len(x0), dtype=bool)
