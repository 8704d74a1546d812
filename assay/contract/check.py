"""Checking one task folder."""

from __future__ import annotations

import ast
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay import instances, judging, submissions
from assay.catalog import Task
from assay.contract import cosmetic
from assay.errors import TaskError
from assay.judging import Job
from assay.protocol import Mode, Problem, Sandbox
from assay.records import Instance, Verdict

_TASK_FILES = ("task.yaml", "prompt.md", "generate.py", "judge.py", "reference.py")
_DOMAIN_FILES = ("verifier.py", "probes.py", "descriptors.py")
_FEWEST_REWRITES = 3
_FEWEST_CHEATS = 8
_HEADER = re.compile(r"^Score:\s*([0-9.]+?)(?:\.\.([0-9.]+?))?\s*$", re.MULTILINE)
_NUMBER = re.compile(r"-?\d+\.\d{4,}")
SAME = 1e-6


@dataclass(frozen=True)
class Finding:
    """One thing that was checked."""

    name: str
    passed: bool
    detail: str


@dataclass(frozen=True)
class _Case:
    """One submission with the band that its score must lie in."""

    name: str
    source: str
    low: float
    high: float
    mode: Mode = "full"


@dataclass(frozen=True)
class _Made:
    instance: Instance
    problem: Problem


def check(
    task: Task, sandbox: Sandbox, *, seeds: Sequence[int] = (0, 1), groups: Iterable[str] = (), levels: Sequence[str] = ()
) -> list[Finding]:
    """Check a folder; one finding each, also where all is well.

    Args:
        task: the folder.
        sandbox: where its programs run.
        seeds: the instances to run on, at each of `levels`; the reference runs at every level on the first seed too.
        levels: difficulties; the easiest without it.
        groups: which of files, generation, secrecy, reference, cosmetic, rewrites, cheats; all without it.
    """
    findings = list(_files(task))
    if not all(finding.passed for finding in findings):
        return findings
    wanted = set(groups) or {"files", "generation", "secrecy", "reference", "cosmetic", "rewrites", "cheats"}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        chosen, every = list(levels) or list(task.spec.difficulties)[:1], list(task.spec.difficulties)
        all_made = [_make(task, seed, level, folder) for level in chosen for seed in seeds]
        others = [_make(task, seeds[0], level, folder) for level in every if level not in chosen]
        if "generation" in wanted:
            findings += _generation(task, all_made[: len(seeds)], every, folder)
        if "secrecy" in wanted:
            findings += _secrecy(task, [*all_made, *others])
        if "reference" in wanted:
            for made in [*all_made, *others]:
                findings += _run(task, made, sandbox, _references(task), twice=made is all_made[0])
        for group, cases in (("cosmetic", _cosmetics), ("rewrites", _rewrites), ("cheats", _cheats)):
            if group in wanted:
                for made in all_made:
                    findings += _run(task, made, sandbox, cases(task))
    return findings


def _make(task: Task, seed: int, level: str, folder: Path) -> _Made:
    row = instances.make(task, seed=seed, difficulty=level, split="train", folder=folder)
    return _Made(row, instances.problem(task, seed=seed, difficulty=level, folder=folder))


def _files(task: Task) -> Iterator[Finding]:
    lacking = [name for name in _TASK_FILES if not (task.folder / name).is_file()]
    lacking += [name for name in _DOMAIN_FILES if not (task.domain_folder / name).is_file()]
    yield Finding("files", not lacking, f"lacks {', '.join(lacking)}" if lacking else "all there")
    for kind, fewest in (("rewrites", _FEWEST_REWRITES), ("cheats", _FEWEST_CHEATS)):
        count = len(_sources(task, kind))
        yield Finding(f"files: {kind}", count >= fewest, f"{count}, at least {fewest} are needed")


def _sources(task: Task, kind: str) -> list[Path]:
    return [path for path in sorted((task.folder / kind).glob("*.py")) if path.name != "__init__.py"]


def _generation(task: Task, made: Sequence[_Made], levels: Sequence[str], folder: Path) -> Iterator[Finding]:
    for level in levels:
        first = _make(task, 3, level, folder / "first").instance
        again = _make(task, 3, level, folder / "again").instance
        yield Finding(
            f"generation: {level}: same seed, same bytes",
            first == again,
            f"{first.content_sha[:12]} and {again.content_sha[:12]}",
        )
    level = made[0].instance.difficulty
    shas = {one.instance.content_sha for one in made}
    shas |= {_make(task, seed, level, folder / "other").instance.content_sha for seed in (1011, 1012)}
    yield Finding(
        "generation: other seeds, other instances", len(shas) == len(made) + 2, f"{len(shas)} of {len(made) + 2} differ"
    )


