"""Prediction error method in innovations form, started by a subspace method.

    x[k+1] = A x[k] + B u[k] + K e[k],    y[k] = C x[k] + e[k],    e ~ N(0, S),    x[0] ~ N(0, V),  V = A V A' + K S K'

1. A long ARX model, least squares, gives the predictor's Markov parameters. Its states follow from their singular value decomposition
   (predictor-based subspace identification, A. Chiuso, Automatica 43 (2007), 1034), the matrices from regressions on the states.
2. The order is the one with the least Bayesian information criterion, unless it is given.
3. Gauss-Newton steps with Levenberg's damping lower the determinant of the one-step errors' covariance (L. Ljung, System Identification,
   2nd ed. (1999), ch. 7 and 10.2). All entries of A, B, C, K are free: the damping takes care of the directions that change the basis only.
4. Forecasts come from the Kalman filter of that model over the warm-up, and then from the model alone. Their variance is the filter's
   plus J V J', with J the forecast's derivative by the parameters and V their covariance, the inverse of the last step's normal equations:
   inputs that are larger or slower than the training's make what is uncertain about the plant count.
"""

from typing import NamedTuple

import numpy as np

LAGS, ORDERS, STEPS, SKIPPED = 14, range(1, 7), 8, 6


class Model(NamedTuple):
    """Innovations form; matrices as at the file's head, and the covariance of the entries of [A B K] and C, row by row."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    K: np.ndarray
    S: np.ndarray
    V: np.ndarray | None = None


def fit_and_predict(U_train, Y_train, U_test, Y_test_warmup):
    """Mean and standard deviation of the outputs after the warm-up.

    Args:
        U_train, Y_train: (N, T, m), (N, T, p) float64: training data.
        U_test, Y_test_warmup: (M, L, m), (M, W, p) float64: inputs, and the first outputs, of other trajectories.

    Returns:
        (M, L - W, p) float64 each.
    """
    u, y = scale(U_train), scale(Y_train)
    model = refined(started(U_train / u, Y_train / y, ORDERS), U_train / u, Y_train / y)
    mean, deviation = forecast(model, U_test / u, Y_test_warmup / y)
    return mean * y, deviation * y


def identify(U, Y, order):
    """A (order, order), B (order, m), C (p, order) of the plant from u to y, in some basis of the state."""
    u, y = scale(U), scale(Y)
    model = refined(started(U / u, Y / y, [order]), U / u, Y / y)
    return model.A, model.B / u, model.C * y[:, None]


def scale(data):
    """(d,): root mean square of each channel."""
    return np.sqrt(np.mean(data**2, axis=(0, 1)))


def lagged(data, lags):
    """(N, T, lags * d): the values 1 .. lags steps before, the nearest first, zero before the start."""
    N, T, d = data.shape
    found = np.zeros((N, T, lags, d))
    for j in range(lags):
        found[:, j + 1 :, j] = data[:, : T - 1 - j]
    return found.reshape(N, T, lags * d)


def solved(rows, targets):
    """Least squares over trajectories and steps: (columns of rows, columns of targets)."""
    Z, F = rows.reshape(-1, rows.shape[-1]), targets.reshape(-1, targets.shape[-1])
    gram = Z.T @ Z
    return np.linalg.solve(gram + 1e-9 * np.trace(gram) / len(gram) * np.eye(len(gram)), Z.T @ F)


def started(U, Y, orders):
    """The subspace model of the order with the least information criterion."""
    (_, T, m), p = U.shape, Y.shape[2]
    lags = min(LAGS, T // 4)
    past = np.concatenate(
        [lagged(U, lags).reshape(*U.shape[:2], lags, m), lagged(Y, lags).reshape(*Y.shape[:2], lags, p)], axis=3
    )
    past = past.reshape(*U.shape[:2], -1)
    theta = solved(past[:, lags:], Y[:, lags:]).reshape(lags, m + p, p)
    hankel = np.zeros((lags, lags, m + p, p))
    for i in range(lags):
        hankel[i, : lags - i] = theta[i:]
    ahead = past @ hankel.transpose(1, 2, 0, 3).reshape(lags * (m + p), lags * p)
    _, _, directions = np.linalg.svd(ahead[:, lags:].reshape(-1, lags * p), full_matrices=False)
    found = [(criterion(model, U, Y), model) for model in (regressed(ahead @ directions[:n].T, U, Y, lags) for n in orders)]
    return min(found, key=lambda pair: pair[0])[1]


def regressed(X, U, Y, lags):
    """The model whose states at k >= lags are X (N, T, n)."""
    n, m = X.shape[2], U.shape[2]
    X = X / np.sqrt(np.mean(X[:, lags:] ** 2, axis=(0, 1)))
    C = solved(X[:, lags:], Y[:, lags:]).T
    E = Y - X @ C.T
    theta = solved(np.concatenate([X, U, E], axis=2)[:, lags:-1], X[:, lags + 1 :]).T
    A, B, K = theta[:, :n], theta[:, n : n + m], theta[:, n + m :]
    return settled(Model(A, B, C, K, np.eye(len(C))))


def settled(model):
    """The model with its poles, and those of its predictor, inside the unit circle."""
    A, K = model.A, model.K
    radius = np.abs(np.linalg.eigvals(A)).max()
    A = A * min(1.0, 0.998 / radius)
    while np.abs(np.linalg.eigvals(A - K @ model.C)).max() > 0.999:
        K = 0.9 * K
    return model._replace(A=A, K=K)


def errors(model, U, Y):
    """States (N, T, n) and one-step errors (N, T, p) of the predictor, which starts in zero."""
    A, B, C, K, *_ = model
    F, drive = (A - K @ C).T, U @ B.T + Y @ K.T
    X = np.zeros((*U.shape[:2], len(A)))
    for k in range(U.shape[1] - 1):
        X[:, k + 1] = X[:, k] @ F + drive[:, k]
    return X, Y - X @ C.T


def covariance(E, parameters):
    """(p, p): of one-step errors, with the degrees of freedom that were spent."""
    rest = E[:, SKIPPED:].reshape(-1, E.shape[2])
    return rest.T @ rest / max(len(rest) - parameters / E.shape[2], 1)


def criterion(model, U, Y):
    """Bayesian information criterion."""
    n, (_, m), p = len(model.A), model.B.shape, len(model.C)
    _, E = errors(model, U, Y)
    count = E[:, SKIPPED:].size / p
    return count * np.linalg.slogdet(covariance(E, 0))[1] + (n * (m + 2 * p)) * np.log(count)


def refined(model, U, Y):
    """Gauss-Newton steps from a start."""
    n, (_, m), p = len(model.A), model.B.shape, len(model.C)
    damping = 1e-4
    X, E = errors(model, U, Y)
    loss = np.linalg.slogdet(covariance(E, 0))[1]
    for _ in range(STEPS):
        gram, slope = normal_equations(model, U, X, E)
        before = loss
        for _ in range(4):
            step = np.linalg.solve(gram + damping * np.diag(np.diag(gram) + 1e-9 * np.trace(gram)), slope)
            other = moved(model, step, n, m, p)
            X_other, E_other = errors(other, U, Y) if stable(other) else (X, E)
            loss_other = np.linalg.slogdet(covariance(E_other, 0))[1]
            if loss_other < loss:
                model, X, E, loss, damping = other, X_other, E_other, loss_other, damping / 10
                break
            damping *= 10
        if before - loss < 1e-5:
            break
    values, vectors = np.linalg.eigh(normal_equations(model, U, X, E)[0])
    kept = values > 1e-8 * values[-1]  # the rest is the choice of a basis, which no forecast depends on
    V = vectors[:, kept] / values[kept] @ vectors[:, kept].T
    return model._replace(S=covariance(E, n * (m + 2 * p)), V=V)


def stable(model):
    """Whether the model and its predictor forget."""
    return all(np.abs(np.linalg.eigvals(F)).max() < 0.9999 for F in (model.A, model.A - model.K @ model.C))


def moved(model, step, n, m, p):
    """The model after a step."""
    rows = step[: n * (n + m + p)].reshape(n, n + m + p)
    dA, dB, dK = rows[:, :n], rows[:, n : n + m], rows[:, n + m :]
    dC = step[n * (n + m + p) :].reshape(p, n)
    return model._replace(A=model.A + dA, B=model.B + dB, C=model.C + dC, K=model.K + dK)


def normal_equations(model, U, X, E):
    """J'J and -J'e of the whitened one-step errors, for the entries of [A B K] and C, row by row."""
    known = np.ones((*X.shape[:2], 1))
    J = -output_sensitivity(model, np.concatenate([X, U, E], axis=2), known)[SKIPPED:]
    whitener = np.linalg.inv(np.linalg.cholesky(covariance(E, 0)))
    J = (whitener @ J).reshape(-1, J.shape[-1])
    r = (whitener @ E[:, SKIPPED:].transpose(1, 0, 2)[..., None]).ravel()
    return J.T @ J, -J.T @ r


def output_sensitivity(model, z, known):
    """(T, N, p, parameters): derivatives of the predicted outputs, where z is [x; u; e] and y[k] is known where known[k] is 1, not 0.

    An entry (i, j) of [A B K] drives the state's sensitivity D through row i with z_j. One of C adds x_j to row i of the output, and where
    y is known it drives D through -K[:, i]: a sum of the responses to x_j.
    """
    n, p = len(model.A), len(model.C)
    N, T, q = z.shape
    D = responses(model, z, known)
    D_known = D[..., :n] if known.all() else responses(model, z[..., :n] * known, known)
    of_rows = (model.C @ D.reshape(T, n, -1)).reshape(T, p, n, N, q)
    of_C = -np.einsum("li,tolnj->toinj", model.K, (model.C @ D_known.reshape(T, n, -1)).reshape(T, p, n, N, n))
    of_C[:, range(p), range(p)] += z[..., :n].transpose(1, 0, 2)[:, None]
    parts = [part.transpose(0, 3, 1, 2, 4).reshape(T, N, p, -1) for part in (of_rows, of_C)]
    return np.concatenate(parts, axis=3)


def responses(model, z, known):
    """(T, n, n, N, q): response of the state (second axis) to z (N, T, q) that enters through one of its rows (third axis)."""
    n, (N, T, q) = len(model.A), z.shape
    D = np.zeros((T, n, n, N, q))
    for k in range(T - 1):
        F = model.A - known[0, k] * model.K @ model.C
        D[k + 1] = (F @ D[k].reshape(n, -1)).reshape(n, n, N, q)
        D[k + 1, range(n), range(n)] += z[:, k]
    return D


def forecast(model, U, warmup):
    """Means and standard deviations: a filter for the innovations form, whose w = K e and v = e are correlated."""
    A, B, C, K, S, V = model
    (M, L, _), (_, W, p) = U.shape, warmup.shape
    Q, drive = K @ S @ K.T, U @ B.T
    P = stationary(A, Q)
    X, E, variance = np.zeros((M, L, len(A))), np.zeros((M, L, p)), np.empty((L, p))
    for k in range(L):
        seen = C @ P @ C.T + S
        gain = np.linalg.solve(seen, (A @ P @ C.T + K @ S).T).T if k < W else np.zeros_like(K)
        variance[k] = np.diag(seen)
        if k < W:
            E[:, k] = warmup[:, k] - X[:, k] @ C.T
        if k + 1 < L:
            X[:, k + 1] = X[:, k] @ A.T + drive[:, k] + E[:, k] @ gain.T
        P = A @ P @ A.T + Q - gain @ seen @ gain.T
    known = np.repeat((np.arange(L) < W).astype(float)[None, :, None], M, axis=0)
    J = output_sensitivity(model, np.concatenate([X, U, E], axis=2), known)[W:].transpose(1, 0, 2, 3)
    doubt = np.sum((J @ V) * J, axis=3)
    return X[:, W:] @ C.T, np.sqrt(variance[W:] + doubt)


def stationary(A, Q):
    """P = A P A' + Q by doubling."""
    P = Q
    for _ in range(40):
        P, A = P + A @ P @ A.T, A @ A
    return P
