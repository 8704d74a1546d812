"""From a submission to a verdict: scored, the candidate's fault, or ours.

    no code, a crash, a limit, a wrong type   -> candidate_fault, score 0
    it ran and was measured                   -> scored; a gate that isn't met makes the score 0
    the sandbox or a judge failed             -> harness_fault after the retries: never a score, never stored, counted and shown

Identical submissions to one instance are judged once. Verdicts are kept in a store under a key of everything that they depend on: the
judge's code, the task's numbers, the instance's content, the submission, the mode and the isolation's level. Times are never part of a verdict.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from assay import canonical
from assay.catalog import Task
from assay.errors import AssayError, SandboxFault, StorageError
from assay.protocol import CandidateFault, Judgement, Mode, Problem, Sandbox
from assay.records import FailureMode, Gate, Outcome, Verdict
from assay.store import Store

_OWN = Path(__file__).parent
_JUDGES = ("canonical.py", "catalog.py", "judging.py", "protocol.py", "records.py")


@dataclass(frozen=True)
class Job:
    """One attempt to judge."""

    attempt_id: str
    task: Task
    problem: Problem
    content_sha: str
    """of the instance"""
    submission: str | None
    """None where no code was found in the answer"""
    mode: Mode = "full"


def adapted(task: Task, source: str, problem: Problem) -> str:
    """A file of a task folder as a submission to one instance: its domain may rename what the file defines."""
    verifier = task.verifier()
    return str(verifier.adapt(source, problem)) if hasattr(verifier, "adapt") else source


@functools.cache
def _machinery_sha() -> str:
    files = [_OWN / name for name in _JUDGES] + sorted((_OWN / "sandbox").rglob("*.py"))
    return canonical.sha({path.relative_to(_OWN).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files})


@functools.cache
def _task_sha(folder: Path) -> str:
    files = sorted(folder.parent.glob("*.py")) + sorted(folder.glob("*.py")) + [folder / "task.yaml"]
    names = {f"{path.parent.name}/{path.name}": hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    names.pop(f"{folder.name}/reference.py", None)
    return canonical.sha(names)


def judge_sha(job: Job, isolation: str) -> str:
    """Identity of what judges a job: code, task, instance, mode and the isolation's level."""
    return canonical.sha([_machinery_sha(), _task_sha(job.task.folder), job.content_sha, job.mode, isolation[:1]])


def judge(job: Job, sandbox: Sandbox, *, retries: int = 2) -> Verdict:
    """Judge one submission; harness faults are tried again and then said, never scored.

    Raises:
        StorageError: the disk is full; nothing can be said of the attempt.
    """
    sha = judge_sha(job, sandbox.isolation)
    if job.submission is None:
        return _fault(job, sha, "no_code", "no Python code was found in the answer")
    events: list[str] = []
    for number in range(retries + 1):
        try:
            return _tried(job, sandbox, sha, tuple(events))
        except StorageError:
            raise
        except SandboxFault as error:
            events.append(f"try {number + 1}: the sandbox failed: {error}")
        except Exception as error:
            events.append(f"try {number + 1}: the judge raised {type(error).__name__}: {' '.join(str(error).split())[:300]}")
            if not isinstance(error, AssayError | OSError):
                break
    return _verdict(job, sha, "harness_fault", "harness", isolation=sandbox.isolation, events=tuple(events))


def _tried(job: Job, sandbox: Sandbox, sha: str, events: tuple[str, ...]) -> Verdict:
    assert job.submission is not None
    try:
        judgement = job.task.verifier().verify(problem=job.problem, submission=job.submission, run=sandbox.run, mode=job.mode)
    except CandidateFault as fault:
        return _fault(job, sha, fault.mode, fault.note, isolation=sandbox.isolation, events=events)
    return _scored(job, judgement, sha, sandbox.isolation, events)


def _scored(job: Job, judgement: Judgement, sha: str, isolation: str, events: tuple[str, ...]) -> Verdict:
    if not math.isfinite(judgement.score) or not 0 <= judgement.score <= 1:
        raise ValueError(f"the verifier gave the score {judgement.score}, expected 0 .. 1")
    metrics, bad = canonical.finite(judgement.metrics)
    gates = tuple(dataclasses.replace(gate, value=_number(gate.value)) for gate in judgement.gates)
    met = all(gate.passed for gate in gates)
    score = float(judgement.score) if met else 0.0
    passed = met and score >= job.task.spec.pass_score
    return Verdict(
        attempt_id=job.attempt_id,
        outcome="scored",
        score=score,
        passed=passed,
        failure_mode="" if passed else judgement.failure_mode,
        gates=gates,
        metrics=canonical.dumps(metrics),
        notes=judgement.notes,
        events=(*events, *(f"the metric {name} isn't finite" for name in bad)),
        isolation=isolation,
        judge_sha=sha,
    )


