"""The optimal controller of a plant, what another one loses to it, and the two controllers without skill.

    S(x) = R + g G'PG        u*(x) = -g S^-1 G'P f(x)        V(x) = T(x)'P T(x) + g tr(P Sigma) / (1 - g)

Of every input u, Q*(x, u) - V(x) = (u - u*)' S (u - u*): what it loses if all later inputs are optimal. Summed along a loop that a
policy drives, with discount, this is the policy's regret (performance difference lemma: S. Kakade and J. Langford, ICML (2002), 267):

    E[sum_{k<T} g^k (u_k - u*_k)' S (u_k - u*_k)] = E[sum_{k<T} g^k (x_k'Q x_k + u_k'R u_k) + g^T V(x_T)] - E V(x_0)

the left side of which is >= 0 on every path and needs no tail. T steps of a policy and then the optimal one: what lies beyond T isn't counted.

Baselines: no input; and the linear-quadratic regulator of the linear model x[k+1] = A x + B u + c that fits the data best (Riccati
equation of sqrt(g) A and sqrt(g) B). The second is optimal for a linear plant, so it is the baseline of the others only.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from tasks.cps.t04_learning_based_control import plants
from tasks.cps.t04_learning_based_control.plants import Plant


def constant(plant: Plant) -> float:
    """b, in units of cost: what the noise costs for ever."""
    return float(plant.gamma / (1.0 - plant.gamma) * np.trace(plant.P @ plant.Sigma))


def lyapunov(plant: Plant, z: np.ndarray) -> np.ndarray:
    """z'Pz, (N,) float64: V without the constant, of transformed states (N, n)."""
    return np.einsum("ni,ij,nj->n", z, plant.P, z)


def value(plant: Plant, x: np.ndarray) -> np.ndarray:
    """V(x), (N,) float64, of states (N, n)."""
    return lyapunov(plant, plants.transform(plant, x)) + constant(plant)


def action(plant: Plant, x: np.ndarray, f: np.ndarray | None = None) -> np.ndarray:
    """u*(x), (N, m) float64; `f` saves computing f(x) again."""
    G, f = plants.gains(plant, x), plants.drift(plant, x) if f is None else f
    pull = np.einsum("nij,ni->nj", G, f @ plant.P)
    return -plant.gamma * np.linalg.solve(weight(plant, x), pull[..., None])[..., 0]


def weight(plant: Plant, x: np.ndarray) -> np.ndarray:
    """S(x), (N, m, m) float64; (1, m, m) where it is the same everywhere."""
    G = plants.gains(plant, x if plant.swing else x[:1])
    return plant.R + plant.gamma * G.swapaxes(1, 2) @ plant.P @ G


def loss(plant: Plant, x: np.ndarray, u: np.ndarray, f: np.ndarray | None = None) -> np.ndarray:
    """(u - u*)' S (u - u*), (N,) float64, in units of cost; `f` as in `action`."""
    gap = u - action(plant, x, f)
    return np.einsum("ni,nij,nj->n", gap, np.broadcast_to(weight(plant, x), (len(gap), *plant.R.shape)), gap)


def regret(plant: Plant, X: np.ndarray, U: np.ndarray) -> float:
    """Discounted losses along a loop, the mean over its starts.

    Args:
        plant: whose optimum is compared with.
        X: (T, N, n) float64: states.
        U: (T, N, m) float64: inputs at these states.
    """
    T, N, n = X.shape
    losses = loss(plant, X.reshape(T * N, n), U.reshape(T * N, -1)).reshape(T, N)
    return float(plant.gamma ** np.arange(T) @ losses.mean(1))


def linear_gain(X: np.ndarray, U: np.ndarray, Xn: np.ndarray, Q: np.ndarray, R: np.ndarray, gamma: float) -> np.ndarray:
    """(m, n) float64: K of u = -K x, the regulator of the linear model that fits the transitions best."""
    n = X.shape[1]
    model = np.linalg.lstsq(np.hstack([X, U, np.ones((len(X), 1))]), Xn, rcond=None)[0].T
    A, B = np.sqrt(gamma) * model[:, :n], np.sqrt(gamma) * model[:, n : n + U.shape[1]]
    P = linalg.solve_discrete_are(A, B, Q, R)
    return np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
