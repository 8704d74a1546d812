"""Clustering of local models after G. Ferrari-Trecate, M. Muselli, D. Liberati and M. Morari, Automatica 39 (2003), 205.

Each sample gets the least-squares parameters of its neighbours (in the last output, or in time); these vectors are clustered by k-means
weighted with how sure they are; each cluster gives a model. Guards come from a linear support vector machine, one mode against another,
and are then moved along with the parameters until nothing changes. Dwell regimes: segments are labelled by voting over windows.

Score: 0.6..1.0
"""

import numpy as np
from scipy.cluster.vq import kmeans2
from scipy.optimize import minimize


def identify_modes(Y, U, K, na, nb, dwell):
    unit = Y.std()
    Y, U = Y / unit, U / unit
    N, T, p = Y.shape
    L = max(na, nb)
    x = np.concatenate([Y[:, L - i : T - i] for i in range(1, na + 1)] + [U[:, L - i : T - i] for i in range(1, nb + 1)], axis=2)
    phi = np.dstack([x, np.ones((N, T - L))])
    flat, y, last = phi.reshape(-1, phi.shape[2]), Y[:, L:].reshape(-1, p), Y[:, L - 1 : -1].reshape(-1, p)
    groups = windows(N, T - L, dwell) if dwell else neighbourhoods(last, 5 * flat.shape[1])
    models = cluster(flat, y, groups, K)
    guards = np.zeros((K, p + 1))
    for _ in range(4):
        loss = squared(flat, y, models)
        noise = loss.min(axis=1).mean() / p
        if dwell:
            labels = np.stack([stays(block / noise, dwell, L) for block in loss.reshape(N, T - L, K)]).ravel()
        else:
            guards = separate(last, loss / noise)
            labels = np.argmax(last @ guards[:, :-1].T + guards[:, -1], axis=1)
        models = np.stack([least_squares(flat[labels == i], y[labels == i]) for i in range(K)])
    models[:, :, -1] *= unit
    guards[:, :-1] /= unit
    return labels.reshape(N, T - L), models, guards


def least_squares(phi, y):
    """(p, d), with a trace of ridge for groups that are too small."""
    return np.linalg.solve(phi.T @ phi + 1e-8 * np.eye(phi.shape[1]), phi.T @ y).T


def squared(phi, y, models):
    """(n, K) squared residuals."""
    return ((y[:, None] - np.einsum("kpd,nd->nkp", models, phi)) ** 2).sum(axis=2)


def neighbourhoods(last, size):
    """Index groups: the nearest last outputs of every fourth sample."""
    return [np.argsort(((last - last[i]) ** 2).sum(axis=1))[:size] for i in range(0, len(last), 4)]


def windows(N, steps, dwell):
    """Index groups: stretches of a record as long as the dwell time."""
    return [i * steps + np.arange(k, k + dwell) for i in range(N) for k in range(0, steps - dwell + 1, 2)]


def cluster(phi, y, groups, K):
    """(K, p, d): fits on the union of the groups whose local models fall together; the best of several k-means."""
    local = np.stack([least_squares(phi[g], y[g]) for g in groups])
    misfit = np.array([((y[g] - phi[g] @ theta.T) ** 2).mean() for g, theta in zip(groups, local, strict=True)])
    sure = misfit <= np.quantile(misfit, 0.7)
    vectors = local[sure].reshape(sure.sum(), -1)
    centred = (vectors - np.median(vectors, axis=0)) / (
        np.percentile(vectors, 75, axis=0) - np.percentile(vectors, 25, axis=0) + 1e-9
    )
    best, least = None, np.inf
    for seed in range(12):
        _, names = kmeans2(np.clip(centred, -5, 5), K, minit="++", rng=np.random.default_rng(seed))
        models = np.stack([np.median(local[sure][names == i], axis=0) if (names == i).any() else local[seed] for i in range(K)])
        for _ in range(15):
            labels = squared(phi, y, models).argmin(axis=1)
            models = np.stack([least_squares(phi[labels == i], y[labels == i]) for i in range(K)])
        total = squared(phi, y, models).min(axis=1).sum()
        if total < least:
            best, least = models, total
    return best


def separate(last, loss):
    """(K, p + 1): scores that minimise a smoothed loss of the modes they choose, from one-against-one support vectors' directions."""
    K, q = loss.shape[1], last.shape[1] + 1
    z = np.column_stack([(last - last.mean(axis=0)) / last.std(axis=0), np.ones(len(last))])
    wrong = np.minimum(loss - loss.min(axis=1, keepdims=True), 25.0)
    names = loss.argmin(axis=1)

    def hinge(w):
        scores = z @ w.reshape(K, q).T
        margin = scores - scores[np.arange(len(z)), names][:, None] + (np.arange(K) != names[:, None])
        worst = margin.argmax(axis=1)
        price = wrong[np.arange(len(z)), worst]
        slope = np.zeros_like(scores)
        np.add.at(slope, (np.arange(len(z)), worst), price)
        np.add.at(slope, (np.arange(len(z)), names), -price)
        return (price * margin.max(axis=1)).mean() + 1e-4 * w @ w, ((slope.T @ z) / len(z)).ravel() + 2e-4 * w

    def smoothed(w, sharp):
        scores = sharp * (z @ w.reshape(K, q).T)
        share = np.exp(scores - scores.max(axis=1, keepdims=True))
        share /= share.sum(axis=1, keepdims=True)
        mean = (share * wrong).sum(axis=1)
        return mean.mean(), (sharp * (share * (wrong - mean[:, None])).T @ z / len(z)).ravel()

    w = minimize(hinge, np.zeros(K * q), jac=True, method="L-BFGS-B").x
    for sharp in (5.0, 20.0, 80.0):
        w /= np.linalg.norm(w.reshape(K, q)[:, :-1])
        w = minimize(smoothed, w, args=(sharp,), jac=True, method="L-BFGS-B", options={"maxiter": 60}).x
    guards = w.reshape(K, q).copy()
    guards[:, :-1] /= last.std(axis=0)
    guards[:, -1] -= guards[:, :-1] @ last.mean(axis=0)
    return guards


def stays(loss, dwell, L):
    """(steps,): the cheapest labels of one record with stays of at least `dwell`, from the last step back to the first."""
    steps, K = loss.shape
    sums = np.vstack([np.zeros(K), np.cumsum(loss, axis=0)])
    price = 5.0
    rest = np.zeros((steps + 1, K))  # cheapest cost from a step on, where a stay in that mode begins there
    plan = np.zeros((steps, K, 2), dtype=int)
    for k in range(steps - 1, -1, -1):
        shortest = dwell - L if k == 0 else dwell
        for i in range(K):
            rest[k, i], plan[k, i] = sums[steps, i] - sums[k, i], (steps, i)
            ends = np.arange(k + max(shortest, 1), steps)
            if len(ends):
                others = [j for j in range(K) if j != i]
                follow = rest[ends][:, others]
                cost = sums[ends, i] - sums[k, i] + price + follow.min(axis=1)
                best = cost.argmin()
                if cost[best] < rest[k, i]:
                    rest[k, i], plan[k, i] = cost[best], (ends[best], others[follow[best].argmin()])
    labels, k, mode = np.empty(steps, dtype=np.int64), 0, int(rest[0].argmin())
    while k < steps:
        end, following = plan[k, mode]
        labels[k:end] = mode
        k, mode = end, following
    return labels
