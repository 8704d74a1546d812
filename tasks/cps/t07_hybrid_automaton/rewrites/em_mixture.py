"""Expectation-maximisation from several starts: softly labelled regressions, and soft labels from what is known of the switching.

Guard regimes: a mixture of linear experts with logistic gates on the last output. Dwell regimes: a hidden Markov chain whose states
are pairs of mode and age (forward-backward). Labels are made lawful at the end only.

Score: 0.7..1.0
"""

import numpy as np


def identify_modes(Y, U, K, na, nb, dwell):
    scale = np.abs(Y).max()
    Y, U = Y / scale, U / scale
    N, T, p = Y.shape
    L = max(na, nb)
    phi = np.concatenate(
        [
            *(Y[:, L - i : T - i] for i in range(1, na + 1)),
            *(U[:, L - i : T - i] for i in range(1, nb + 1)),
            np.ones((N, T - L, 1)),
        ],
        axis=2,
    )
    Phi, y, z = phi.reshape(-1, phi.shape[2]), Y[:, L:].reshape(-1, p), Y[:, L - 1 : -1].reshape(-1, p)
    z1 = np.column_stack([(z - z.mean(0)) / z.std(0), np.ones(len(z))])
    rng = np.random.default_rng(11)
    best = None
    for theta in first_guesses(rng, Phi, y, K):
        W, prior = np.zeros((K, p + 1)), np.full((len(y), K), 1 / K)
        variance = np.mean((y - Phi @ np.linalg.lstsq(Phi, y, rcond=None)[0]) ** 2) / 10
        for sweep in range(40):
            loglik = densities(Phi, y, theta, variance)
            if dwell and sweep >= 8:
                R, value = smooth(loglik.reshape(N, T - L, K), dwell, L)
            else:
                joint = loglik + np.log(prior + 1e-300)
                top = joint.max(1, keepdims=True)
                value = float((top[:, 0] + np.log(np.exp(joint - top).sum(1))).sum())
                R = np.exp(joint - top)
                R /= R.sum(1, keepdims=True)
            theta = weighted_fits(Phi, y, R)
            error = sum((R[:, j] * ((y - Phi @ theta[j].T) ** 2).sum(1)).sum() for j in range(K)) / y.size
            if abs(error - variance) < 1e-5 * variance and sweep > 12:
                break
            variance = max(error, 1e-12)
            if not dwell:
                W = gate_step(W, z1, R, 1e-5)
                prior = soft(z1 @ W.T)
        if best is None or value > best[0]:
            best = value, theta, W, variance
    _, theta, W, variance = best
    guards = np.zeros((K, p + 1))
    if dwell:
        labels = longest_path(densities(Phi, y, theta, variance).reshape(N, T - L, K), dwell, L)
    else:
        for _ in range(6):
            W = gate_step(W, z1, R_of(Phi, y, theta, variance, z1, W), 1e-6)
        labels = (z1 @ W.T).argmax(1).reshape(N, T - L)
        guards[:, :-1] = W[:, :-1] / z.std(0)
        guards[:, -1] = W[:, -1] - guards[:, :-1] @ z.mean(0)
        labels = (z @ guards[:, :-1].T + guards[:, -1]).argmax(1).reshape(N, T - L)
    theta = weighted_fits(Phi, y, np.eye(K)[labels.ravel()])
    theta[:, :, -1] *= scale
    guards[:, :-1] /= scale
    return labels, theta, guards


def first_guesses(rng, Phi, y, K, tries=30, kept=3):
    """A few good ones of many: regressions on neighbours, improved by a few hard reassignments."""
    found = []
    for _ in range(tries):
        theta = []
        for centre in rng.choice(len(y), K, replace=False):
            near = np.argsort(((Phi - Phi[centre]) ** 2).sum(1))[: 5 * Phi.shape[1]]
            theta.append(np.linalg.lstsq(Phi[near], y[near], rcond=None)[0].T)
        for _ in range(6):
            cost = np.stack([((y - Phi @ t.T) ** 2).sum(1) for t in theta], 1)
            theta = weighted_fits(Phi, y, np.eye(K)[cost.argmin(1)])
        found.append((cost.min(1).sum(), len(found), theta))
    return [theta for _, _, theta in sorted(found, key=lambda item: item[:2])[:kept]]


