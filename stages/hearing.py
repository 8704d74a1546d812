"""Hearing attempts: a verdict for each, and aloud whether they add up."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from assay import canonical, instances, judging, scaleout, tables
from assay.errors import SandboxFault
from assay.judging import Job, Tally
from assay.progress import Progress
from assay.records import Attempt, Instance, Verdict
from assay.sandbox import Pool, open_sandbox
from assay.sandbox.probe import probe
from assay.store import Store
from stages.context import Context, say


def hear(context: Context, attempts: Sequence[Attempt], known: Sequence[Instance], where: str) -> list[Verdict]:
    """Judge attempts at known instances; `where` names the table of the attempts for error messages.

    Raises:
        TableError: an attempt at an instance that isn't known.
        SandboxFault: the sandbox can't be opened as the settings require.
    """
    jobs = _jobs(context, attempts, known, where)
    progress = Progress("verdicts", len(jobs))
    with Store(context.cache / "verdicts.sqlite") as store:
        verdicts = _judged(context, jobs, store, lambda verdict: progress.add(note=verdict.outcome))
    counted = judging.tally(len(attempts), verdicts)
    say(str(counted))
    if counted.harness_faults:
        say(
            f"WARNING: {counted.harness_faults} verdicts are faults of the harness; they are no scores and are left out of every rate"
        )
    if 2 * counted.harness_faults > counted.requested:
        raise SandboxFault(
            f"{where}: more than half of the verdicts are faults of the harness ({counted}); what was judged is kept"
        )
    return verdicts


def _judged(context: Context, jobs: list[Job], store: Store, on_done: Callable[[Verdict], None]) -> list[Verdict]:
    """In threads of this process or on Dask workers, as the settings say: the verdicts are the same."""
    runtime, require, retries = context.settings.runtime, context.settings.sandbox.require, context.settings.judge.retries
    if runtime.judge == "local":
        with open_sandbox(require=require, workers=runtime.workers) as sandbox:
            _prove(sandbox, store)
            verdicts = judging.judge_all(jobs, sandbox, store, retries=retries, on_done=on_done)
            isolation = sandbox.isolation
    else:
        with scaleout.open_cluster(require=require, workers=runtime.workers, scheduler=runtime.scheduler) as cluster:
            verdicts = scaleout.judge_all(jobs, cluster, store, retries=retries, on_done=on_done)
            isolation = f"{cluster.isolation}; {cluster.threads} Dask workers"
    say(f"isolation {isolation}")
    return verdicts


def _prove(sandbox: Pool, store: Store) -> None:
    """Have hostile programs prove the sandbox's limits, once a boot of the machine for each isolation and version of the code.

    Raises:
        SandboxFault: a limit isn't effective at a level that promises it.
    """
    boot = Path("/proc/sys/kernel/random/boot_id")
    key = canonical.sha(
        ["proved", boot.read_text() if boot.is_file() else "", judging.machinery_sha(), sandbox.isolation, os.getuid()]
    )
    if store.get(key):
        return
    failed = [f"{result.name} ({result.detail})" for result in probe(sandbox) if not result.passed]
    if not failed:
        store.put(key, "yes")
        return
    said = f"the sandbox ({sandbox.isolation}) doesn't hold these limits: {'; '.join(failed)}"
    if sandbox.isolation[0] in "ABC":
        raise SandboxFault(said)
    say(f"WARNING: {said}")


def _jobs(context: Context, attempts: Sequence[Attempt], known: Sequence[Instance], where: str) -> list[Job]:
    tasks = context.tasks()
    pairs = tables.join(attempts, known, on="instance_id", where=where)
    return [
        Job(
            attempt_id=attempt.attempt_id,
            task=tasks[instance.task_id],
            problem=instances.problem(
                tasks[instance.task_id],
                seed=instance.seed,
                difficulty=instance.difficulty,
                folder=context.instances_folder(instance.task_id),
            ),
            content_sha=instance.content_sha,
            submission=attempt.submission,
            mode=context.settings.judge.mode if context.settings.judge.mode in tasks[instance.task_id].spec.modes else "full",
        )
        for attempt, instance in pairs
    ]


def counts(counted: Tally) -> dict[str, int]:
    """A tally as metrics."""
    return {
        "requested": counted.requested,
        "scored": counted.scored,
        "candidate_faults": counted.candidate_faults,
        "harness_faults": counted.harness_faults,
    }
