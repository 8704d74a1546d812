"""Regresses states on the last five measurements and inputs, on data simulated from the arguments."""

import numpy as np


def features(U, Y):
    N, T, _ = Y.shape
    columns = [np.ones((N, T, 1))]
    for lag in range(5):
        for data, shift in ((Y, lag), (U, lag + 1)):
            late = np.zeros_like(data)
            late[:, shift:] = data[:, : T - shift]
            columns.append(late)
    return np.concatenate(columns, -1)


def estimate(A, B, C, Q, R, U, Y, x0_mean, x0_cov):
    rng, T = np.random.default_rng(0), Y.shape[1]
    Us = U[rng.integers(len(U), size=400)]
    x = rng.multivariate_normal(x0_mean, x0_cov, size=400)
    X = []
    for k in range(T):
        X.append(x)
        x = x @ A.T + Us[:, k] @ B.T + rng.multivariate_normal(np.zeros(len(A)), Q, size=400)
    X = np.stack(X, 1)
    Ys = X @ C.T + rng.multivariate_normal(np.zeros(len(C)), R, size=(400, T))
    F = features(Us, Ys)
    W = np.linalg.lstsq(F.reshape(-1, F.shape[-1]), X.reshape(-1, len(A)), rcond=None)[0]
    return features(U, Y) @ W
