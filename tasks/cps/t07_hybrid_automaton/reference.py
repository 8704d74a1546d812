"""Clusterwise regression from many starts, then alternation between the law of the modes and least squares.

    starts    K planes through local data: neighbours in the last output, or windows in time; K-plane alternation of all starts at once
    guards    the partition of the last outputs with the least cost: exact for one output (dynamic programming over the sorted outputs),
              by logistic regression, weighted with what a wrong label would cost, for several
    dwell     the cheapest mode sequences whose stays are long enough, by dynamic programming over switching times
    best      the start whose lawful labels leave the least squared error

Costs are squared residuals over the noise's variance. See S. Paoletti et al., "Identification of hybrid systems: a tutorial", Eur. J.
Control 13 (2007), 242, section 5.
"""

from itertools import permutations

import numpy as np

STARTS = 24
KEPT = 4
ROUNDS = 6


def identify_modes(Y, U, K, na, nb, dwell):
    """Modes, parameters and guards of a switched ARX model.

    Args:
        Y, U: (N, T, p), (N, T, m) float64: outputs and inputs.
        K, na, nb: number of modes, output lags, input lags.
        dwell: least number of steps in a mode, or 0 where guards decide.

    Returns:
        (N, T - L) int64 modes, (K, p, na p + nb m + 1) float64 parameters, (K, p + 1) float64 guards (zeros in a dwell regime).
    """
    unit = Y.std()
    Y, U, lag = Y / unit, U / unit, max(na, nb)
    past = [Y[:, lag - i : -i] for i in range(1, na + 1)] + [U[:, lag - i : -i] for i in range(1, nb + 1)]
    phi = np.concatenate([*past, np.ones((*past[0].shape[:2], 1))], axis=2)
    shape = phi.shape[:2]
    phi, y, last = phi.reshape(-1, phi.shape[2]), Y[:, lag:].reshape(-1, Y.shape[2]), Y[:, lag - 1 : -1].reshape(-1, Y.shape[2])
    labelled = (lambda cost: (sequences(cost, shape, dwell, lag), None)) if dwell else (lambda cost: partition(cost, last))
    best = (np.inf,)
    for theta in planes(phi, y, starts(phi, y, last, K, window=dwell)):
        found = settle(phi, y, theta, labelled)
        if found[0] < best[0]:
            best = found
    _, labels, theta, guards = best
    params = np.concatenate([theta[:, :, :-1], unit * theta[:, :, -1:]], axis=2)
    guards = np.zeros((K, Y.shape[2] + 1)) if dwell else np.hstack([guards[:, :-1] / unit, guards[:, -1:]])
    return labels.reshape(shape), params, guards


