"""Plants of the hidden regimes, sampled with a zero-order hold, and the weights and bounds that are drawn for them.

    integrator  a mass on a line: p'' = u
    masses      two carts, a spring and a damper between them, a force on the first or on each (B. Wie and D. S. Bernstein, J. Guid.
                Control Dyn. 15 (1992), 1057)
    pendulum    an inverted pendulum about its upright position: q'' = (g / l) q - d q' + u
    cart_pole   the same on a cart that is pushed (cart position, angle and their rates)
    tanks       four tanks, two pumps, each of which feeds two tanks (K. H. Johansson, IEEE Trans. Control Syst. Technol. 8 (2000), 456),
                linearised about a working point; minimum phase or not as the valves are drawn
    scalar      one state: x+ = a x + b u, unstable at times, with one input or more
    modes       damped rotations and decays in a mixed basis, at times slowly unstable

Sizes of states are set by what the inputs reach: x_bound_i is a share of the largest |x_i| that bounded inputs from rest reach in a part of
the horizon. Weights are drawn in those sizes, so none of them is without effect.

Not covered: nonlinear plants, delays, direct feed-through.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import linalg

from tasks.cps.t03_model_predictive_control.problems import Mpc

GRAVITY = 9.81


def draw(rng: np.random.Generator, kind: Mapping[str, Any]) -> Mpc:
    """A plant with weights, horizon and bounds.

    Args:
        rng: the instance's generator; moved on.
        kind: an entry of `regimes` in task.yaml: plant, N (first and last horizon), r (range of the inputs' weight), and where they differ
            from the plain case: sizes (a list of [n, m]), q, qf, x_bounds, u_bounds, growth.
    """
    N = int(rng.integers(kind["N"][0], kind["N"][1] + 1))
    A, B = PLANTS[kind["plant"]](rng, kind, N)
    n, m = B.shape
    u_size = np.exp(rng.uniform(np.log(0.3), np.log(3.0), size=m))
    x_size = rng.uniform(*kind.get("room", (0.2, 0.5)), size=n) * reach(A, B * u_size, max(2, N // 2))
    R = np.exp(rng.uniform(*np.log(kind["r"]))) * spd(rng, m, spread=20.0) / np.outer(u_size, u_size)
    Q = _weight(rng, kind.get("q", "full"), n) / np.outer(x_size, x_size)
    mpc = Mpc(
        A=A,
        B=B,
        Q=Q,
        R=R,
        Qf=_final(rng, kind.get("qf", "drawn"), x_size, (A, B, Q, R)),
        N=N,
        u_min=-u_size * rng.uniform(0.7, 1.4, size=m),
        u_max=u_size * rng.uniform(0.7, 1.4, size=m),
        x_min=-x_size * rng.uniform(0.7, 1.4, size=n),
        x_max=x_size * rng.uniform(0.7, 1.4, size=n),
    )
    return mpc.changed(
        **_opened(rng, kind.get("x_bounds", "all"), "x", mpc), **_opened(rng, kind.get("u_bounds", "all"), "u", mpc)
    )


def reach(A: np.ndarray, B: np.ndarray, steps: int) -> np.ndarray:
    """(n,) float64: the largest |x_i| that inputs of size 1 reach from rest within some steps."""
    power, total = B, np.zeros(len(A))
    for _ in range(steps):
        total = total + np.abs(power).sum(axis=1)
        power = A @ power
    return total


def spd(rng: np.random.Generator, n: int, *, spread: float) -> np.ndarray:
    """(n, n) float64: a random positive definite matrix with a mean eigenvalue of 1; the largest is at most `spread` times the smallest."""
    basis = np.linalg.qr(rng.normal(size=(n, n)))[0]
    values = np.exp(rng.uniform(0.0, np.log(spread), size=n))
    matrix = (basis * (values / values.mean())) @ basis.T
    return (matrix + matrix.T) / 2


def _weight(rng: np.random.Generator, how: str, n: int) -> np.ndarray:
    """(n, n) float64, positive semi-definite: diagonal, full, or of about half the rank (singular)."""
    if how == "diagonal":
        return np.diag(np.exp(rng.uniform(np.log(0.1), 0.0, size=n)))
    if how == "singular":
        G = rng.normal(size=(n, n // 2))
        return G @ G.T / n
    return spd(rng, n, spread=10.0)


def _final(rng: np.random.Generator, how: str, x_size: np.ndarray, plant: tuple[np.ndarray, ...]) -> np.ndarray:
    """(n, n) float64: Qf: zero, the Riccati equation's solution, or drawn apart from Q."""
    if how == "zero":
        return np.zeros((len(x_size),) * 2)
    if how == "riccati":
        P = linalg.solve_discrete_are(*plant)
        return (P + P.T) / 2
    return np.exp(rng.uniform(np.log(3.0), np.log(20.0))) * spd(rng, len(x_size), spread=10.0) / np.outer(x_size, x_size)


def _opened(rng: np.random.Generator, how: str, name: str, mpc: Mpc) -> dict[str, np.ndarray]:
    """Bounds of the states (x) or the inputs (u) of which some, or all, are infinite."""
    low, high = getattr(mpc, f"{name}_min").copy(), getattr(mpc, f"{name}_max").copy()
    if how == "some":  # of each component one side, at the most
        sides = rng.integers(3, size=len(low))
        sides[rng.integers(len(low))] = rng.integers(2)
        low[sides == 0], high[sides == 1] = -np.inf, np.inf
    if how == "none":
        low[:], high[:] = -np.inf, np.inf
    return {f"{name}_min": low, f"{name}_max": high}


def _held(Ac: np.ndarray, Bc: np.ndarray, dt: float) -> tuple[np.ndarray, np.ndarray]:
    """A and B of x' = Ac x + Bc u with u held for dt s (C. F. Van Loan, IEEE Trans. Autom. Control 23 (1978), 395)."""
    n, m = Bc.shape
    block = linalg.expm(dt * np.vstack([np.hstack([Ac, Bc]), np.zeros((m, n + m))]))
    return block[:n, :n], block[:n, n:]


def _integrator(rng: np.random.Generator, kind: Mapping[str, Any], N: int) -> tuple[np.ndarray, np.ndarray]:
    return _held(np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([[0.0], [rng.uniform(0.5, 2.0)]]), rng.uniform(0.1, 0.4))


def _masses(rng: np.random.Generator, kind: Mapping[str, Any], N: int) -> tuple[np.ndarray, np.ndarray]:
    mass, spring, damper = rng.uniform(0.5, 2.0, size=2), rng.uniform(0.5, 3.0), rng.uniform(0.05, 0.4)
    pull = np.array([[-1.0, 1.0], [1.0, -1.0]]) / mass[:, None]
    Ac = np.block([[np.zeros((2, 2)), np.eye(2)], [spring * pull, damper * pull]])
    forces = int(kind["sizes"][rng.integers(len(kind["sizes"]))][1])
    Bc = np.vstack([np.zeros((2, forces)), np.diag(1.0 / mass)[:, :forces]])
    return _held(Ac, Bc, rng.uniform(0.2, 0.5))


def _pendulum(rng: np.random.Generator, kind: Mapping[str, Any], N: int) -> tuple[np.ndarray, np.ndarray]:
    rate = np.sqrt(GRAVITY / rng.uniform(0.3, 1.5))
    Ac = np.array([[0.0, 1.0], [rate**2, -rng.uniform(0.05, 0.3)]])
    return _held(Ac, np.array([[0.0], [rng.uniform(0.5, 2.0)]]), _interval(rng, kind, rate, N))


def _cart_pole(rng: np.random.Generator, kind: Mapping[str, Any], N: int) -> tuple[np.ndarray, np.ndarray]:
    ratio, length = rng.uniform(0.1, 0.4), rng.uniform(0.4, 1.5)  # mass of the pole over that of the cart; distance of its mass
    rate = np.sqrt((1 + ratio) * GRAVITY / length)
    Ac = np.zeros((4, 4))
    Ac[0, 2] = Ac[1, 3] = 1.0
    Ac[2, 1], Ac[3, 1], Ac[2, 2] = -ratio * GRAVITY, rate**2, -rng.uniform(0.05, 0.2)
    return _held(Ac, np.array([[0.0], [0.0], [1.0], [-1.0 / length]]), _interval(rng, kind, rate, N))


def _interval(rng: np.random.Generator, kind: Mapping[str, Any], rate: float, N: int) -> float:
    """A sampling time for which an unstable mode grows over the horizon by a factor in `growth`."""
    return float(np.log(rng.uniform(*kind["growth"])) / (rate * N))


def _tanks(rng: np.random.Generator, kind: Mapping[str, Any], N: int) -> tuple[np.ndarray, np.ndarray]:
    T = rng.uniform(
        [50.0, 70.0, 20.0, 25.0], [80.0, 110.0, 40.0, 45.0]
    )  # s; tanks 3 and 4 stand above 1 and 2 and flow into them
    valve = rng.uniform(0.25, 0.75, size=2)
    gain = rng.uniform(0.06, 0.15, size=2)
    Ac = np.diag(-1.0 / T)
    Ac[0, 2], Ac[1, 3] = 1.0 / T[2], 1.0 / T[3]
    lower, upper = np.diag(valve * gain), np.diag((1 - valve) * gain)[::-1]
    return _held(Ac, np.vstack([lower, upper]), rng.uniform(5.0, 12.0))


def _scalar(rng: np.random.Generator, kind: Mapping[str, Any], N: int) -> tuple[np.ndarray, np.ndarray]:
    m = int(kind["sizes"][rng.integers(len(kind["sizes"]))][1])
    a = np.exp(np.log(rng.uniform(*kind["growth"])) / N)
    return np.array([[a]]), rng.uniform(0.5, 2.0, size=(1, m)) * rng.choice([-1.0, 1.0], size=(1, m))


def _modes(rng: np.random.Generator, kind: Mapping[str, Any], N: int) -> tuple[np.ndarray, np.ndarray]:
    n, m = (int(size) for size in kind["sizes"][rng.integers(len(kind["sizes"]))])
    D = np.diag(rng.uniform(0.75, 1.03, size=n))
    for i in range(0, n - 1, 2):
        angle = rng.uniform(0.1, 0.9)
        D[i : i + 2, i : i + 2] = D[i, i] * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    basis = np.eye(n) + 0.4 * rng.normal(size=(n, n)) / np.sqrt(n)
    return basis @ D @ np.linalg.inv(basis), rng.normal(size=(n, m))


PLANTS = {
    "integrator": _integrator,
    "masses": _masses,
    "pendulum": _pendulum,
    "cart_pole": _cart_pole,
    "tanks": _tanks,
    "scalar": _scalar,
    "modes": _modes,
}
