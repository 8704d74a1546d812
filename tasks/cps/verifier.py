"""Terminal verifier of the cps domain: run the probes that a task's judge asks for, then let the judge measure what came back.

    calls(problem, mode)  -> {process name: (Call, ...)}, in the order in which the processes run; the first is the measured one
    assess(problem, mode, values) -> Judgement, with values = {process name: (value of each call, ...)}

Each name is a process of its own, so what a candidate saw in one can't shape what it answers in another: the probes of an invariant
stand in other processes than the run that they are compared with. Where the task has a threshold `determinism`, the first process
runs a second time as the twin (other hash seed, random seeds and clock); a difference ends the judging.

Not covered: submissions of kind `patch`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from assay.protocol import Call, Judgement, Mode, Problem, Program, Run, Value
from assay.records import Gate
from tasks.cps import probes


def verify(problem: Problem, submission: str, run: Run, mode: Mode) -> Judgement:
    """Judge one submission.

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

    def answers(calls: tuple[Call, ...], *, twin: bool = False) -> tuple[Value, ...]:
        return run(Program(source=submission, calls=calls, limits=problem.limits, files=files, twin=twin)).answers()

    first, *others = batches
    values = {first: answers(batches[first])}
    gates: tuple[Gate, ...] = ()
    bound = problem.thresholds.get("determinism")
    if bound is not None:
        twin = answers(batches[first], twin=True)
        with np.errstate(over="ignore", invalid="ignore"):
            difference = probes.largest_difference(values[first], twin)
        gates = (Gate("determinism", difference <= bound, difference, bound),)
        if difference > bound:
            return Judgement(0.0, gates, {}, unmet(gates), "nondeterministic")
    for name in others:
        values[name] = answers(batches[name])
    with np.errstate(over="ignore", invalid="ignore"):  # huge answers may overflow: their gates then compare with infinity
        judged: Judgement = problem.judge.assess(problem, mode, values)
    gates += judged.gates
    return Judgement(judged.score, gates, judged.metrics, (*judged.notes, *unmet(gates)), judged.failure_mode)


def unmet(gates: tuple[Gate, ...]) -> tuple[str, ...]:
    """A line for the author on each gate that failed: its name, the value and the bound, and no input."""
    return tuple(_line(gate) for gate in gates if not gate.passed)


def _line(gate: Gate) -> str:
    if gate.value is None or gate.bound is None:
        return f"gate not met: {gate.name}"
    return f"gate not met: {gate.name} (measured {gate.value:.4g}, bound {gate.bound:.4g})"


def public_files(folder: Path) -> dict[str, bytes]:
    """The files that the candidate may read, by relative path."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