def starts(phi, y, last, K, window):
    """(STARTS, K, p, d): least squares on local groups of samples."""
    rng = np.random.default_rng(0)
    n, d = phi.shape
    size = max(3 * d, n // 25)
    found = np.empty((STARTS, K, y.shape[1], d))
    for group in found.reshape(-1, y.shape[1], d):
        centre = rng.integers(n)
        if window:
            rows = np.arange(min(centre, n - window), min(centre + window, n))
        else:
            rows = np.argpartition(((last - last[centre]) ** 2).sum(1), size)[:size]
        group[:] = solved(phi[rows].T @ phi[rows], phi[rows].T @ y[rows])
    return found


def planes(phi, y, theta):
    """(at most KEPT, K, p, d): the best fits after alternating nearest planes and least squares, without regard to the law."""
    n, d = phi.shape
    products = (phi[:, :, None] * np.concatenate([phi, y], axis=1)[:, None, :]).reshape(n, -1)
    for rounds, kept in ((4, STARTS // 4), (12, KEPT)):
        for _ in range(rounds):
            cost = distances(phi, y, theta)
            member = (cost == cost.min(axis=1, keepdims=True)).reshape(-1, n)
            sums = (member.astype(float) @ products).reshape(*theta.shape[:2], d, -1)
            theta = solved(sums[..., :d], sums[..., d:])
        total = distances(phi, y, theta).min(axis=1).sum(axis=1)
        theta = theta[np.unique(total.round(9), return_index=True)[1][:kept]]  # of equal ones, one
    return theta


def distances(phi, y, theta):
    """(S, K, n): squared residuals of every sample in every mode of S fits (S, K, p, d)."""
    S, K, p, d = theta.shape
    return sum((theta[:, :, r].reshape(-1, d) @ phi.T - y[:, r]) ** 2 for r in range(p)).reshape(S, K, -1)


def settle(phi, y, theta, labelled):
    """Alternate lawful labels and least squares: cost, labels (n,), theta (K, p, d), guards."""
    K, labels = len(theta), None
    for _ in range(ROUNDS):
        errors = distances(phi, y, theta[None])[0]
        scale = np.mean(errors.min(axis=0)) / y.shape[1]
        before, (labels, guards) = labels, labelled(errors.T / scale)
        rows = [labels == i for i in range(K)]
        theta = solved(np.stack([phi[i].T @ phi[i] for i in rows]), np.stack([phi[i].T @ y[i] for i in rows]))
        if before is not None and np.array_equal(labels, before):
            break
    return float(((y - np.einsum("npd,nd->np", theta[labels], phi)) ** 2).sum()), labels, theta, guards


def solved(gram, cross):
    """(..., p, d): the normal equations' solution, with a ridge that only an empty or degenerate group feels."""
    ridge = 1e-9 * (1 + np.trace(gram, axis1=-2, axis2=-1))[..., None, None] * np.eye(gram.shape[-1])
    return np.swapaxes(np.linalg.solve(gram + ridge, cross), -1, -2)


def partition(cost, last):
    """Labels (n,) and guards (K, p + 1) of the cheapest partition of the last outputs by affine scores."""
    guards = intervals(cost, last[:, 0]) if last.shape[1] == 1 else gates(cost, last)
    return np.argmax(last @ guards[:, :-1].T + guards[:, -1], axis=1), guards


def intervals(cost, x):
    """(K, 2): guards of K intervals of a scalar (n,), in the cheapest order, with the cheapest cuts between samples."""
    _n, K = cost.shape
    order = np.argsort(x)
    sums = np.vstack([np.zeros(K), np.cumsum(cost[order], axis=0)])
    _, cuts, names = min((*cheapest(sums[:, list(names)]), list(names)) for names in permutations(range(K)))
    edges = np.concatenate([x[order][:1] - 1, (x[order][1:] + x[order][:-1]) / 2, x[order][-1:] + 1])
    guards = np.empty((K, 2))
    guards[names] = np.stack([np.arange(K), -np.concatenate([[0.0], np.cumsum(edges[cuts])])], axis=1)
    return guards


def cheapest(sums):
    """Least cost of K intervals in a given order, from cumulative costs (n + 1, K), and where the K - 1 cuts lie."""
    n, K = len(sums) - 1, sums.shape[1]
    value, origins = sums[:, 0], []
    for r in range(1, K):
        before = value - sums[:, r]
        least = np.minimum.accumulate(before)
        origins.append(np.maximum.accumulate(np.where(before == least, np.arange(n + 1), 0)))
        value = least + sums[:, r]
    cuts = [n]
    for came in reversed(origins):
        cuts.insert(0, int(came[cuts[0]]))
    return float(value[n]), cuts[:-1]


def gates(cost, last):
    """(K, p + 1): guards as the gates of a mixture of experts: P(mode | last output) is the softmax of the scores.

    Expectation: what gates and residuals say together. Maximisation: one Newton step of the logistic regression on it, with a ridge that
    falls round by round: where the samples can be parted, the guards go to the middle of the gap.
    """
    n, K = cost.shape
    centre, spread = last.mean(axis=0), last.std(axis=0)
    z = np.column_stack([(last - centre) / spread, np.ones(n)])
    width, guards = z.shape[1], np.zeros((K, z.shape[1]))
    for ridge in np.geomspace(1e-2, 1e-5, 10):
        score = guards @ z.T
        share, target = softmax(score), softmax(score - cost.T / 2)
        slope = (share - target) @ z / n + ridge * guards
        outer = (share[:, None] * z.T).reshape(-1, n)
        curve = ridge * np.eye(K * width) - outer @ outer.T / n
        for i in range(K):
            block = slice(i * width, (i + 1) * width)
            curve[block, block] += outer[block] @ z / n
        guards = guards - np.linalg.solve(curve, slope.ravel()).reshape(guards.shape)
    guards[:, :-1] /= spread
    guards[:, -1] -= guards[:, :-1] @ centre
    return guards


def softmax(score):
    """Shares of scores (K, n), which add up to 1 over the modes."""
    share = np.exp(score - score.max(axis=0))
    return share / share.sum(axis=0)


def sequences(cost, shape, dwell, lag):
    """(n,): the cheapest labels whose stays last at least `dwell` steps; the first began at step 0, the last may be cut.

    value[k, :, i] is the least cost of the first k labels where mode i holds and may be left; begin[k, :, i] is where its stay began.
    """
    (N, T), K = shape, cost.shape[1]
    sums = np.concatenate([np.zeros((N, 1, K)), np.cumsum(cost.reshape(N, T, K), axis=1)], axis=1).swapaxes(0, 1)
    others = np.where(np.eye(K, dtype=bool), np.inf, 2 * np.log(10.0 * (K - 1)))  # a mode is left about every tenth step
    value, enter = np.full((T + 1, N, K), np.inf), np.full((T + 1, N, K), np.inf)
    begin, origin = np.zeros((T + 1, N, K), dtype=int), np.zeros((T + 1, N, K), dtype=int)
    first = max(dwell - lag, 1)
    for k in range(first, T + 1):
        kept = sums[k] if k == first else value[k - 1] + sums[k] - sums[k - 1]
        fresh = enter[k - dwell] + sums[k] - sums[k - dwell] if k > dwell else np.full((N, K), np.inf)
        value[k] = np.minimum(kept, fresh)
        begin[k] = np.where(kept <= fresh, begin[k - 1], k - dwell)
        moves = value[k][:, :, None] + others
        enter[k], origin[k] = moves.min(axis=1), moves.argmin(axis=1)
    for k in range(T - dwell + 1, T):  # a stay that the record cuts
        cut = enter[k] + sums[T] - sums[k]
        begin[T] = np.where(cut < value[T], k, begin[T])
        value[T] = np.minimum(cut, value[T])
    labels = np.empty((N, T), dtype=int)
    for i in range(N):
        end, mode = T, int(value[T, i].argmin())
        while end:
            start = begin[end, i, mode]
            labels[i, start:end] = mode
            end, mode = start, int(origin[start, i, mode])
    return labels.ravel()