def _secrecy(task: Task, instances_made: Sequence[_Made]) -> Iterator[Finding]:
    for made in instances_made:
        public = instances.tree(made.problem.public)
        private = instances.tree(made.problem.private)
        secret = {sha for path, sha in private.items() if Path(path).name not in task.spec.shared_files}
        shared = set(public.values()) & secret
        yield Finding(
            f"secrecy: {made.instance.instance_id}: no file on both sides",
            not shared,
            f"{len(private)} private files, {len(shared)} shared",
        )
        seen = "\n".join([made.instance.prompt, *_texts(made.problem.public)])
        hidden = {number for text in _texts(made.problem.private) for number in _NUMBER.findall(text)}
        told = sorted(number for number in hidden if number in seen)
        yield Finding(
            f"secrecy: {made.instance.instance_id}: no hidden number is told",
            not told,
            f"{len(hidden)} numbers, told: {told[:3]}",
        )


def _texts(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*")):
        if path.suffix in {".json", ".txt", ".md", ".yaml", ".csv", ".py"}:
            yield path.read_text(encoding="utf-8")


def _references(task: Task) -> list[_Case]:
    source = submissions.read(task.folder / "reference.py")
    return [_Case(f"reference, {mode}", source, *band, mode=mode) for mode, band in task.spec.reference.items()]


def _cosmetics(task: Task) -> list[_Case]:
    source = submissions.read(task.folder / "reference.py")
    return [_Case(f"cosmetic, {mode}", cosmetic.rewrite(source), -1, -1, mode=mode) for mode in task.spec.reference]


def _rewrites(task: Task) -> list[_Case]:
    cases = []
    for path in _sources(task, "rewrites"):
        source = submissions.read(path)
        band = _HEADER.search(ast.get_docstring(ast.parse(source)) or "")
        if band is None:
            raise TaskError(f"{path}: expected a line 'Score: LOW..HIGH' in the module's docstring, received none")
        cases.append(_Case(f"rewrites/{path.name}", source, float(band[1]), float(band[2] or band[1])))
    return cases


def _cheats(task: Task) -> list[_Case]:
    return [_Case(f"cheats/{path.name}", submissions.read(path), 0.0, 0.0) for path in _sources(task, "cheats")]


def _run(task: Task, made: _Made, sandbox: Sandbox, cases: Sequence[_Case], *, twice: bool = False) -> Iterator[Finding]:
    verdicts = judging.judge_all([_job(task, made, case) for case in cases], sandbox, retries=1)
    plain = {case.mode: verdict for case, verdict in zip(cases, verdicts, strict=True)}
    for case, verdict in zip(cases, verdicts, strict=True):
        low, high = case.low, case.high
        if low < 0:
            expected = judging.judge(_job(task, made, _reference_of(task, case.mode)), sandbox).score
            low, high = expected - SAME, expected + SAME
        fits = low - 1e-12 <= verdict.score <= high + 1e-12 and verdict.outcome != "harness_fault"
        yield Finding(f"{case.name} on {made.instance.instance_id}", fits, f"expected {_band(low, high)}, {_said(verdict)}")
    for case in cases if twice else ():
        again = judging.judge(_job(task, made, case), sandbox)
        yield Finding(f"{case.name}: judged twice", again == plain[case.mode], f"{_said(plain[case.mode])}, then {_said(again)}")


def _reference_of(task: Task, mode: Mode) -> _Case:
    return next(case for case in _references(task) if case.mode == mode)


def _job(task: Task, made: _Made, case: _Case) -> Job:
    return Job(
        attempt_id=case.name,
        task=task,
        problem=made.problem,
        content_sha=made.instance.content_sha,
        submission=judging.adapted(task, case.source, made.problem),
        mode=case.mode,
    )


def _band(low: float, high: float) -> str:
    return f"{low:.6g}" if high - low < 1e-9 else f"{low:.6g} .. {high:.6g}"


def _said(verdict: Verdict) -> str:
    failed = [gate.name for gate in verdict.gates if not gate.passed]
    parts = [f"received {verdict.score:.6f}", verdict.outcome, verdict.failure_mode, *failed[:3], *verdict.events[:1]]
    return ", ".join(part for part in parts if part)
