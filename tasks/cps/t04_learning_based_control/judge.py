"""Judge of t04: what policies learned from transitions lose on hidden plants whose optimum is known, regime by regime.

Processes of the candidate (see tasks/cps/verifier.py); in each it trains once a regime, and its policy is then asked on its own:

    measured   at the probe states; along T steps of all loops, whose plant runs on our side; at the probe states again, in another order
    units      trained on the same transitions in other units and another order, and asked at the probe states in these units

A policy must be a function of the state: the answers at the probe states before and after the loops must agree. What it loses is exact
(see oracle.py), so no roll-out of another policy and no estimate of a tail comes in:

    regret = mean over starts of sum_k g^k (u_k - u*_k)' S (u_k - u*_k)         cost = mean V(x_0) + regret

Gates for each regime: regret as a share of the baseline's (the regulator of the best linear model; where the plant is linear, and that one
nearly optimal, no input); cost as a share of the cost without any input; the share of probe states at which V falls in expectation;
how far the states go; inputs within u_max. score = mean over regimes of clip(1 - regret / regret of the baseline, 0, 1).

Not covered: exploration, since the transitions are given; what lies beyond T steps.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from assay.protocol import Call, Judgement, Mode, Problem, Returns, Value
from assay.records import Gate
from tasks.cps import probes
from tasks.cps.t04_learning_based_control import drawing, oracle, plants
from tasks.cps.t04_learning_based_control.drawing import Policy, Regime
from tasks.cps.verifier import Values, at_least, at_most

BEFORE, AFTER = 2, 1
"""calls of a regime before its loop (training and probe states) and after it"""


def calls(problem: Problem, mode: Mode) -> dict[str, tuple[Call, ...]]:
    """What each process of the candidate is asked."""
    measured: list[Call] = []
    units: list[Call] = []
    for number, regime in enumerate(hidden(problem).values()):
        first = len(measured)
        (N, _n), m = regime.starts.shape, regime.U.shape[1]
        loop = Loop(regime, first + BEFORE)
        measured += [_train(regime.arguments()), _ask(first, regime.probes, m)]
        steps = [Call(f"@{first}", (), Returns("array", shape=(N, m)), later=loop.at(k)) for k in range(len(regime.W))]
        measured += [*steps, _ask(first, regime.probes[order(problem, number, N)], m)]
        unit = Units.of(problem, number, regime)
        units += [_train(unit.arguments(regime)), _ask(len(units), regime.probes * unit.states, m)]
    return {"measured": tuple(measured), "units": tuple(units)}


def assess(problem: Problem, mode: Mode, values: Values) -> Judgement:
    """Gates, metrics and score from the answers to `calls`."""
    gates: list[Gate] = []
    metrics: dict[str, float | int | None] = {}
    same, first = 0.0, 0
    for number, (name, regime) in enumerate(hidden(problem).items()):
        T = len(regime.W)
        part = values["measured"][first : first + BEFORE + T + AFTER]
        first += len(part)
        asked, loop, again = part[1], np.stack(part[BEFORE : BEFORE + T]), part[-1]
        same = max(same, probes.largest_difference(again, asked[order(problem, number, len(asked))]) / regime.u_max)
        other = values["units"][2 * number + 1] / Units.of(problem, number, regime).inputs
        found = numbers(regime, asked, loop, other, part=problem.thresholds["decrease_part"])
        gates += _gates(problem, name, plants.nonlinear(regime.plant), found)
        metrics |= {f"{name}_{key}": value for key, value in found.items()}
    gates.append(at_most("same states, same inputs", same, problem.thresholds["same"]))
    scores = [metrics[f"{name}_score"] for name in problem.difficulty.axes["regimes"]]
    return Judgement(score=float(np.mean(scores)), gates=tuple(gates), metrics=metrics)


def yardsticks(problem: Problem) -> dict[str, Values]:
    """The optimal policies, and the baselines: the best linear model's regulator, or no input where that is nearly optimal."""

    def of(policy: Callable[[Regime], Policy]) -> Values:
        measured: list[Value] = []
        units: list[Value] = []
        for number, regime in enumerate(hidden(problem).values()):
            act = policy(regime)
            X, U = followed(regime, act)
            again = act(regime.probes[order(problem, number, len(X[0]))])
            measured += [None, act(regime.probes), *U, again]
            units += [None, act(regime.probes) * Units.of(problem, number, regime).inputs]
        return {"measured": tuple(measured), "units": tuple(units)}

    return {"oracle": of(optimal_policy), "baseline": of(drawing.baseline_policy)}


