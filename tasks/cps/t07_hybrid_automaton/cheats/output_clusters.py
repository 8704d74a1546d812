"""The outputs cut at quantiles of the first component: labels without regard to dynamics, then regressions."""

import numpy as np


def identify_modes(Y, U, K, na, nb, dwell):
    N, T, p = Y.shape
    L, d = max(na, nb), na * p + nb * U.shape[2] + 1
    past = [Y[:, L - i : T - i] for i in range(1, na + 1)] + [U[:, L - i : T - i] for i in range(1, nb + 1)]
    phi = np.concatenate([*past, np.ones((N, T - L, 1))], 2).reshape(-1, d)
    y = Y[:, L:].reshape(-1, p)
    x = Y[:, L - 1 : -1, 0].reshape(-1)
    cuts = np.quantile(x, np.arange(1, K) / K)
    guards = np.zeros((K, p + 1))
    guards[:, 0], guards[1:, -1] = np.arange(K), -np.cumsum(cuts)
    label = (x[:, None] * guards[:, 0] + guards[:, -1]).argmax(1)
    label = np.asarray(label).reshape(-1)
    params = np.stack([np.linalg.lstsq(phi[label == i], y[label == i], rcond=None)[0].T for i in range(K)])
    return label.reshape(N, -1), params, guards
