"""Hearing attempts: a verdict for each, and aloud whether they add up."""

from __future__ import annotations

from collections.abc import Sequence

from assay import instances, judging, tables
from assay.judging import Job, Tally
from assay.progress import Progress
from assay.records import Attempt, Instance, Verdict
from assay.sandbox import open_sandbox
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
    with (
        open_sandbox(require=context.settings.sandbox.require, workers=context.settings.runtime.workers) as sandbox,
        Store(context.cache / "verdicts.sqlite") as store,
    ):
        verdicts = judging.judge_all(
            jobs,
            sandbox,
            store,
            retries=context.settings.judge.retries,
            on_done=lambda verdict: progress.add(note=verdict.outcome),
        )
        say(f"isolation {sandbox.isolation}")
    counted = judging.tally(len(attempts), verdicts)
    say(str(counted))
    if counted.harness_faults:
        say(
            f"WARNING: {counted.harness_faults} verdicts are faults of the harness; they are no scores and are left out of every rate"
        )
    return verdicts


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
