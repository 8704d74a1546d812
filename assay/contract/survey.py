"""Surveying one task: everything in its folder on many instances, and where the ends of its scale lie.

The instances are spread evenly over the levels. Oracle and baseline are what the domain's verifier calls so (`yardsticks`, where it has
them); they run no program. Verdicts come from a store where there is one, so a survey that was stopped goes on.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from assay import instances, judging, submissions
from assay.catalog import Task
from assay.errors import TaskError
from assay.judging import Job
from assay.protocol import Problem, Sandbox
from assay.records import Instance
from assay.store import Store

GROUPS = ("oracle", "reference", "rewrite", "baseline", "cheat")
BEGIN, END = "<!-- survey -->", "<!-- /survey -->"


@dataclass(frozen=True)
class Line:
    """What one submission, or one end of the scale, scored over all instances."""

    group: str
    """one of GROUPS"""
    name: str
    """the file without its suffix; the group again for the ends of the scale"""
    instances: int
    """how many were judged, faults of ours aside"""
    mean: float
    """of the scores, 0 .. 1"""
    spread: float
    """standard deviation of the scores"""
    worst: float
    """lowest score"""
    best: float
    """highest score"""
    harness_faults: int
    """of ours, counted nowhere else"""


@dataclass(frozen=True)
class Survey:
    """All lines of one task."""

    task_id: str
    levels: tuple[str, ...]
    instances: int
    lines: tuple[Line, ...]

    def of(self, group: str) -> list[Line]:
        """The lines of one group."""
        return [line for line in self.lines if line.group == group]

    def apart(self) -> bool:
        """Whether no cheat's best reaches the reference's worst, nor any honest rewrite's, and we failed nowhere."""
        honest = min(line.worst for line in (*self.of("reference"), *self.of("rewrite")))
        return max(line.best for line in self.of("cheat")) < honest and not any(line.harness_faults for line in self.lines)


def submissions_of(task: Task) -> int:
    """How many files of a folder are judged on each instance."""
    return len(list(_sources(task)))


def survey(
    task: Task, sandbox: Sandbox, count: int, *, store: Store | None = None, on_done: Callable[[int], None] = lambda _: None
) -> Survey:
    """Judge the reference, every rewrite and every cheat on `count` instances.

    Args:
        task: the folder.
        sandbox: where programs run.
        count: how many instances; they are spread over the levels, seeds from 0.
        store: of verdicts.
        on_done: hears of each instance how many verdicts it gave.
    """
    levels, sources = list(task.spec.difficulties), dict(_sources(task))
    scores: dict[tuple[str, str], list[float | None]] = {}
    for number in range(count):
        with tempfile.TemporaryDirectory() as name:
            seed, level = number // len(levels), levels[number % len(levels)]
            row = instances.make(task, seed=seed, difficulty=level, split="train", folder=Path(name))
            problem = instances.problem(task, seed=seed, difficulty=level, folder=Path(name))
            for group, score in _ends(task, problem).items():
                scores.setdefault((group, group), []).append(score)
            jobs = [_job(task, problem, row, key, source) for key, source in sources.items()]
            for key, verdict in zip(sources, judging.judge_all(jobs, sandbox, store), strict=True):
                scores.setdefault(key, []).append(None if verdict.outcome == "harness_fault" else verdict.score)
        on_done(len(sources))
    lines = sorted((_line(key, found) for key, found in scores.items()), key=lambda line: (GROUPS.index(line.group), line.name))
    return Survey(task.task_id, tuple(levels), count, tuple(lines))


def _sources(task: Task) -> Iterator[tuple[tuple[str, str], str]]:
    yield ("reference", "reference"), submissions.read(task.folder / "reference.py")
    for group in ("rewrite", "cheat"):
        for path in sorted((task.folder / f"{group}s").glob("*.py")):
            if path.name != "__init__.py":
                yield (group, path.stem), submissions.read(path)


def _job(task: Task, problem: Problem, row: Instance, key: tuple[str, str], source: str) -> Job:
    submission = judging.adapted(task, source, problem)
    return Job(attempt_id="/".join(key), task=task, problem=problem, content_sha=row.content_sha, submission=submission)


def _ends(task: Task, problem: Problem) -> dict[str, float]:
    verifier = task.verifier()
    if not hasattr(verifier, "yardsticks"):
        return {}
    found = verifier.yardsticks(problem)
    return {name: judgement.score if all(gate.passed for gate in judgement.gates) else 0.0 for name, judgement in found.items()}


def _line(key: tuple[str, str], scores: Sequence[float | None]) -> Line:
    known = np.array([score for score in scores if score is not None])
    if not known.size:
        raise TaskError(f"{'/'.join(key)}: expected at least one verdict, received {len(scores)} harness faults")
    mean, spread, worst, best = (float(value) for value in (known.mean(), known.std(), known.min(), known.max()))
    return Line(*key, len(known), mean=mean, spread=spread, worst=worst, best=best, harness_faults=len(scores) - len(known))


def markdown(found: Survey) -> str:
    """The survey as a table for a README."""
    head = f"`assay survey {found.task_id} --instances {found.instances}`: {found.instances} instances over {', '.join(found.levels)}."
    rows = ["| | submission | mean | spread | worst | best |", "|---|---|---|---|---|---|"]
    for line in found.lines:
        numbers = " | ".join(f"{value:.3f}" for value in (line.mean, line.spread, line.worst, line.best))
        rows.append(f"| {line.group} | {line.name} | {numbers} |")
    return "\n".join([head, "", *rows])


def around(readme: Path) -> tuple[str, str]:
    """What stands before and after the place of the table in a README.

    Raises:
        TaskError: the file or its two marks are missing.
    """
    text = readme.read_text(encoding="utf-8") if readme.is_file() else ""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise TaskError(
            f"{readme}: expected the lines {BEGIN} and {END}, received {'a file without them' if text else 'nothing'}"
        )
    return before, after


def write(found: Survey, readme: Path) -> None:
    """Put the table between the two marks of a README; errors as in `around`."""
    before, after = around(readme)
    readme.write_text(f"{before}{BEGIN}\n\n{markdown(found)}\n\n{END}{after}", encoding="utf-8")
