"""From a submission to a verdict: scored, the candidate's fault, or ours.

    no code, a crash, a limit, a wrong type   -> candidate_fault, score 0
    it ran and was measured                   -> scored; a gate that isn't met makes the score 0
    the sandbox or a judge failed             -> harness_fault after the retries: never a score, never stored, counted and shown

Identical submissions to one instance are judged once. Verdicts are kept in a store under a key of everything that they depend on: the
judge's code, the task's numbers, the instance's content, the submission, the mode and the isolation. Times are never part of a verdict,
and neither are retries that helped: the log tells of them.
`judge_all` judges in threads of this process; `assay.scaleout` judges in others and shares all the rest of this module.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import logging
import math
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from assay import canonical
from assay.catalog import Task
from assay.errors import AssayError, SandboxFault, StorageError
from assay.protocol import CandidateFault, Judgement, Mode, Problem, Sandbox
from assay.records import FailureMode, Gate, Outcome, Verdict
from assay.store import Store

_LOG = logging.getLogger(__name__)
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


Judged: TypeAlias = Generator[tuple[str, Verdict], None, None]
"""keys and verdicts as they come, in any order; closing it ends what is under way"""


def adapted(task: Task, source: str, problem: Problem) -> str:
    """A file of a task folder as a submission to one instance: its domain may rename what the file defines."""
    verifier = task.verifier()
    return str(verifier.adapt(source, problem)) if hasattr(verifier, "adapt") else source


@functools.cache
def machinery_sha() -> str:
    """Identity of the code that judges, the tasks' own aside."""
    files = [_OWN / name for name in _JUDGES] + sorted((_OWN / "sandbox").rglob("*.py"))
    return canonical.sha({path.relative_to(_OWN).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files})


@functools.cache
def _task_sha(folder: Path) -> str:
    shared = [path for path in sorted(folder.parent.glob("*/*.py")) if not (path.parent / "task.yaml").is_file()]
    files = [*sorted(folder.parent.glob("*.py")), *shared, *sorted(folder.glob("*.py")), folder / "task.yaml"]
    names = {f"{path.parent.name}/{path.name}": hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    for name in ("reference.py", "figures.py"):  # neither judges
        names.pop(f"{folder.name}/{name}", None)
    return canonical.sha(names)


def judge_sha(job: Job, isolation: str) -> str:
    """Identity of what judges a job: code, task, instance, mode and the isolation's level."""
    return canonical.sha([machinery_sha(), _task_sha(job.task.folder), job.content_sha, job.mode, isolation])


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
            return _tried(job, sandbox, sha)
        except StorageError:
            raise
        except SandboxFault as error:
            events.append(f"try {number + 1}: the sandbox failed: {error}")
            _LOG.warning("%s: %s", job.attempt_id, events[-1])
        except (Exception, SystemExit) as error:
            events.append(f"try {number + 1}: the judge raised {type(error).__name__}: {' '.join(str(error).split())[:300]}")
            if not isinstance(error, AssayError | OSError):
                break
    return harness_fault(job, sandbox.isolation, tuple(events))


def harness_fault(job: Job, isolation: str, events: tuple[str, ...]) -> Verdict:
    """That we failed to judge a job, and how; no score."""
    return _verdict(job, judge_sha(job, isolation), "harness_fault", "harness", isolation=isolation, events=events)


def _tried(job: Job, sandbox: Sandbox, sha: str) -> Verdict:
    assert job.submission is not None
    try:
        judgement = job.task.verifier().verify(problem=job.problem, submission=job.submission, run=sandbox.run, mode=job.mode)
    except CandidateFault as fault:
        return _fault(job, sha, fault.mode, fault.note, isolation=sandbox.isolation)
    return _scored(job, judgement, sha, sandbox.isolation)


def _scored(job: Job, judgement: Judgement, sha: str, isolation: str) -> Verdict:
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
        events=tuple(f"the metric {name} isn't finite" for name in bad),
        isolation=isolation,
        judge_sha=sha,
    )


def _number(value: float | None) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None


def _fault(job: Job, sha: str, mode: FailureMode, note: str, *, isolation: str = "") -> Verdict:
    return _verdict(job, sha, "candidate_fault", mode, notes=(note,), isolation=isolation)


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
    engine = functools.partial(_in_threads, sandbox=sandbox, retries=retries)
    return judge_with(engine, jobs, sandbox.isolation, store, on_done=on_done)


def judge_with(
    engine: Callable[[Mapping[str, Job]], Judged],
    jobs: Sequence[Job],
    isolation: str,
    store: Store | None = None,
    *,
    on_done: Callable[[Verdict], None] = lambda _: None,
) -> list[Verdict]:
    """Judge one job of each group of identical submissions that the store doesn't know; one verdict a job, in the jobs' order.

    Args:
        engine: judges jobs by key, in whatever order.
        jobs: what to judge.
        isolation: of the sandbox that the engine judges in.
        store: where verdicts are looked up and kept as they come; harness faults are not.
        on_done: told of every verdict as it comes.
    """
    groups: dict[str, list[Job]] = {}
    for job in jobs:
        groups.setdefault(canonical.sha([judge_sha(job, isolation), job.submission]), []).append(job)
    known = store.get_many(groups) if store else {}
    found = {key: loads(text) for key, text in known.items()}
    for key, verdict in found.items():
        for job in groups[key]:
            on_done(_for(verdict, job))
    with contextlib.closing(engine({key: group[0] for key, group in groups.items() if key not in found})) as judged:
        for key, verdict in judged:
            found[key] = verdict
            if store and verdict.outcome != "harness_fault":
                store.put(key, dumps(verdict))
            for job in groups[key]:
                on_done(_for(verdict, job))
    answers = {job.attempt_id: _for(found[key], job) for key, group in groups.items() for job in group}
    return [answers[job.attempt_id] for job in jobs]


def _in_threads(jobs: Mapping[str, Job], *, sandbox: Sandbox, retries: int) -> Judged:
    pool = ThreadPoolExecutor(max_workers=max(1, sandbox.workers))
    try:
        running = {pool.submit(judge, job, sandbox, retries=retries): key for key, job in jobs.items()}
        for future in as_completed(running):
            yield running[future], future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _for(verdict: Verdict, job: Job) -> Verdict:
    return dataclasses.replace(verdict, attempt_id=job.attempt_id)


def dumps(verdict: Verdict) -> str:
    """A verdict as canonical JSON text."""
    return canonical.dumps(dataclasses.asdict(verdict))


def loads(text: str) -> Verdict:
    """A verdict from the text that `dumps` made."""
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
