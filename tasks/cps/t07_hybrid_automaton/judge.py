"""Judge of t07: modes, parameters and guards of hidden automata, regime by regime.

Processes of the candidate (see tasks/cps/verifier.py), one call a regime in each:

    measured     the data as they are
    transformed  the trajectories reordered, and all outputs and inputs multiplied by a factor: modes mustn't move (up to renaming), nor
                 parameters and guards, once they are scaled back. In a process of its own, so that no answer is remembered

Gates for each hidden regime, with the numbers of measures.py and the bounds of task.yaml: accuracy and adjusted Rand index over the
oracle's; expected one-step ratio on fresh data, and its distance as a share of one ARX model's; distance of the means mode by mode; share of
fresh states that the guards get wrong; and that the labels obey the law that the answer itself states. Over all regimes: the
transformation, and that the guard has moved where the automaton is the same but for its guard's offset.

    score = mean over regimes of clip(ARI / ARI of the oracle, 0, 1) * clip(1 - d / d of one ARX model, 0, 1)

Not covered: uncertainty of what was identified; orders and K are told.
"""

from __future__ import annotations

import numpy as np

from assay.protocol import Call, Judgement, Mode, Problem, Returns
from assay.records import Gate
from tasks.cps.t07_hybrid_automaton import automata, measures, oracle
from tasks.cps.t07_hybrid_automaton.automata import Automaton, Regime
from tasks.cps.verifier import Values, at_least, at_most


def calls(problem: Problem, mode: Mode) -> dict[str, tuple[Call, ...]]:
    """What each process of the candidate is asked."""
    regimes = list(hidden(problem).values())
    return {
        "measured": tuple(_call(regime, regime.Y, regime.U) for regime in regimes),
        "transformed": tuple(_call(regime, *transformed(problem, number, regime)) for number, regime in enumerate(regimes)),
    }


def assess(problem: Problem, mode: Mode, values: Values) -> Judgement:
    """Gates, metrics and score from the answers to `calls`."""
    gates: list[Gate] = []
    metrics: dict[str, float | int | None] = {}
    regimes, found, moves = hidden(problem), {}, []
    for number, (name, regime) in enumerate(regimes.items()):
        found[name] = measures.named(values["measured"][number], measures.truth(regime))
        numbers = _numbers(regime, found[name])
        gates += _gates(problem, name, numbers)
        metrics |= {f"{name}_{key}": value for key, value in numbers.items()}
        moves.append(measures.moved(regime, found[name], restored(problem, number, regime, values["transformed"][number])))
    labels, means = (max(column) for column in zip(*moves, strict=True))
    gates += [
        at_most("transformed: labels that move", labels, problem.thresholds["moved_labels"]),
        at_most("transformed: means that move", means, problem.thresholds["moved_means"]),
    ]
    for name, kind in problem.difficulty.axes["regimes"].items():
        if "of" in kind:
            pair = found[kind["of"]], found[name]
            error = measures.between_error(regimes[kind["of"]], regimes[name], pair)
            gates.append(at_most(f"{name}: guard between old and new", error, problem.thresholds["between"]))
            metrics[f"{name}_between_error"] = error
    score = float(np.mean([metrics[f"{name}_score"] for name in regimes]))
    return Judgement(score=score, gates=tuple(gates), metrics=metrics)


def yardsticks(problem: Problem) -> dict[str, Values]:
    """The true automata with the segmentation that they give; and one ARX model for all modes."""
    found: dict[str, dict[str, list]] = {name: {"measured": [], "transformed": []} for name in ("oracle", "baseline")}
    for number, regime in enumerate(hidden(problem).values()):
        law, factor = regime.automaton, problem.thresholds["scale_factor"]
        cases = {
            "measured": (law, regime.Y, regime.U),
            "transformed": (oracle.scaled(law, factor), *transformed(problem, number, regime)),
        }
        for process, (true, Y, U) in cases.items():
            found["oracle"][process].append((oracle.segment(true, Y, U), true.params, true.guards))
            found["baseline"][process].append(_single(true, Y, U))
    return {name: {process: tuple(answers) for process, answers in by.items()} for name, by in found.items()}


def hidden(problem: Problem) -> dict[str, Regime]:
    """The hidden regimes by name, in the order of task.yaml."""
    return {name: automata.read(problem.private / "full" / name) for name in problem.difficulty.axes["regimes"]}


def transformed(problem: Problem, number: int, regime: Regime) -> tuple[np.ndarray, np.ndarray]:
    """Outputs and inputs of a regime with the trajectories reordered and everything scaled."""
    rows, factor = _order(problem, number, len(regime.Y)), problem.thresholds["scale_factor"]
    return factor * regime.Y[rows], factor * regime.U[rows]


def restored(problem: Problem, number: int, regime: Regime, value) -> measures.Answer:
    """An answer to the transformed data, in the order and the unit of the plain data."""
    modes, params, guards = (np.array(part) for part in value)
    params[:, :, -1] /= problem.thresholds["scale_factor"]
    guards[:, :-1] *= problem.thresholds["scale_factor"]
    rows = _order(problem, number, len(regime.Y))
    return measures.named((modes[np.argsort(rows)], params, guards), measures.truth(regime))


def _order(problem: Problem, number: int, N: int) -> np.ndarray:
    return np.random.default_rng([717, problem.seed, number]).permutation(N)


def _call(regime: Regime, Y: np.ndarray, U: np.ndarray) -> Call:
    law, steps = regime.automaton, (Y.shape[0], Y.shape[1] - regime.automaton.lag)
    parts = (
        Returns("array", shape=steps, dtype="int64"),
        Returns("array", shape=law.params.shape),
        Returns("array", shape=law.guards.shape),
    )
    return Call("identify_modes", (Y, U, law.K, law.na, law.nb, law.dwell), Returns("tuple", items=parts))


def _single(law: Automaton, Y: np.ndarray, U: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The answer that knows one mode only."""
    modes = np.zeros((Y.shape[0], Y.shape[1] - law.lag), dtype=np.int64)
    return modes, np.repeat(oracle.single(Y, U, law.na, law.nb)[None], law.K, axis=0), np.zeros_like(law.guards)


def _numbers(regime: Regime, answer: measures.Answer) -> dict[str, float]:
    found = measures.accuracy(regime, answer) | measures.prediction(regime, answer)
    found["parameter_error"] = measures.parameter_error(regime, answer)
    found["lawless"] = measures.lawless(regime, answer)
    if not regime.automaton.dwell:
        found["guard_error"] = measures.guard_error(regime, answer)
    found["score"] = float(np.clip(found["rand_ratio"], 0.0, 1.0)) * found["skill"]
    return found


def _gates(problem: Problem, name: str, numbers: dict[str, float]) -> list[Gate]:
    bounds = problem.thresholds
    gates = [at_least(f"{name}: {key} over the oracle's", numbers[f"{key}_ratio"], bounds[key]) for key in ("accuracy", "rand")]
    upper = {
        "prediction_ratio": "one-step ratio",
        "single_share": "share of one model's distance",
        "parameter_error": "means of a mode",
        "lawless": "labels against the law",
        "guard_error": "guard",
    }
    return gates + [at_most(f"{name}: {upper[key]}", numbers[key], bounds[key]) for key in upper if key in numbers]
