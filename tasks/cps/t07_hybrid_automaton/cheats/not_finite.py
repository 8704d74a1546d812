"""Right, with a NaN in the guards."""

import numpy as np


def identify_modes(Y, U, K, na, nb, dwell):
    modes, params, guards = solve(Y, U, K, na, nb, dwell)
    guards[0, 0] = np.nan
    return modes, params, guards


def solve(Y, U, K, na, nb, dwell):
    unit, L, p = Y.std(), max(na, nb), Y.shape[2]
    Y, U = Y / unit, U / unit
    N, S = len(Y), Y.shape[1] - L
    past = [Y[:, L - i : -i] for i in range(1, na + 1)] + [U[:, L - i : -i] for i in range(1, nb + 1)]
    phi = np.concatenate([*past, np.ones((N, S, 1))], 2).reshape(N * S, -1)
    y, x = Y[:, L:].reshape(-1, p), Y[:, L - 1 : -1].reshape(-1, p)
    z = np.column_stack([(x - x.mean(0)) / x.std(0), np.ones(len(x))])
    rng, best = np.random.default_rng(1), (np.inf,)

    def fit(rows):
        return np.linalg.lstsq(phi[rows], y[rows], rcond=None)[0].T

    def costs(theta):
        return np.stack([((y - phi @ t.T) ** 2).sum(1) for t in theta], 1)

    for _ in range(25):
        near = [np.argpartition(((x - x[c]) ** 2).sum(1), 4 * len(phi.T))[: 4 * len(phi.T)] for c in rng.integers(len(y), size=K)]
        if dwell:
            near = [
                c // S * S + np.arange(min(c % S, S - dwell), min(c % S, S - dwell) + dwell) for c in rng.integers(len(y), size=K)
            ]
        theta = [fit(rows) for rows in near]
        for _ in range(12):
            label = costs(theta).argmin(1)
            theta = [fit(label == i) if (label == i).sum() > len(phi.T) else theta[i] for i in range(K)]
        best = min(best, (costs(theta).min(1).sum(), theta), key=lambda one: one[0])
    theta, W = best[1], np.zeros((K, p + 1))
    for _ in range(4):
        cost = costs(theta)
        cost = cost / (cost.min(1).mean() / p)
        if dwell:
            label = stays(cost.reshape(N, S, K), dwell, L).ravel()
        else:
            W = gates(z, cost, K)
            label = (z @ W.T).argmax(1)
        theta = [fit(label == i) for i in range(K)]
    W[:, :-1] /= x.std(0)
    W[:, -1] -= W[:, :-1] @ x.mean(0)
    label = label if dwell else (x @ W[:, :-1].T + W[:, -1]).argmax(1)
    theta = np.stack(theta)
    theta[:, :, -1] *= unit
    return label.reshape(N, S), theta, W / np.append(np.full(p, unit), 1.0)


def gates(z, cost, K):
    W, q = np.zeros((K, z.shape[1])), z.shape[1]
    for ridge in np.geomspace(1e-2, 1e-5, 12):
        share, target = (np.exp(s - s.max(1, keepdims=True)) for s in (z @ W.T, z @ W.T - cost / 2))
        share, target = share / share.sum(1, keepdims=True), target / target.sum(1, keepdims=True)
        outer = (share[:, :, None] * z[:, None]).reshape(len(z), -1)
        H = ridge * np.eye(K * q) - outer.T @ outer / len(z)
        for i in range(K):
            H[i * q : i * q + q, i * q : i * q + q] += outer[:, i * q : i * q + q].T @ z / len(z)
        W = W - np.linalg.solve(H, ((share - target).T @ z / len(z) + ridge * W).ravel()).reshape(K, q)
    return W


def stays(cost, dwell, L):
    N, S, K = cost.shape
    value = np.full((N, K, dwell), np.inf)
    value[:, :, min(L, dwell - 1)] = cost[:, 0]
    came = np.zeros((S, N, K, dwell), dtype=int)
    for k in range(1, S):
        old = value.reshape(N, -1)
        step = np.full((N, K, dwell, K * dwell), np.inf)
        for i in range(K):
            for a in range(dwell):
                if a:
                    step[:, i, a, i * dwell + a - 1] = old[:, i * dwell + a - 1]
                if a == dwell - 1:
                    step[:, i, a, i * dwell + a] = old[:, i * dwell + a]
                for j in range(K):
                    if a == 0 and j != i:
                        step[:, i, 0, j * dwell + dwell - 1] = old[:, j * dwell + dwell - 1] + 5.0
        came[k] = step.argmin(3)
        value = step.min(3) + cost[:, k, :, None]
    label = np.empty((N, S), dtype=np.int64)
    for r in range(N):
        state = int(value[r].argmin())
        for k in range(S - 1, -1, -1):
            label[r, k] = state // dwell
            state = int(came[k, r].reshape(-1)[state])
    return label