def optimal_policy(regime: Regime) -> Policy:
    """u*."""
    return lambda x: oracle.action(regime.plant, x)


def hidden(problem: Problem) -> dict[str, Regime]:
    """The hidden regimes by name, in the order of task.yaml."""
    return {name: drawing.read(problem.private / "full" / name) for name in problem.difficulty.axes["regimes"]}


def order(problem: Problem, number: int, N: int) -> np.ndarray:
    """Another order of the probe states."""
    return np.random.default_rng([414, problem.seed, number]).permutation(N)


@dataclass(frozen=True)
class Units:
    """Other units of a regime, x' = D x, u' = v u, cost' = c cost, and another order of its transitions."""

    states: np.ndarray
    """(n,) float64: the diagonal of D"""
    inputs: float
    """v, one for all inputs, since one bound holds for all"""
    cost: float
    """c"""
    rows: np.ndarray
    """(D,) int64"""

    @classmethod
    def of(cls, problem: Problem, number: int, regime: Regime) -> Units:
        """Drawn for the instance's regime of this number."""
        rng, most = np.random.default_rng([424, problem.seed, number]), np.log(problem.thresholds["unit"])
        D, n = regime.X.shape
        states = np.exp(rng.uniform(-most, most, size=n))
        inputs, cost = (float(np.exp(rng.uniform(-most, most))) for _ in range(2))
        return cls(states, inputs, cost, rng.permutation(D))

    def arguments(self, regime: Regime) -> tuple[np.ndarray | float, ...]:
        """What `train_controller` gets in these units."""
        X, U, Xn, Q, R, gamma, u_max = regime.arguments()
        Q, R = self.cost * Q / np.outer(self.states, self.states), self.cost * R / self.inputs**2
        rows, D = self.rows, self.states
        return X[rows] * D, U[rows] * self.inputs, Xn[rows] * D, Q, R, gamma, self.inputs * float(u_max)


@dataclass(frozen=True)
class Loop:
    """States of a regime's loops from the inputs so far; a pure function of these, though each state is computed once."""

    regime: Regime
    first: int
    """number of the loop's first call in its process"""
    known: dict[bytes, np.ndarray] = field(default_factory=dict)
    """states by a digest of the inputs that led there"""

    def at(self, k: int) -> Callable[[tuple[Value, ...]], tuple[Value, ...]]:
        """The arguments of step k from the values of all calls before it."""

        def later(values: tuple[Value, ...]) -> tuple[Value, ...]:
            x, digest = self.regime.starts, b""
            for w, u in zip(self.regime.W, values[self.first : self.first + k], strict=False):
                digest = hashlib.blake2b(digest + np.asarray(u).tobytes(), digest_size=16).digest()
                if digest not in self.known:
                    self.known[digest] = drawing.follow(self.regime.plant, x, held(self.regime, u), w)
                x = self.known[digest]
            return (x,)

        return later


def held(regime: Regime, u: np.ndarray) -> np.ndarray:
    """Inputs as the plant takes them: limited to u_max."""
    return np.clip(u, -regime.u_max, regime.u_max)


def followed(regime: Regime, policy: Policy) -> tuple[np.ndarray, list[np.ndarray]]:
    """States (T, N, n) and inputs, T of (N, m), of a policy of ours."""
    X, U, x = [], [], regime.starts
    for w in regime.W:
        X.append(x)
        U.append(policy(x))
        x = drawing.follow(regime.plant, x, held(regime, U[-1]), w)
    return np.stack(X), U


