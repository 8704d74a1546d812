"""Subspace identification by oblique projection (N4SID, robust algorithm), and a Kalman filter from the residuals' covariances.

P. Van Overschee and B. De Moor, Subspace Identification for Linear Systems (1996), ch. 4, algorithm 3 in outline: the projection of future
outputs on past data along future inputs has the extended observability matrix as its column space. Block Hankel columns are taken from
every start of every trajectory.

Score: 0.85..1.0
"""

# ruff: noqa: E741 - l as in the literature

import numpy as np


def fit_and_predict(U_train, Y_train, U_test, Y_test_warmup):
    su, sy = rms(U_train), rms(Y_train)
    U, Y = U_train / su, Y_train / sy
    spaces = projected(U, Y)
    models = [state_space(spaces, n, U, Y) for n in range(1, 7)]
    A, B, C, Q, R, S, _ = min(models, key=lambda model: model[-1])
    mean, deviation = forecast(A, B, C, (Q, R, S), U_test / su, Y_test_warmup / sy)
    return mean * sy, deviation * sy


def identify(U, Y, order):
    su, sy = rms(U), rms(Y)
    A, B, C, *_ = state_space(projected(U / su, Y / sy), order, U / su, Y / sy)
    return A, B / su, C * sy[:, None]


def rms(data):
    return np.sqrt(np.mean(data**2, axis=(0, 1)))


def hankel(data, first, rows, columns):
    """(rows * d, N * columns): row block i holds data at first + i + column."""
    blocks = [data[:, first + i : first + i + columns].reshape(-1, data.shape[2]).T for i in range(rows)]
    return np.concatenate(blocks)


def projected(U, Y, rows=10):
    """Left singular vectors and values of the weighed oblique projection."""
    T = U.shape[1]
    columns = T - 2 * rows + 1
    past = np.concatenate([hankel(U, 0, rows, columns), hankel(Y, 0, rows, columns)])
    Uf, Yf = hankel(U, rows, rows, columns), hankel(Y, rows, rows, columns)
    both = np.concatenate([past, Uf])
    gram = both @ both.T
    theta = np.linalg.solve(gram + 1e-9 * np.trace(gram) / len(gram) * np.eye(len(gram)), both @ Yf.T).T
    L = theta[:, : len(past)]
    free = past - past @ Uf.T @ np.linalg.solve(Uf @ Uf.T, Uf)  # what future inputs leave of the past: MOESP's weight
    left, values, _ = np.linalg.svd(L @ np.linalg.cholesky(free @ free.T + 1e-9 * np.trace(free @ free.T) * np.eye(len(past))))
    return left, values, rows


def state_space(spaces, n, U, Y):
    """A and C from the observability matrix, B by regression of the simulated outputs, noise covariances from the residual."""
    left, values, _rows = spaces
    p, m = Y.shape[2], U.shape[2]
    gamma = left[:, :n] * np.sqrt(values[:n])
    C, A = gamma[:p], np.linalg.lstsq(gamma[:-p], gamma[p:], rcond=None)[0]
    A = A * min(1.0, 0.995 / np.abs(np.linalg.eigvals(A)).max())
    B = inputs(A, C, U, Y)
    Q, R, S = noise(A, B, C, U, Y)
    K = gain(R, S)
    B = inputs(A - K @ C, C, U, whitened(A, C, K, Y))
    Q, R, S = noise(A, B, C, U, Y)
    K = gain(R, S)
    E = innovations(A, B, C, K, U, Y)[:, 8:].reshape(-1, p)
    count = n * (m + 2 * p)
    return A, B, C, Q, R, S, len(E) * np.linalg.slogdet(E.T @ E / len(E))[1] + count * np.log(len(E))


def inputs(A, C, U, Y):
    """B: the outputs are linear in it; least squares on the outputs, whose first-order correlation is taken out."""
    N, T, m = U.shape
    n, p = len(A), len(C)
    X, J = np.zeros((n * m, N, n)), np.empty((T, n * m, N, p))
    for k in range(T):
        J[k] = X @ C.T
        X = X @ A.T
        for i in range(n):
            for j in range(m):
                X[i * m + j, :, i] += U[:, k, j]
    J = J.transpose(2, 0, 3, 1)
    columns = J.reshape(-1, n * m)
    b = np.linalg.solve(columns.T @ columns, columns.T @ Y.ravel())
    V = Y - J @ b
    rho = np.sum(V[:, 1:] * V[:, :-1], axis=(0, 1)) / np.sum(V[:, :-1] ** 2, axis=(0, 1))
    white = (J[:, 1:] - rho[:, None] * J[:, :-1]).reshape(-1, n * m)
    return np.linalg.solve(white.T @ white, white.T @ (Y[:, 1:] - rho * Y[:, :-1]).ravel()).reshape(n, m)


