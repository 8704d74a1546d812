"""Regresses states on the last five measurements and inputs, on data simulated from the arguments; with the residuals' covariance."""

import numpy as np


def root(M):
    values, vectors = np.linalg.eigh(M)
    return vectors * np.sqrt(np.maximum(values, 0.0))


def features(U, Y):
    N, T, _ = Y.shape
    columns = [np.ones((N, T, 1))]
    for lag in range(5):
        for data, shift in ((np.nan_to_num(Y), lag), (np.isnan(Y), lag), (U, lag + 1)):
            late = np.zeros(data.shape)
            late[:, shift:] = data[:, : T - shift]
            columns.append(late)
    return np.concatenate(columns, -1)


def estimate(A, B, C, Q, R, U, Y, x0_mean, x0_cov):
    rng, T, n = np.random.default_rng(0), Y.shape[1], len(A)
    members = rng.integers(len(U), size=400)
    Us = U[members]
    x = rng.multivariate_normal(x0_mean, x0_cov, size=400)
    X, V = [], []
    for k in range(T):
        X.append(x)
        V.append(rng.normal(size=(400, len(C))) @ root(R[k]).T)
        x = x @ A.T + Us[:, k] @ B.T + rng.normal(size=x.shape) @ root(Q).T
    X = np.stack(X, 1)
    Ys = np.where(np.isnan(Y[members]), np.nan, X @ C.T + np.stack(V, 1))
    F = features(Us, Ys)
    W = np.linalg.lstsq(F.reshape(-1, F.shape[-1]), X.reshape(-1, n), rcond=None)[0]
    residual = F @ W - X
    return features(U, Y) @ W, np.tile(np.einsum("nti,ntj->tij", residual, residual) / 400, (len(Y), 1, 1, 1))
