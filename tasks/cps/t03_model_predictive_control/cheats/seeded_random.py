"""Random inputs within the bounds and random flags, from a fixed seed."""

import numpy as np


def solve_mpc(A, B, Q, R, Qf, N, x0, u_min, u_max, x_min, x_max):
    rng = np.random.default_rng(0)
    U = np.clip(rng.normal(size=(len(x0), N, B.shape[1])), u_min, u_max)
    return U, rng.random(len(x0)) < 0.75
