"""Fitted value iteration on a learned model.

Model: x+ = F(x) + G(x) u by kernel ridge regression beside a linear part; width and ridge by generalised cross-validation.
Value: a quadratic form of the positive and the negative parts of the states, so that it may have kinks where a state is 0.
Policy: the input that minimises u'Ru + gamma V(F(x) + G(x) u), by Newton's steps.
"""

import numpy as np

WIDTHS = (1.0, 2.0, 4.0)
RIDGES = (1e-3, 1e-2, 1e-1, 1.0)
CENTRES = 400
STATES = 500
SWEEPS = 40


class Model:
    """Mean of the next state, affine in u."""

    def __init__(self, X, U, Xn):
        self.scale, self.unit, self.centres = X.std(0), U.std(0), X[:CENTRES] / X.std(0)
        best, variance = np.inf, Xn.var(0)
        for width in WIDTHS:
            Phi = self.features(X, U, width)
            values, vectors = np.linalg.eigh(Phi.T @ Phi)
            share = vectors.T @ (Phi.T @ Xn)
            for ridge in RIDGES:
                weights = vectors @ (share / (values + ridge)[:, None])
                freedom = len(X) - np.sum(values / (values + ridge))
                error = np.mean(((Xn - Phi @ weights) ** 2).mean(0) / variance) / max(freedom, 1.0) ** 2
                if error < best:
                    best, self.width, self.weights = error, width, weights

    def of_state(self, x, width):
        """Constant, linear, absolute and radial parts, (N, f)."""
        x = x / self.scale
        squares = (x**2).sum(1)[:, None] + (self.centres**2).sum(1) - 2 * x @ self.centres.T
        bumps = np.exp(-np.maximum(squares, 0) / (2 * x.shape[1] * width**2))
        return np.hstack([10 * np.ones((len(x), 1)), 10 * x, 10 * np.abs(x), bumps])

    def of_input(self, x):
        """What the gains of the inputs are made of, (N, 2n + 1)."""
        x = x / self.scale
        return np.hstack([np.ones((len(x), 1)), x, np.abs(x)])

    def features(self, x, u, width):
        """Of states and inputs, (N, f)."""
        products = (u / self.unit)[:, :, None] * self.of_input(x)[:, None, :]
        return np.hstack([self.of_state(x, width), products.reshape(len(x), -1)])

    def affine(self, x):
        """F (N, n) and G (N, n, m)."""
        features = self.of_state(x, self.width)
        states = features.shape[1]
        W = self.weights[states:].reshape(len(self.unit), -1, x.shape[1])
        return features @ self.weights[:states], np.einsum("nf,mfi->nim", self.of_input(x), W) / self.unit


def parts(x):
    """Positive and negative parts, (N, 2n)."""
    return np.hstack([np.maximum(x, 0), np.minimum(x, 0)])


def form(P, y):
    """y'Py, (N,)."""
    return np.einsum("ni,ij,nj->n", y, P, y)


def derivatives(P, x):
    """Gradient (N, n) and Hessian (N, n, n) of the form P in the parts of x."""
    eye = np.eye(x.shape[1])
    J = np.concatenate([(x >= 0)[:, :, None] * eye, (x < 0)[:, :, None] * eye], axis=1)
    H = 2 * J.swapaxes(1, 2) @ P @ J
    return np.einsum("nij,nj->ni", H, x), H


def greedy(affine, P, R, gamma, u_max, steps=3):
    """argmin over u of u'Ru + gamma V(F + G u)."""
    F, G = affine
    u = np.zeros((len(F), G.shape[2]))
    for _ in range(steps):
        slope, bend = derivatives(P, F + np.einsum("nij,nj->ni", G, u))
        slope = 2 * u @ R + gamma * np.einsum("nij,ni->nj", G, slope)
        bend = 2 * R + gamma * G.swapaxes(1, 2) @ bend @ G
        u = np.clip(u - np.linalg.solve(bend, slope[..., None])[..., 0], -u_max, u_max)
    return u


def positive(P):
    """The nearest positive semi-definite matrix."""
    values, vectors = np.linalg.eigh((P + P.T) / 2)
    return (vectors * np.maximum(values, 0)) @ vectors.T


def train_controller(X, U, Xn, Q, R, gamma, u_max):
    """The policy."""
    model = Model(X, U, Xn)
    x = X[:STATES]
    affine = model.affine(x)
    n2 = 2 * x.shape[1]
    i, j = np.triu_indices(n2)
    y = parts(x / model.scale)
    basis = np.hstack([y[:, i] * y[:, j] * np.where(i == j, 1, 2), np.ones((len(x), 1))])
    weight = 1 / (form(Q, x) + np.trace(Q @ np.cov(Xn.T)) / 10)[:, None]
    fit = np.linalg.pinv(basis * weight, rcond=1e-6)
    S = np.diag(1 / np.tile(model.scale, 2))
    P = np.kron(np.ones((2, 2)), Q)
    cost = form(Q, x)
    for _ in range(SWEEPS):
        u = greedy(affine, P, R, gamma, u_max)
        after = affine[0] + np.einsum("nij,nj->ni", affine[1], u)
        theta = fit @ ((cost + form(R, u) + gamma * form(P, parts(after))) * weight[:, 0])
        P = np.zeros((n2, n2))
        P[i, j] = P[j, i] = theta[:-1]
        P = S @ positive(P) @ S

    def policy(states):
        return greedy(model.affine(states), P, R, gamma, u_max)

    return policy
