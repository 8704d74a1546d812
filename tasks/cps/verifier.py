"""Terminal verifier of the cps domain: run the probes that a task's judge asks for, then let the judge measure what came back.

A task's judge.py has

    calls(problem, mode)       -> {process name: (Call, ...)}, in the order in which the processes run; the first is the measured one
    assess(problem, mode, values) -> Judgement, with values = {process name: (value of each call, ...)}
    yardsticks(problem)        -> {"oracle": values, "baseline": values}: what the best conceivable answers to the full mode's calls are,
                                  and those without any skill; they mark 1.0 and 0.0 of the score

Each name is a process of its own, so what a candidate saw in one can't shape what it answers in another: the probes of an invariant
stand in other processes than the run that they are compared with. Where the task has a threshold `determinism`, the first process
runs a second time as the twin (other hash seed, random seeds and clock); a difference ends the judging.

Not covered: submissions of kind `patch`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np

from assay.protocol import Call, Judgement, Mode, Problem, Program, Run, Value
from assay.records import Gate
from tasks.cps import probes

Values: TypeAlias = Mapping[str, tuple[Value, ...]]
"""process name -> the value of each of its calls"""


@dataclass(frozen=True)
class Answers:
    """What a submission answered."""

    values: Values
    """by process; only the first process where the twin answered otherwise"""
    difference: float | None
    """largest difference between the first process and its twin; None where the task has no twin"""


def answers(problem: Problem, submission: str, run: Run, mode: Mode) -> Answers:
    """Run a submission's processes.

    Args:
        problem: the instance, with its private folder and the task's judge.
        submission: the candidate's source.
        run: runs one program in the sandbox.
        mode: smoke or full.

    Raises:
        CandidateFault: a process of the candidate failed; no further process is started.
    """
    batches: Mapping[str, tuple[Call, ...]] = problem.judge.calls(problem, mode)
    files = public_files(problem.public)

    def of(calls: tuple[Call, ...], *, twin: bool = False) -> tuple[Value, ...]:
        return run(Program(source=submission, calls=calls, limits=problem.limits, files=files, twin=twin)).answers()

    first, *others = batches
    values, difference = {first: of(batches[first])}, None
    bound = problem.thresholds.get("determinism")
    if bound is not None:
        twin = of(batches[first], twin=True)
        with np.errstate(over="ignore", invalid="ignore"):
            difference = probes.largest_difference(values[first], twin)
        if difference > bound:
            return Answers(values, difference)
    for name in others:
        values[name] = of(batches[name])
    return Answers(values, difference)


def verify(problem: Problem, submission: str, run: Run, mode: Mode) -> Judgement:
    """Judge one submission; arguments and errors as in `answers`."""
    found = answers(problem, submission, run, mode)
    gates: tuple[Gate, ...] = ()
    if found.difference is not None:
        gates = (at_most("determinism", found.difference, problem.thresholds["determinism"]),)
        if not gates[0].passed:
            return Judgement(0.0, gates, {}, unmet(gates), "nondeterministic")
    judged = assessed(problem, mode, found.values)
    gates += judged.gates
    return Judgement(judged.score, gates, judged.metrics, (*judged.notes, *unmet(gates)), judged.failure_mode)


def assessed(problem: Problem, mode: Mode, values: Values) -> Judgement:
    """The judge's word on answers, whoever gave them."""
    with np.errstate(over="ignore", invalid="ignore"):  # huge answers may overflow: their gates then compare with infinity
        judgement: Judgement = problem.judge.assess(problem, mode, values)
    return judgement


def yardsticks(problem: Problem) -> dict[str, Judgement]:
    """What the ends of the full mode's scale score: the oracle and the baseline."""
    ends: Mapping[str, Values] = problem.judge.yardsticks(problem)
    return {name: assessed(problem, "full", values) for name, values in ends.items()}


def at_most(name: str, value: float, bound: float) -> Gate:
    """A gate that NaN doesn't pass."""
    return Gate(name, bool(value <= bound), value, bound)


def at_least(name: str, value: float, bound: float) -> Gate:
    """A gate that NaN doesn't pass."""
    return Gate(name, bool(value >= bound), value, bound)


def skill(error: float, *, none: float, best: float) -> float:
    """(none - error) / (none - best), limited to 0 .. 1: 0 without skill, 1 as the oracle; 0 where there is no number."""
    share = (none - error) / (none - best)
    return float(np.clip(share, 0.0, 1.0)) if np.isfinite(share) else 0.0


def unmet(gates: tuple[Gate, ...]) -> tuple[str, ...]:
    """A line for the author on each gate that failed: its name, the value and the bound, and no input."""
    return tuple(_line(gate) for gate in gates if not gate.passed)


def _line(gate: Gate) -> str:
    if gate.value is None or gate.bound is None:
        return f"gate not met: {gate.name}"
    return f"gate not met: {gate.name} (measured {gate.value:.4g}, bound {gate.bound:.4g})"


def public_files(folder: Path) -> dict[str, bytes]:
    """The files that the candidate may read, by relative path; paths as text, see arrays.py."""
    top = os.fspath(folder)
    paths = sorted(os.path.join(place, name) for place, _, names in os.walk(top) for name in names)  # noqa: PTH118
    found = {}
    for path in paths:
        with open(path, "rb") as file:
            found[os.path.relpath(path, top).replace(os.sep, "/")] = file.read()
    return found
