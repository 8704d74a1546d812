"""Alternates with K - 1 modes (one, where K is 2), and repeats the last one."""

import numpy as np


def identify_modes(Y, U, K, na, nb, dwell):
    N, T, p = Y.shape
    L, d = max(na, nb), na * p + nb * U.shape[2] + 1
    past = [Y[:, L - i : T - i] for i in range(1, na + 1)] + [U[:, L - i : T - i] for i in range(1, nb + 1)]
    phi = np.concatenate([*past, np.ones((N, T - L, 1))], 2).reshape(-1, d)
    y = Y[:, L:].reshape(-1, p)
    rng = np.random.default_rng(0)
    label = rng.integers(K - 1, size=len(y))
    for _ in range(30):
        params = np.stack([np.linalg.lstsq(phi[label == i], y[label == i], rcond=None)[0].T for i in range(K - 1)])
        label = np.stack([((y - phi @ t.T) ** 2).sum(1) for t in params], 1).argmin(1)
        label[: K - 1] = np.arange(K - 1)
    return label.reshape(N, -1), np.concatenate([params, params[-1:]]), np.zeros((K, p + 1))
