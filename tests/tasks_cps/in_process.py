"""Runs a program in this very process: for submissions of ours that are wrong but harmless, where a sandbox would take longer.

Answers go through the sandbox's own strict encoding and reading, so that a contract is what it is there. Not covered: limits, faults
of loading told apart, standard output.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import tempfile
from pathlib import Path

from assay import catalog, instances
from assay.catalog import Task
from assay.protocol import CandidateFault, Judgement, Mode, Problem, Program, Reply, Value
from assay.sandbox import answers, jobs
from assay.sandbox.inside.answers import Refused, encode
from assay.sandbox.inside.job import fingerprint

ROOT = Path(__file__).parents[2]
CPS = ROOT / "tasks" / "cps"
FOLDER = CPS / "t01_kalman_filter"


def run(program: Program) -> Reply:
    """Each call of a program, in order; the first that raises or breaks its contract ends it."""
    space: dict[str, object] = {"__name__": "solution"}
    values: list[Value] = []
    fault = ""
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        for path, data in program.files.items():
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_bytes(data)
        try:
            exec(compile(program.source, "submission", "exec"), space)
            for index, call in enumerate(program.calls):
                values.append(_answer(space, index, call, tuple(values)))
        except CandidateFault as error:
            fault = error.mode
        except Exception:
            fault = "exception"
    return Reply(tuple(values), fault, fault, "", "", 0.0, 0.0, "in process")


def _answer(space, index, call, before):
    arguments = copy.deepcopy(call.later(before) if call.later else call.arguments)
    seen = fingerprint((list(arguments), dict(call.keywords)))
    value = space[call.function](*arguments, **call.keywords)
    if fingerprint((list(arguments), dict(call.keywords))) != seen:
        raise CandidateFault("input_changed", "")
    if call.returns.kind == "callable":
        space[f"@{index}"] = value
    try:
        body = encode(value, jobs._contract(call.returns))
        return answers._value(answers.Reader(memoryview(bytes(body))), call.returns)
    except Refused as error:
        raise CandidateFault(error.mode, "") from error
    except answers._Refused as error:
        raise CandidateFault(error.mode, "") from error


@functools.cache
def task(task_id: str = FOLDER.name) -> Task:
    return catalog.find(catalog.scan(ROOT / "tasks"), task_id)


def problem(seed: int, difficulty: str, folder: Path, task_id: str = FOLDER.name) -> Problem:
    instances.make(task(task_id), seed=seed, difficulty=difficulty, split="train", folder=folder)
    return instances.problem(task(task_id), seed=seed, difficulty=difficulty, folder=folder)


def judged(problem: Problem, source: str, mode: Mode = "full") -> Judgement:
    """The verifier's judgement with the score that counts: 0 where a gate fails or the candidate does."""
    try:
        judgement = task(problem.task_id).verifier().verify(problem=problem, submission=source, run=run, mode=mode)
    except CandidateFault as fault:
        return Judgement(0.0, (), {}, (), fault.mode)
    met = all(gate.passed for gate in judgement.gates)
    return Judgement(judgement.score if met else 0.0, judgement.gates, judgement.metrics, judgement.notes, judgement.failure_mode)


def sources(task_id: str, kind: str) -> dict[str, str]:
    """Name -> source of every file of a task's `rewrites` or `cheats`."""
    return {path.stem: path.read_text() for path in sorted((CPS / task_id / kind).glob("*.py")) if path.stem != "__init__"}


def reference(task_id: str) -> str:
    return (CPS / task_id / "reference.py").read_text()


def failed(judgement: Judgement) -> list[str]:
    """Names of the gates that weren't met."""
    return [gate.name for gate in judgement.gates if not gate.passed]
