"""Runs a program in this very process: for submissions of ours that are wrong but harmless, where starting a sandbox would take longer."""

from __future__ import annotations

import copy
import functools
from pathlib import Path

import numpy as np

from assay import catalog, instances
from assay.catalog import Task
from assay.protocol import CandidateFault, Judgement, Mode, Problem, Program, Reply, Value

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "tasks" / "cps" / "t01_kalman_filter"


def run(program: Program) -> Reply:
    """Each call of a program, in order; the first that raises or breaks its contract ends it."""
    space: dict[str, object] = {"__name__": "submission"}
    values: list[Value] = []
    fault = ""
    try:
        exec(compile(program.source, "submission", "exec"), space)
        values.extend(_answer(space, call) for call in program.calls)
    except CandidateFault as error:
        fault = error.mode
    except Exception:
        fault = "exception"
    return Reply(tuple(values), fault, fault, "", "", 0.0, 0.0, "in process")


def _answer(space, call):
    arguments = copy.deepcopy(call.arguments)
    value = space[call.function](*arguments)
    if any(not np.array_equal(a, b) for a, b in zip(arguments, call.arguments, strict=True)):
        raise CandidateFault("input_changed", "")
    assert call.returns.kind == "array"
    if type(value) is not np.ndarray or value.dtype.kind not in "fiu":
        raise CandidateFault("wrong_type", "")
    if value.shape != call.returns.shape:
        raise CandidateFault("wrong_shape", "")
    if not np.isfinite(value).all():
        raise CandidateFault("not_finite", "")
    return value.astype(np.float64)


@functools.cache
def task() -> Task:
    return catalog.find(catalog.scan(FOLDER.parents[1]), FOLDER.name)


def problem(seed: int, difficulty: str, folder: Path) -> Problem:
    instances.make(task(), seed=seed, difficulty=difficulty, split="train", folder=folder)
    return instances.problem(task(), seed=seed, difficulty=difficulty, folder=folder)


def judged(problem: Problem, source: str, mode: Mode = "full") -> Judgement:
    """The verifier's judgement with the score that counts: 0 where a gate fails or the candidate does."""
    try:
        judgement = task().verifier().verify(problem=problem, submission=source, run=run, mode=mode)
    except CandidateFault as fault:
        return Judgement(0.0, (), {}, (), fault.mode)
    met = all(gate.passed for gate in judgement.gates)
    return Judgement(judgement.score if met else 0.0, judgement.gates, judgement.metrics, judgement.notes, judgement.failure_mode)