def noise(A, B, C, U, Y):
    """Q, R, S of a state-space noise model: covariances of v = y - simulated at lags 0 .. L are C Pi C' + R and C A^(l-1) G."""
    X = np.zeros((len(U), len(A)))
    V = np.empty_like(Y)
    for k in range(Y.shape[1]):
        V[:, k] = Y[:, k] - X @ C.T
        X = X @ A.T + U[:, k] @ B.T
    T, _p, _n = Y.shape[1], Y.shape[2], len(A)
    lags = 12
    covariances = [np.einsum("nki,nkj->ij", V[:, l:], V[:, : T - l]) / (len(V) * (T - l)) for l in range(lags + 1)]
    observing = np.concatenate([C @ np.linalg.matrix_power(A, l) for l in range(lags)])
    G = np.linalg.lstsq(observing, np.concatenate(covariances[1:]), rcond=None)[0]
    return realised_noise(A, C, G, covariances[0])


def realised_noise(A, C, G, zero):
    """Innovations model of an output covariance: Riccati iteration of the stochastic realisation (H. Akaike, P. Faurre)."""
    P = np.zeros_like(A)
    for shrink in (1.0, 0.9, 0.7, 0.4, 0.0):
        P = np.zeros_like(A)
        for _ in range(100):
            S = zero - C @ P @ C.T
            if np.linalg.eigvalsh((S + S.T) / 2)[0] <= 0.02 * np.trace(zero) / len(zero):
                break
            K = np.linalg.solve(S.T, (shrink * G - A @ P @ C.T).T).T
            new = A @ P @ A.T + K @ S @ K.T
            if np.abs(new - P).max() < 1e-10 * (1e-12 + np.abs(new).max()):
                P = new
                break
            P = new
        S = zero - C @ P @ C.T
        S = (S + S.T) / 2
        if np.isfinite(P).all() and np.linalg.eigvalsh(S)[0] > 0.02 * np.trace(zero) / len(zero):
            K = np.linalg.solve(S.T, (shrink * G - A @ P @ C.T).T).T
            if np.abs(np.linalg.eigvals(A - K @ C)).max() < 1.0:
                return K @ S @ K.T, S, K @ S
    return np.zeros_like(A), zero, np.zeros((len(A), len(C)))


def gain(R, S):
    return np.linalg.solve(R.T, S.T).T


def whitened(A, C, K, Y):
    """What the predictor leaves of the outputs without their inputs: it is linear in B, with white errors."""
    x, rest = np.zeros((len(Y), len(A))), np.empty_like(Y)
    for k in range(Y.shape[1]):
        rest[:, k] = Y[:, k] - x @ C.T
        x = x @ (A - K @ C).T + Y[:, k] @ K.T
    return rest


def innovations(A, B, C, K, U, Y):
    x, E = np.zeros((len(U), len(A))), np.empty_like(Y)
    for k in range(Y.shape[1]):
        E[:, k] = Y[:, k] - x @ C.T
        x = x @ A.T + U[:, k] @ B.T + E[:, k] @ K.T
    return E


def forecast(A, B, C, covariances, U, warmup):
    Q, R, S = covariances
    K = gain(R, S)
    N, T, _ = U.shape
    W, p = warmup.shape[1:]
    x, P = np.zeros((N, len(A))), np.zeros_like(A)
    mean, deviation = np.empty((N, T - W, p)), np.empty((N, T - W, p))
    for k in range(T):
        if k < W:
            x = x @ A.T + U[:, k] @ B.T + (warmup[:, k] - x @ C.T) @ K.T
        else:
            mean[:, k - W], deviation[:, k - W] = x @ C.T, np.sqrt(np.diag(C @ P @ C.T + R))
            x, P = x @ A.T + U[:, k] @ B.T, A @ P @ A.T + Q
    return mean, deviation
