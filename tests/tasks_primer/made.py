"""Instances of the primer for the tests, made once a session."""

import atexit
import functools
import importlib
import shutil
import tempfile
from pathlib import Path

from assay import canonical, catalog, instances
from assay.catalog import Task
from assay.protocol import CandidateFault, Judgement, Problem
from assay.records import Instance
from tests.tasks_primer import in_process

ROOT = Path(__file__).parents[2] / "tasks"
TASKS = ("p01_expressions", "p02_sequences", "p03_held_out")
LEVELS = ("easy", "medium", "hard")
HOSTILE = ("forged_result", "patches_libraries")
"""cheats that may not run in the test's own process; the contract tests run them in the sandbox"""


@functools.cache
def task(task_id: str) -> Task:
    return catalog.scan(ROOT)[task_id]


@functools.cache
def _home() -> Path:
    home = Path(tempfile.mkdtemp(prefix="primer-tests-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    return home


@functools.cache
def instance(task_id: str, level: str, seed: int) -> Instance:
    return instances.make(task(task_id), seed=seed, difficulty=level, split="train", folder=_home())


def problem(task_id: str, level: str, seed: int) -> Problem:
    instance(task_id, level, seed)
    return instances.problem(task(task_id), seed=seed, difficulty=level, folder=_home())


def recipe(found: Problem) -> dict:
    return canonical.loads((found.private / "recipe.json").read_text(encoding="utf-8"))


def book(found: Problem) -> dict:
    return canonical.loads((found.private / "cases.json").read_text(encoding="utf-8"))


def families(task_id: str) -> dict:
    return importlib.import_module(f"tasks.primer.{task_id}.families").FAMILIES


def judged(found: Problem, source: str, seen: list | None = None) -> Judgement | CandidateFault:
    """The judgement of a file of reference, rewrites or cheats, or the fault."""
    verifier = task(found.task_id).verifier()
    try:
        return verifier.verify(found, verifier.adapt(source, found), in_process.runner(seen), "full")
    except CandidateFault as fault:
        return fault


def passes(found: Problem, source: str) -> bool:
    said = judged(found, source)
    return isinstance(said, Judgement) and said.score == 1.0 and all(gate.passed for gate in said.gates)
