"""What a Dask worker does: a shard of rows comes as text, their verdicts go back as text.

Only text crosses between the processes: a row names its task and its instance by their folders, so a worker must see the same file
system. A worker refuses to judge what it would judge otherwise than the process that asks (other code, another instance, another
level of isolation). Each worker process opens one sandbox for each run, at its first shard, and closes it when the run says so.
"""

from __future__ import annotations

import dataclasses
import os
import signal
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay import canonical, catalog, instances, judging
from assay.errors import AssayError, SandboxFault, StorageError
from assay.judging import Job
from assay.records import Verdict
from assay.sandbox import Pool, open_sandbox


@dataclass(frozen=True)
class Row:
    """One job as plain data."""

    key: str
    """of its group of identical submissions"""
    attempt_id: str
    task_id: str
    tasks: str
    """the root of the task folders, an absolute path"""
    instances: str
    """the folder with the instance's folder, an absolute path"""
    seed: int
    difficulty: str
    content_sha: str
    submission: str | None
    mode: str
    judge_sha: str
    """of the process that asks"""


@dataclass(frozen=True)
class Order:
    """How the shards of one run are judged."""

    run: str
    """a name that no other run has"""
    require: str
    """the weakest isolation that is accepted"""
    workers: int
    """how many programs at a time in each worker process; 0: as many as that worker has threads"""
    retries: int = 2
    """of a harness fault"""


class Refused(Exception):
    """A worker that would judge otherwise, or can't see what it is to judge."""


def row(key: str, job: Job, isolation: str) -> Row:
    """A job as plain data."""
    return Row(
        key=key,
        attempt_id=job.attempt_id,
        task_id=job.task.task_id,
        tasks=str(job.task.domain_folder.parent.absolute()),
        instances=str(job.problem.private.parent.parent.absolute()),
        seed=job.problem.seed,
        difficulty=job.problem.difficulty.name,
        content_sha=job.content_sha,
        submission=job.submission,
        mode=job.mode,
        judge_sha=judging.judge_sha(job, isolation),
    )


def asked(order: Order, rows: Sequence[Row]) -> str:
    """A shard as text."""
    return canonical.dumps({"order": dataclasses.asdict(order), "rows": [dataclasses.asdict(row) for row in rows]})


def answered(text: str) -> dict[str, Verdict]:
    """The verdicts of a shard by key.

    Raises:
        SandboxFault: the worker refused.
        StorageError: the worker's disk is full.
    """
    answer = canonical.loads(text)
    if "refused" in answer:
        raise SandboxFault(str(answer["refused"]))
    if "storage" in answer:
        raise StorageError(str(answer["storage"]))
    return {key: judging.loads(verdict) for key, verdict in answer["verdicts"].items()}


def judge_shard(text: str) -> str:
    """Judge the rows of a shard, one after the other."""
    values = canonical.loads(text)
    order = Order(**values["order"])
    sandbox = _sandbox(order)
    try:
        jobs = _jobs([Row(**row) for row in values["rows"]], sandbox.isolation)
        verdicts = {key: judging.dumps(judging.judge(job, sandbox, retries=order.retries)) for key, job in jobs.items()}
    except Refused as error:
        return canonical.dumps({"refused": str(error)})
    except StorageError as error:
        return canonical.dumps({"storage": str(error)})
    return canonical.dumps({"verdicts": verdicts})


def _jobs(rows: Sequence[Row], isolation: str) -> dict[str, Job]:
    tasks: dict[str, Mapping[str, catalog.Task]] = {}
    jobs: dict[str, Job] = {}
    for row in rows:
        try:
            if row.tasks not in tasks:
                tasks[row.tasks] = catalog.scan(Path(row.tasks))
            job = jobs[row.key] = _job(row, catalog.find(tasks[row.tasks], row.task_id))
        except AssayError as error:
            raise Refused(f"a Dask worker can't read what it is to judge; does it see the same file system? {error}") from error
        if judging.judge_sha(job, isolation) != row.judge_sha:
            raise Refused(
                f"a Dask worker judges task {row.task_id} with other code or at another level of isolation than the rest; "
                "restart the workers from the same checkout on hosts of one kind"
            )
    return jobs


def _job(row: Row, task: catalog.Task) -> Job:
    problem = instances.problem(task, seed=row.seed, difficulty=row.difficulty, folder=Path(row.instances))
    mode: Any = row.mode
    return Job(row.attempt_id, task, problem, row.content_sha, row.submission, mode)


_lock = threading.Lock()
_open: dict[str, Pool] = {}
_closed: set[str] = set()


def _sandbox(order: Order, threads: int = 0) -> Pool:
    """This process's sandbox for a run."""
    with _lock:
        if order.run in _closed:
            raise SandboxFault("the run has ended")
        if order.run not in _open:
            _open[order.run] = open_sandbox(require=order.require, workers=order.workers or threads or _threads())
        return _open[order.run]


def _threads() -> int:
    from distributed import get_worker

    return int(get_worker().state.nthreads)


def survey(text: str, dask_worker: Any) -> str:
    """What a worker would judge with: the isolation of its sandbox and the identity of its code.

    Args:
        text: the order.
        dask_worker: the worker, from Dask.
    """
    try:
        sandbox = _sandbox(Order(**canonical.loads(text)), int(dask_worker.state.nthreads))
    except AssayError as error:
        return canonical.dumps({"refused": str(error)})
    return canonical.dumps({"isolation": sandbox.isolation, "machinery": judging.machinery_sha()})


def close(run: str) -> None:
    """End this process's sandbox of a run; the run asks for nothing more."""
    with _lock:
        _closed.add(run)
        sandbox = _open.pop(run, None)
    if sandbox is not None:
        sandbox.close()


def process_id() -> int:
    """Of the worker process."""
    return os.getpid()


def dask_setup(_: Any) -> None:
    """Called by Dask in a worker process of ours before its first shard.

    Ctrl-C reaches the whole group of processes; the one that asks ends its workers, so they needn't end themselves midway.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    judging.machinery_sha()
