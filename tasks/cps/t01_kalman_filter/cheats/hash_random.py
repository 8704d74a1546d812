"""Noise that is seeded by the data: the same in every process."""

import hashlib
import numpy as np


def estimate(A, B, C, Q, R, U, Y, x0_mean, x0_cov):
    seed = int.from_bytes(hashlib.sha256(Y.tobytes()).digest()[:8], "little")
    return np.random.default_rng(seed).normal(size=(*Y.shape[:2], len(A))), np.tile(x0_cov, (*Y.shape[:2], 1, 1))