def densities(Phi, y, theta, variance):
    """(n, K) log densities."""
    p = y.shape[1]
    return np.stack([-((y - Phi @ t.T) ** 2).sum(1) / (2 * variance) - p / 2 * np.log(variance) for t in theta], 1)


def weighted_fits(Phi, y, R):
    """(K, p, d) weighted least squares."""
    d = Phi.shape[1]
    return np.stack([np.linalg.solve((Phi * w[:, None]).T @ Phi + 1e-9 * np.eye(d), (Phi * w[:, None]).T @ y).T for w in R.T])


def soft(scores):
    e = np.exp(scores - scores.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def R_of(Phi, y, theta, variance, z1, W):
    return soft(densities(Phi, y, theta, variance) + np.log(soft(z1 @ W.T) + 1e-300))


def gate_step(W, z1, R, ridge):
    """One Newton step of the multinomial logistic regression on soft labels."""
    K, q = W.shape
    P = soft(z1 @ W.T)
    g = (P - R).T @ z1 / len(z1) + ridge * W
    H = ridge * np.eye(K * q)
    for i in range(K):
        for j in range(K):
            w = P[:, i] * ((i == j) - P[:, j]) / len(z1)
            H[i * q : (i + 1) * q, j * q : (j + 1) * q] += (z1 * w[:, None]).T @ z1
    step = np.linalg.solve(H, g.ravel()).reshape(K, q)
    return W - step * min(1.0, 5.0 / np.abs(step).max())


def transition(K, dwell, leave=0.1):
    """(K * dwell, K * dwell) between pairs of mode and age, the age running fastest."""
    A = np.zeros((K, dwell, K, dwell))
    for i in range(K):
        for a in range(dwell - 1):
            A[i, a, i, a + 1] = 1.0
        A[i, -1, i, -1] += 1.0 - leave
        for j in set(range(K)) - {i}:
            A[i, -1, j, 0] = leave / (K - 1)
    return A.reshape(K * dwell, -1)


def smooth(loglik, dwell, L):
    """Posterior mode probabilities (n, K), and the log likelihood."""
    N, T, K = loglik.shape
    A = transition(K, dwell)
    top = loglik.max(2, keepdims=True)
    lik = np.repeat(np.exp(loglik - top), dwell, axis=2)
    alpha, norm = np.zeros((T, N, K * dwell)), np.ones((T, N, 1))
    now = np.zeros((N, K, dwell))
    now[:, :, min(L, dwell - 1)] = 1 / K
    now = now.reshape(N, -1)
    for k in range(T):
        now = (now @ A if k else now) * lik[:, k]
        norm[k] = now.sum(1, keepdims=True) + 1e-300
        now = now / norm[k]
        alpha[k] = now
    beta = np.ones((N, K * dwell))
    R = np.empty((N, T, K))
    for k in range(T - 1, -1, -1):
        both = (alpha[k] * beta).reshape(N, K, dwell).sum(2)
        R[:, k] = both / (both.sum(1, keepdims=True) + 1e-300)
        beta = (beta * lik[:, k]) @ A.T / norm[k]
    return R.reshape(-1, K), float(np.log(norm).sum() + top.sum())


def longest_path(loglik, dwell, L):
    """Most probable lawful labels, record by record."""
    N, T, K = loglik.shape
    with np.errstate(divide="ignore"):
        A = np.log(transition(K, dwell))
    start = np.full((K, dwell), -np.inf)
    start[:, min(L, dwell - 1)] = 0.0
    value = start.ravel() + np.repeat(loglik[:, 0], dwell, axis=1)
    back = np.zeros((T, N, K * dwell), dtype=int)
    for k in range(1, T):
        through = value[:, :, None] + A
        back[k] = through.argmax(1)
        value = through.max(1) + np.repeat(loglik[:, k], dwell, axis=1)
    state = value.argmax(1)
    labels = np.empty((N, T), dtype=np.int64)
    for k in range(T - 1, -1, -1):
        labels[:, k] = state // dwell
        state = back[k, np.arange(N), state]
    return labels
