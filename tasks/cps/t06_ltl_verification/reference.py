"""Branch and bound over the box of initial states with affine bounds of the closed loop.

On a sub-box, written x[0] = centre + radius * e with |e_i| <= 1, every state and neuron is bounded by an affine function of e plus an
interval:  z in  c + G e + [-r, r].  A ReLU whose input has one sign on the sub-box stays affine, exactly. One whose input l .. u has both
signs is relaxed to  s z + t/2 +- t/2  with  s = u / (u - l),  t = -s l  (G. Singh et al., NeurIPS 2018; H. Zhang et al., NeurIPS 2018).
Lower bounds of the atoms give a lower bound of the formula's robustness, as no operator falls when an atom rises.

A sub-box whose lower bound is positive is done; a trace with negative robustness is a counterexample; everything else is halved along
the side that matters most for the width of the atoms.
"""

# ruff: noqa: E741 - l as in the literature

import numpy as np

SLACK = 1e-7  # far above rounding, far below the least margin that occurs
ROUNDS = 90
MOST_BOXES = 60_000


def verify(A, B, c, layers, low, high, formula, T):
    """Whether every trace from the box satisfies the formula.

    Args:
        A, B, c: (n, n), (n, m), (n,) float64: the plant x+ = A x + B u + c.
        layers: list of (W, b): the ReLU network u(x).
        low, high: (n,) float64: corners of the box of initial states.
        formula: nested list.
        T: last index of a trace.

    Returns:
        {"verdict": "safe", "unsafe" or "unknown", "witness": (n,) float64}.
    """
    loop = A, B, c, layers
    centre, radius = (low + high)[None] / 2, (high - low)[None] / 2
    for _ in range(ROUNDS):
        states = bound(loop, centre, radius, T)
        points = np.concatenate([centre, worst_corners(formula, states, centre, radius)])
        values = robustness(formula, simulate(loop, points, T))
        if values.min() < -SLACK:
            return {"verdict": "unsafe", "witness": points[values.argmin()]}
        lower = evaluate(formula, lambda h, d, states=states: lowest(h, d, states))[:, 0]
        still_open = lower <= SLACK
        if not still_open.any():
            return {"verdict": "safe", "witness": np.zeros(len(low))}
        weight = sum(np.abs(G[:, :, : len(low)]).sum(axis=1) for _, G in states)
        centre, radius = halves(centre[still_open], radius[still_open], weight[still_open])
        if len(centre) > MOST_BOXES:
            break
    return {"verdict": "unknown", "witness": np.zeros(len(low))}


def bound(loop, centre, radius, T):
    """Bounds of the states on N sub-boxes: for each k the centre (N, n) and the generators (N, n, n (k + 1))."""
    A, B, c, layers = loop
    x, G = centre, radius[:, None, :] * np.eye(centre.shape[1])
    found = [(x, G)]
    for _ in range(T):
        slope, offset, rest = network(layers, x, G)
        M = A + B @ slope
        x = np.einsum("nij,nj->ni", M, x) + offset @ B.T + c
        fresh = (rest @ np.abs(B).T)[:, :, None] * np.eye(x.shape[1])
        G = np.concatenate([M @ G, fresh], axis=2)
        found.append((x, G))
    return found


def network(layers, x, G):
    """The network on N zonotopes x + G e: u in  slope x + offset +- rest, with (N, m, n), (N, m) and (N, m)."""
    W, b = layers[0]
    S, o, r = np.broadcast_to(W, (len(x), *W.shape)), np.broadcast_to(b, (len(x), len(b))), np.zeros((len(x), len(b)))
    for W, b in layers[1:]:
        z = np.einsum("nij,nj->ni", S, x) + o
        reach = np.abs(S @ G).sum(axis=2) + r
        l, u = z - reach, z + reach
        s = np.where(u <= 0, 0.0, np.where(l >= 0, 1.0, u / np.maximum(u - l, 1e-300)))
        gap = np.where((l < 0) & (u > 0), -s * l / 2, 0.0)
        S, o, r = W @ (s[:, :, None] * S), (s * o + gap) @ W.T + b, (s * r + gap) @ np.abs(W).T
    return S, o, r


def lowest(h, d, states):
    """(N, T + 1) float64: lower bounds of d - h'x."""
    return np.stack([d - x @ h - np.abs(h @ G).sum(axis=1) for x, G in states], axis=1)


def worst_corners(formula, states, centre, radius):
    """A corner of each sub-box at which the atom with the lowest bound is lowest, by the part of it that is affine in x[0]."""
    n, rows = centre.shape[1], np.arange(len(centre))
    best, corners = np.full(len(centre), np.inf), centre.copy()
    for h, d in atoms(formula):
        values = lowest(h, d, states)
        at = values.argmin(axis=1)
        slopes = np.stack([h @ G[:, :, :n] for _, G in states], axis=1)[rows, at]
        better = values[rows, at] < best
        corners[better] = (centre + radius * np.sign(slopes))[better]
        best = np.minimum(best, values[rows, at])
    return corners


def halves(centre, radius, weight):
    """Both halves of each sub-box, cut across the side with the largest weight."""
    rows, side = np.arange(len(centre)), weight.argmax(axis=1)
    radius = radius.copy()
    radius[rows, side] /= 2
    shift = np.zeros_like(radius)
    shift[rows, side] = radius[rows, side]
    return np.concatenate([centre - shift, centre + shift]), np.concatenate([radius, radius])


def simulate(loop, x, T):
    """(N, T + 1, n) float64: traces from initial states x, (N, n)."""
    A, B, c, layers = loop
    trace = [x]
    for _ in range(T):
        z = x
        for W, b in layers[:-1]:
            z = np.maximum(z @ W.T + b, 0.0)
        W, b = layers[-1]
        x = x @ A.T + (z @ W.T + b) @ B.T + c
        trace.append(x)
    return np.stack(trace, axis=1)


def robustness(formula, traces):
    """(N,) float64: positive where the formula holds, negative where it doesn't."""
    return evaluate(formula, lambda h, d: d - traces @ h)[:, 0]


def atoms(formula):
    """Every (h, d) of a formula."""
    if formula[0] == "atom":
        return [(np.array(formula[1]), formula[2])]
    return [found for part in formula[1:] if isinstance(part, list) for found in atoms(part)]


def evaluate(formula, values):
    """(N, K) float64: robustness at each time, from values(h, d), the atoms' robustness or lower bounds of it."""
    operator = formula[0]
    if operator == "atom":
        return values(np.array(formula[1]), formula[2])
    if operator in ("and", "or"):
        parts = [evaluate(part, values) for part in formula[1:]]
        K = min(part.shape[1] for part in parts)
        return (np.minimum if operator == "and" else np.maximum).reduce([part[:, :K] for part in parts])
    a, b = formula[1:3]
    if operator == "until":
        return until(a, b, evaluate(formula[3], values), evaluate(formula[4], values))
    inner = evaluate(formula[3], values)
    window = [inner[:, j : inner.shape[1] - b + j] for j in range(a, b + 1)]
    return (np.minimum if operator == "always" else np.maximum).reduce(window)


def until(a, b, f, g):
    """Some j in the window with g at k + j, and f at k .. k + j - 1."""
    K = min(g.shape[1] - b, f.shape[1] - max(b - 1, 0))
    best = np.full((len(g), K), -np.inf)
    held = np.full((len(g), K), np.inf)
    for j in range(b + 1):
        if j >= a:
            best = np.maximum(best, np.minimum(g[:, j : j + K], held))
        if j < b:
            held = np.minimum(held, f[:, j : j + K])
    return best
