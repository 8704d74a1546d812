"""ARX with lags chosen on held-out trajectories, spreads measured on them, and a realisation of its impulse response.

Score: 0.85..1.0
"""

import numpy as np


def fit_and_predict(U_train, Y_train, U_test, Y_test_warmup):
    su, sy = np.sqrt((U_train**2).mean((0, 1))), np.sqrt((Y_train**2).mean((0, 1)))
    U, Y, Ut, Yw = U_train / su, Y_train / sy, U_test / su, Y_test_warmup / sy
    W, H = Yw.shape[1], Ut.shape[1] - Yw.shape[1]
    folds = [np.arange(len(U)) % 3 == i for i in range(3)]
    best = None
    for lags in (2, 4, 7, 11):
        if lags > W:
            continue
        errors = []
        for held in folds:
            theta = fit(U[~held], Y[~held], lags)
            starts = range(0, U.shape[1] - W - 5, 10)
            errors.append([windowed(theta, U[held], Y[held], lags, s, W, H) for s in starts])
        spread = root_mean_square(errors, H)
        if best is None or spread.mean() < best[1].mean():
            best = lags, spread
    lags, spread = best
    mean = simulate(fit(U, Y, lags), Ut, Yw, lags)
    return mean * sy, np.broadcast_to(spread, mean.shape) * sy


def windowed(theta, U, Y, lags, start, W, H):
    """Errors (N, H, p) of forecasts from one start on, NaN after the end of the data."""
    stop = min(start + W + H, U.shape[1])
    errors = np.full((len(U), H, Y.shape[2]), np.nan)
    forecast = simulate(theta, U[:, start:stop], Y[:, start : start + W], lags)
    errors[:, : stop - start - W] = Y[:, start + W : stop] - forecast
    return errors


def root_mean_square(errors, H):
    """Spread (H, p) by horizon; every window is longer than the horizon by no more than its start."""
    rows = np.concatenate([window for fold in errors for window in fold])
    return np.sqrt(np.nanmean(rows**2, axis=0))


def regressors(U, Y, lags, k):
    past = [Y[:, k - j] for j in range(1, lags + 1)] + [U[:, k - j] for j in range(1, lags + 1)]
    return np.concatenate(past, axis=1)


def fit(U, Y, lags):
    T = U.shape[1]
    Z = np.concatenate([regressors(U, Y, lags, k) for k in range(lags, T)])
    F = np.concatenate([Y[:, k] for k in range(lags, T)])
    return np.linalg.solve(Z.T @ Z + 1e-6 * len(Z) * np.eye(Z.shape[1]), Z.T @ F)


def simulate(theta, U, Yw, lags):
    W, T = Yw.shape[1], U.shape[1]
    Y = np.concatenate([Yw, np.zeros((len(U), T - W, Yw.shape[2]))], axis=1)
    for k in range(W, T):
        Y[:, k] = regressors(U, Y, lags, k) @ theta
    return Y[:, W:]


def identify(U, Y, order):
    su, sy = np.sqrt((U**2).mean((0, 1))), np.sqrt((Y**2).mean((0, 1)))
    m, p, lags, length = U.shape[2], Y.shape[2], 12, 40
    theta = fit(U / su, Y / sy, lags)
    impulses = np.zeros((m, lags + length, m))
    impulses[range(m), lags - 1, range(m)] = 1.0
    G = simulate(theta, impulses, np.zeros((m, lags, p)), lags).transpose(1, 2, 0)  # (length, p, m)
    rows = length // 2
    hankel = np.block([[G[i + j] for j in range(rows)] for i in range(rows)])
    left, values, right = np.linalg.svd(hankel)
    root = np.sqrt(values[:order])
    observing, reaching = left[:, :order] * root, root[:, None] * right[:order]
    A = np.linalg.lstsq(observing[:-p], observing[p:], rcond=None)[0]
    A = A * min(1.0, 0.999 / np.abs(np.linalg.eigvals(A)).max())
    return A, reaching[:, :m] / su, observing[:p] * sy[:, None]
