"""Probe inputs for t03 and the gates and metrics from what came back; the processes are explained in the domain's verifier.

    measured    each hidden regime once, as it is
    disguised   some starts of each regime again, in another order, twice: in other units of states, inputs and cost, and mirrored (all
                signs turned). The answers are known from the same optimum: J' = c J, and the least stretch stays what it is

Each answer is measured by itself: the states are rolled out here, the cost is compared with the certified optimum J*, the stretch of an
infeasible start with the least one. For a U within the bounds J(U) / J* - 1 is the residual of the KKT conditions, with the best multipliers,
in the norm of the inverse Hessian (see oracle.py), so there is no other gate on it.

score = mean over regimes of the mean over starts of 1 - clip(gap / scale, 0, 1), over the starts where clipped LQR gains have no skill; 0 for
a start whose flag is wrong or whose bounds are broken. scale is `scale`, or what the clipped LQR gains lose where that is less.

Not covered: speed beyond the limits, closed loops (the optimum of each step is what a closed loop is made of).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.protocol import Call, Judgement, Mode, Problem, Returns, Value
from assay.records import Gate
from tasks.cps.t03_model_predictive_control import oracle, problems, regimes
from tasks.cps.t03_model_predictive_control.problems import Mpc
from tasks.cps.t03_model_predictive_control.regimes import Regime
from tasks.cps.verifier import Values, at_most

DISGUISES = ("units", "mirror")


@dataclass(frozen=True)
class Measured:
    """What the answer to one call is worth."""

    wrong_flags: int
    """starts whose feasibility is misjudged"""
    input_excess: float
    """by which share of itself an input bound is exceeded at most; <= 0 where none is"""
    state_excess: float
    """the same for the state bounds of feasible starts"""
    gap: float
    """the largest J / J* - 1 of a feasible start"""
    stretch_gap: float
    """the largest stretch of an infeasible start over the least one, - 1"""
    score: float
    """0 .. 1: mean over the starts that count"""


def calls(problem: Problem, mode: Mode) -> dict[str, tuple[Call, ...]]:
    """What each process of the candidate is asked."""
    asked = hidden(problem).values()
    disguised = [_call(one) for number, regime in enumerate(asked) for one in disguises(problem, number, regime)]
    return {"measured": tuple(_call(regime) for regime in asked), "disguised": tuple(disguised)}


def assess(problem: Problem, mode: Mode, values: Values) -> Judgement:
    """Gates, metrics and score from the answers to `calls`."""
    gates: list[Gate] = []
    metrics: dict[str, float | int | None] = {}
    scores, seen = [], {name: [] for name in DISGUISES}
    for number, (name, regime) in enumerate(hidden(problem).items()):
        found = measure(problem, regime, values["measured"][number])
        gates += _gates(problem, name, [found])
        scores.append(found.score)
        metrics |= {f"{name}_{key}": value for key, value in vars(found).items()}
        for offset, (disguise, one) in enumerate(zip(DISGUISES, disguises(problem, number, regime), strict=True)):
            seen[disguise].append(measure(problem, one, values["disguised"][len(DISGUISES) * number + offset]))
    for disguise, several in seen.items():
        gates += _gates(problem, disguise, several)
    return Judgement(score=float(np.mean(scores)), gates=tuple(gates), metrics=metrics)


def yardsticks(problem: Problem) -> dict[str, Values]:
    """The optimum's answers, and those of the clipped LQR gains."""

    def of(answer: Callable[[Mpc, np.ndarray], Value]) -> Values:
        return {
            name: tuple(answer(*_problem_of(call.arguments)) for call in batch) for name, batch in calls(problem, "full").items()
        }

    def best(mpc: Mpc, x0: np.ndarray) -> Value:
        solution = oracle.solve(mpc, x0)
        return solution.U, solution.feasible

    return {"oracle": of(best), "baseline": of(oracle.clipped_lqr)}


def hidden(problem: Problem) -> dict[str, Regime]:
    """The hidden regimes by name, in the order of task.yaml."""
    return {name: regimes.read(problem.private / "full" / name) for name in problem.difficulty.axes["regimes"]}