def numbers(regime: Regime, asked: np.ndarray, U: np.ndarray, other: np.ndarray, *, part: float) -> dict[str, float]:
    """What the answers to a regime are worth, by name.

    Args:
        regime: the regime.
        asked: (N, m) float64: inputs at the probe states.
        U: (T, N, m) float64: inputs along the loops.
        other: (N, m) float64: inputs at the probe states after training in other units, in the plain ones.
        part: of the optimal fall of V, which a fall must reach to count.
    """
    plant, idle = regime.plant, drawing.idle_policy(regime)
    X = states(regime, U)
    best, _ = drawing.optimal_loop(plant, regime.starts, regime.W)
    optimum = float(oracle.value(plant, regime.starts).mean())
    lost = oracle.regret(plant, X, np.stack([held(regime, u) for u in U]))
    baseline, without = (drawing.loop_regret(regime, one) for one in (drawing.baseline_policy(regime), idle))
    a_step = baseline / float(np.sum(plant.gamma ** np.arange(len(U))))
    return {
        "regret": lost,
        "optimum": optimum,
        "baseline_regret": baseline,
        "regret_share": lost / baseline,
        "cost_share": (optimum + lost) / (optimum + without),
        "decrease": decrease(regime, asked, part),
        "reach": float(_size(regime, X).max() / max(_size(regime, best).max(), _size(regime, regime.starts).max())),
        "bound": float(max(np.abs(U).max(), np.abs(asked).max(), np.abs(other).max()) / regime.u_max),
        "units_share": float(oracle.loss(plant, regime.probes, other).mean()) / a_step,
        "score": float(np.clip(1.0 - lost / baseline, 0.0, 1.0)) if np.isfinite(lost) else 0.0,
    }


def states(regime: Regime, U: np.ndarray) -> np.ndarray:
    """(T, N, n) float64: the loops' states under these inputs."""
    X, x = [], regime.starts
    for u, w in zip(U, regime.W, strict=True):
        X.append(x)
        x = drawing.follow(regime.plant, x, held(regime, u), w)
    return np.stack(X)


def decrease(regime: Regime, u: np.ndarray, part: float) -> float:
    """Share of the probe states, of those where V falls in expectation under u*, at which it falls at least by a part of that.

    The noise adds the same tr(P Sigma) to E V whatever the input; the falls that are compared are those without it.
    """
    plant, x = regime.plant, regime.probes
    now = oracle.lyapunov(plant, plants.transform(plant, x))
    best, mine = (now - oracle.lyapunov(plant, plants.mean_next(plant, x, one)) for one in (oracle.action(plant, x), u))
    falls = best > np.trace(plant.P @ plant.Sigma)
    return float(np.mean(mine[falls] >= part * best[falls])) if falls.any() else 1.0


def _size(regime: Regime, X: np.ndarray) -> np.ndarray:
    return np.linalg.norm(X, axis=-1) / regime.plant.length


def _gates(problem: Problem, name: str, nonlinear: bool, found: dict[str, float]) -> list[Gate]:
    bounds = problem.thresholds
    return [
        at_most(f"{name}: regret share", found["regret_share"], bounds["regret_share" if nonlinear else "idle_share"]),
        at_most(f"{name}: cost share", found["cost_share"], bounds["cost_share"]),
        at_least(f"{name}: value falls", found["decrease"], bounds["decrease"]),
        at_most(f"{name}: reach", found["reach"], bounds["reach"]),
        at_most(f"{name}: input bound", found["bound"], 1.0 + bounds["same"]),
        at_most(f"{name}: other units", found["units_share"], bounds["units_share" if nonlinear else "idle_share"]),
    ]


def _train(arguments: tuple[np.ndarray | float, ...]) -> Call:
    return Call("train_controller", arguments, Returns("callable"))


def _ask(trained: int, x: np.ndarray, m: int) -> Call:
    return Call(f"@{trained}", (x,), Returns("array", shape=(len(x), m)))
