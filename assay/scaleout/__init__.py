"""Judging on a Dask cluster: the same verdicts as in this process, from many processes or many hosts.

    jobs -> groups of identical submissions -> shards of rows -> workers, each with a sandbox of its own -> verdicts -> the store

Without an address the cluster is one of our own: worker processes on this host, on loopback, encrypted and closed to others, without
a dashboard, gone when we are. With an address it is one that runs already: `dask scheduler`, and on each host `dask worker ADDRESS` in
this version of Assay's environment. Its workers must see the same files under the same paths, and its network must be closed to
whoever isn't trusted, for who reaches a plain tcp scheduler can run code there.

A worker that is lost has its shards judged elsewhere; a shard that loses its worker again and again is judged row by row, so that one
row can't take others with it; what can't be judged then is a harness fault. Nothing in a verdict says which worker it came from.
Only text that our own code made in the worker comes back. Not covered: TLS to a scheduler by address. A
scheduler that has lost all its workers is waited for.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import functools
import itertools
import logging
import math
import os
import tempfile
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from assay import canonical, judging
from assay.errors import SandboxFault
from assay.judging import Job, Judged
from assay.records import Verdict
from assay.scaleout import shards
from assay.scaleout.shards import Order, Row
from assay.store import Store

SHARD_ROWS = 100
"""rows of a shard at most; fewer where the workers would be left without work"""
_SHARDS_A_THREAD = 4
_LOST_WORKERS = 2
_CLOSED_LEVELS = "ABC"
"""of isolation at which a candidate has no network"""
_CONNECT_SECONDS = 10.0
_WORKERS_SECONDS = 120.0
_CONFIG = {
    "distributed.scheduler.allowed-failures": _LOST_WORKERS,
    "distributed.scheduler.worker-saturation": 1.0,  # a lost worker then blames the shards that it judged and no others
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.worker.preload": ["assay.scaleout.shards"],
    "distributed.admin.tick.limit": "1h",  # says that a busy machine is busy
}


@dataclass(frozen=True)
class Cluster:
    """A cluster that is ready to judge."""

    client: Any
    """distributed.Client"""
    order: Order
    isolation: str
    """of the workers' sandboxes"""
    threads: int
    """of all workers together, when the cluster was opened"""


@contextlib.contextmanager
def open_cluster(*, require: str = "C", workers: int = 1, scheduler: str | None = None) -> Iterator[Cluster]:
    """Workers to judge on; at the end their sandboxes are closed, and a cluster of our own is gone.

    Args:
        require: the weakest isolation that is accepted of every worker.
        workers: how many worker processes, each of which runs one program at a time; of no meaning with an address.
        scheduler: the address of a scheduler that runs already, `tcp://host:port`.

    Raises:
        SandboxFault: no such scheduler, no worker, or a worker that can't judge as this process would.
    """
    order = Order(run=uuid.uuid4().hex, require=require, workers=0 if scheduler else 1)
    with _connected(workers, scheduler) as client:
        try:
            isolation = _surveyed(client, order)
            if scheduler and isolation[0] not in _CLOSED_LEVELS:
                raise SandboxFault(
                    f"at level {isolation} a candidate could reach the Dask scheduler {scheduler} and run code there"
                )
            threads = sum(client.nthreads().values())
            yield Cluster(client, order, isolation, max(1, threads))
        finally:
            with contextlib.suppress(Exception):  # a worker that is gone took its sandbox with it
                client.run(shards.close, order.run, on_error="ignore")


@contextlib.contextmanager
def _connected(workers: int, scheduler: str | None) -> Iterator[Any]:
    import distributed

    with contextlib.ExitStack() as stack:
        where = scheduler or stack.enter_context(_own_cluster(workers))
        try:
            client = stack.enter_context(distributed.Client(where, timeout=_CONNECT_SECONDS, set_as_default=False))
            client.wait_for_workers(1, timeout=_WORKERS_SECONDS)
        except (OSError, ValueError, TimeoutError) as error:
            raise SandboxFault(_unreachable(scheduler, error)) from error
        yield client


def _unreachable(scheduler: str | None, error: Exception) -> str:
    what = f"the Dask scheduler {scheduler}" if scheduler else "the Dask cluster of this host"
    return f"{what} can't be used: {' '.join(str(error).split())[:300] or type(error).__name__}"


@contextlib.contextmanager
def _own_cluster(workers: int) -> Iterator[Any]:
    import dask
    import distributed

    with (
        tempfile.TemporaryDirectory(prefix=f"assay-dask-{os.getpid()}-", ignore_cleanup_errors=True) as folder,
        dask.config.set({**_CONFIG, "temporary-directory": folder}),
    ):
        try:
            cluster = distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                security=True,  # a candidate that reached an open scheduler could run code in our name
                memory_limit=0,
                dashboard_address=None,
                scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # the port of the HTTP server, which has no page
                silence_logs=logging.ERROR,
            )
        except (OSError, RuntimeError) as error:
            raise SandboxFault(_unreachable(None, error)) from error
        with cluster:
            yield cluster