def disguises(problem: Problem, number: int, regime: Regime) -> tuple[Regime, Regime]:
    """Some starts of a regime in other units, and mirrored; the same starts in both, so that one can't be answered with the other."""
    rng = np.random.default_rng([303, problem.seed, number])
    M, mpc = len(regime.x0), regime.mpc
    chosen = rng.permutation(M)[: int(np.ceil(problem.thresholds["share"] * M))]
    unit, cost_unit = problem.thresholds["unit"], problem.thresholds["cost_unit"]
    x_unit = unit ** rng.uniform(-1.0, 1.0, size=len(mpc.A))
    u_unit = unit ** rng.uniform(-1.0, 1.0, size=mpc.B.shape[1])
    cost = float(cost_unit ** rng.uniform(-1.0, 1.0))
    feasible, value, binding = regime.feasible[chosen], regime.value[chosen], regime.binding[chosen]
    x0, U = regime.x0[chosen], regime.U[chosen]
    other = Regime(
        mpc=mpc.in_units(x_unit, u_unit, cost),
        x0=x0 / x_unit,
        U=U / u_unit,
        feasible=feasible,
        value=np.where(feasible, cost, 1.0) * value,
        binding=binding,
    )
    return other, Regime(mpc=mpc.mirrored(), x0=-x0, U=-U, feasible=feasible, value=value, binding=binding)


def measure(problem: Problem, regime: Regime, answer: Value) -> Measured:
    """What an answer (U, feasible) to a regime is worth."""
    U, flags = answer[0], np.asarray(answer[1])
    X = problems.rollout(regime.mpc, regime.x0, U)
    inputs, states = problems.input_stretch(regime.mpc, U) - 1.0, problems.state_stretch(regime.mpc, X)
    gap = np.where(regime.feasible, problems.cost(regime.mpc, X, U), states) / regime.value - 1.0
    right, bound = flags == regime.feasible, problem.thresholds["bounds"]
    kept = right & (inputs <= bound) & (~regime.feasible | (states - 1.0 <= bound))
    share = gap / scales(problem, regime)
    skill = np.where(kept & np.isfinite(share), 1.0 - np.clip(share, 0.0, 1.0), 0.0)
    return Measured(
        wrong_flags=int(np.sum(~right)),
        input_excess=float(inputs.max()),
        state_excess=float((states - 1.0)[regime.feasible].max(initial=-1.0)),
        gap=float(gap[regime.feasible].max(initial=0.0)),
        stretch_gap=float(gap[~regime.feasible].max(initial=0.0)),
        score=float(skill[regime.binding].mean()),
    )


def scales(problem: Problem, regime: Regime) -> np.ndarray:
    """(M,) float64: the gap at which a start counts as unsolved: what clipped LQR gains lose, at most `scale`."""
    U, _ = oracle.clipped_lqr(regime.mpc, regime.x0)
    X = problems.rollout(regime.mpc, regime.x0, U)
    lost = problems.cost(regime.mpc, X, U) / regime.value - 1.0
    admissible = regime.feasible & regime.binding & (problems.state_stretch(regime.mpc, X) - 1.0 <= problem.thresholds["bounds"])
    return np.where(admissible, np.minimum(lost, problem.thresholds["scale"]), problem.thresholds["scale"])


def _gates(problem: Problem, name: str, several: list[Measured]) -> list[Gate]:
    """The gates on the worst of several answers."""

    def worst(key: str) -> float:
        return float(np.max([getattr(one, key) for one in several]))  # NaN stays NaN, and fails

    bounds, gap = problem.thresholds["bounds"], problem.thresholds["gap"]
    return [
        at_most(f"{name}: wrong flags", worst("wrong_flags"), 0.0),
        at_most(f"{name}: input bounds", worst("input_excess"), bounds),
        at_most(f"{name}: state bounds", worst("state_excess"), bounds),
        at_most(f"{name}: optimality gap", worst("gap"), gap),
        at_most(f"{name}: least stretch", worst("stretch_gap"), gap),
    ]


def _call(regime: Regime) -> Call:
    (M, N, m) = regime.U.shape
    returns = Returns("tuple", items=(Returns("array", shape=(M, N, m)), Returns("bools", shape=(M,))))
    return Call("solve_mpc", regime.mpc.arguments(regime.x0), returns)


def _problem_of(arguments: tuple[Any, ...]) -> tuple[Mpc, np.ndarray]:
    """The problem and the starts that a call's arguments state."""
    named: Mapping[str, Any] = dict(zip((*problems.NAMES[:6], "x0", *problems.NAMES[6:]), arguments, strict=True))
    return Mpc(**{name: named[name] for name in problems.NAMES}), named["x0"]