def _number(value: float | None) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None


def _fault(job: Job, sha: str, mode: FailureMode, note: str, *, isolation: str = "", events: tuple[str, ...] = ()) -> Verdict:
    return _verdict(job, sha, "candidate_fault", mode, notes=(note,), isolation=isolation, events=events)


def _verdict(
    job: Job,
    sha: str,
    outcome: Outcome,
    mode: FailureMode,
    *,
    notes: tuple[str, ...] = (),
    isolation: str = "",
    events: tuple[str, ...] = (),
) -> Verdict:
    return Verdict(
        attempt_id=job.attempt_id,
        outcome=outcome,
        score=0.0,
        passed=False,
        failure_mode=mode,
        gates=(),
        metrics="{}",
        notes=notes,
        events=events,
        isolation=isolation,
        judge_sha=sha,
    )


def judge_all(
    jobs: Sequence[Job],
    sandbox: Sandbox,
    store: Store | None = None,
    *,
    retries: int = 2,
    on_done: Callable[[Verdict], None] = lambda _: None,
) -> list[Verdict]:
    """Judge many, as many at a time as the sandbox has workers; one verdict a job, in the jobs' order.

    Raises:
        StorageError: the disk is full. What was judged until then is in the store.
    """
    groups: dict[str, list[Job]] = {}
    for job in jobs:
        key = canonical.sha([judge_sha(job, sandbox.isolation), job.submission])
        groups.setdefault(key, []).append(job)
    known = store.get_many(groups) if store else {}
    found = {key: _loaded(text) for key, text in known.items()}
    for key, verdict in found.items():
        for job in groups[key]:
            on_done(_for(verdict, job))
    _judge_groups({key: group for key, group in groups.items() if key not in found}, sandbox, store, retries, on_done, found)
    answers = {job.attempt_id: _for(found[key], job) for key, group in groups.items() for job in group}
    return [answers[job.attempt_id] for job in jobs]


def _judge_groups(
    groups: dict[str, list[Job]],
    sandbox: Sandbox,
    store: Store | None,
    retries: int,
    on_done: Callable[[Verdict], None],
    found: dict[str, Verdict],
) -> None:
    pool = ThreadPoolExecutor(max_workers=max(1, sandbox.workers))
    try:
        running = {pool.submit(judge, group[0], sandbox, retries=retries): key for key, group in groups.items()}
        for future in as_completed(running):
            key, verdict = running[future], future.result()
            found[key] = verdict
            if store and verdict.outcome != "harness_fault":
                store.put(key, canonical.dumps(dataclasses.asdict(verdict)))
            for job in groups[key]:
                on_done(_for(verdict, job))
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _for(verdict: Verdict, job: Job) -> Verdict:
    return dataclasses.replace(verdict, attempt_id=job.attempt_id)


def _loaded(text: str) -> Verdict:
    values = canonical.loads(text)
    values["gates"] = tuple(Gate(**gate) for gate in values["gates"])
    values["notes"], values["events"] = tuple(values["notes"]), tuple(values["events"])
    return Verdict(**values)


@dataclass(frozen=True)
class Tally:
    """How many attempts ended how; the three ends add up to what was requested."""

    requested: int
    scored: int
    candidate_faults: int
    harness_faults: int

    def __str__(self) -> str:
        return (
            f"requested {self.requested} = scored {self.scored} + candidate faults {self.candidate_faults} "
            f"+ harness faults {self.harness_faults}"
        )


def tally(requested: int, verdicts: Sequence[Verdict]) -> Tally:
    """Count the ends of a list of verdicts.

    Raises:
        AssayError: they don't add up to what was requested.
    """
    ends = [verdict.outcome for verdict in verdicts]
    counted = Tally(requested, ends.count("scored"), ends.count("candidate_fault"), ends.count("harness_fault"))
    if counted.scored + counted.candidate_faults + counted.harness_faults != requested:
        raise AssayError(f"the verdicts don't add up: {counted}")
    return counted