def _surveyed(client: Any, order: Order) -> str:
    """The isolation of the workers, which all judge with our code at one level.

    Raises:
        SandboxFault: they don't.
    """
    found: dict[str, str] = {}
    for text in client.run(shards.survey, canonical.dumps(asdict(order)), on_error="return").values():
        if isinstance(text, BaseException):
            raise SandboxFault(f"a Dask worker can't say what it would judge with: {_line(text)}") from text
        answer = canonical.loads(text)
        if "refused" in answer:
            raise SandboxFault(f"a Dask worker can't open its sandbox: {answer['refused']}")
        if answer["machinery"] != judging.machinery_sha():
            raise SandboxFault(
                "a Dask worker has another version of Assay than this process; start the workers from this checkout"
            )
        found[answer["isolation"][:1]] = answer["isolation"]
    if len(found) != 1:
        raise SandboxFault(
            f"the Dask workers must reach one level of isolation; received {', '.join(sorted(found)) or 'no worker'}"
        )
    return found.popitem()[1]


def judge_all(
    jobs: Sequence[Job],
    cluster: Cluster,
    store: Store | None = None,
    *,
    retries: int = 2,
    on_done: Callable[[Verdict], None] = lambda _: None,
) -> list[Verdict]:
    """As `assay.judging.judge_all`, on a cluster: one verdict a job, in the jobs' order, kept in the store as shards are done.

    Raises:
        SandboxFault: the scheduler is gone, or a worker judges otherwise than this process would.
        StorageError: the disk is full. What was judged until then is in the store.
    """
    engine = functools.partial(_on_workers, cluster=replace(cluster, order=replace(cluster.order, retries=retries)))
    return judging.judge_with(engine, jobs, cluster.isolation, store, on_done=on_done)


def _on_workers(jobs: Mapping[str, Job], *, cluster: Cluster) -> Judged:
    import distributed

    rows = [shards.row(key, job, cluster.isolation) for key, job in jobs.items()]
    sent = _Sent(cluster)
    done = distributed.as_completed([sent.send(shard) for shard in split(rows, cluster.threads)], loop=cluster.client.loop)
    try:
        for future in done:
            shard = sent.running.pop(future)
            error, text = _taken(future)
            if error is None:
                yield from shards.answered(text).items()
            elif len(shard) > 1:
                done.update([sent.send([row]) for row in shard])
            else:
                key = shard[0].key
                yield key, judging.harness_fault(jobs[key], cluster.isolation, (_event(error),))
    finally:
        with contextlib.suppress(Exception):  # without a scheduler there is nothing to cancel
            cluster.client.cancel(list(sent.running))


def _taken(future: Any) -> tuple[BaseException | None, str]:
    """What a shard failed of, or the text of its verdicts.

    Raises:
        SandboxFault: the scheduler ended, before it told how the shard ended or while it handed the verdicts over.
    """
    gone = "the Dask scheduler is gone; what was judged until then is kept"
    if future.status == "cancelled":
        raise SandboxFault(gone)
    try:
        error = future.exception()
        return error, "" if error is not None else str(future.result())
    except (OSError, TimeoutError, asyncio.CancelledError, concurrent.futures.CancelledError) as lost:
        raise SandboxFault(gone) from lost


class _Sent:
    """The shards that workers have."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.running: dict[Any, list[Row]] = {}
        self._batch, self._numbers = f"judge-{uuid.uuid4().hex[:12]}", itertools.count()

    def send(self, shard: list[Row]) -> Any:
        """Have a shard judged; the future of its verdicts."""
        order = self.cluster.order
        future = self.cluster.client.submit(
            shards.judge_shard,
            shards.asked(order, shard),
            key=(self._batch, next(self._numbers)),  # one group of tasks, which the scheduler hands out as workers get free
            pure=False,
            retries=order.retries,
        )
        self.running[future] = shard
        return future


def split(rows: Sequence[Row], threads: int) -> list[list[Row]]:
    """Shards of rows in order, small enough that every thread gets some."""
    size = max(1, min(SHARD_ROWS, math.ceil(len(rows) / (threads * _SHARDS_A_THREAD))))
    return [list(rows[at : at + size]) for at in range(0, len(rows), size)]


def _event(error: BaseException) -> str:
    """What a shard failed of, without a word on where: the same table whichever worker it was."""
    import distributed

    if isinstance(error, distributed.scheduler.KilledWorker):
        return "the process that judged it was lost again and again"
    return f"the process that judged it failed: {_line(error)}"


def _line(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
