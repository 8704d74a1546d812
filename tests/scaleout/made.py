"""Jobs with real code: references and cheats of the primer, adapted to their instances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from assay import catalog, instances, judging, tables
from assay.judging import Job
from assay.records import Verdict

ROOT = Path(__file__).resolve().parents[2]
TASKS = ("p01_expressions", "p02_sequences")
SOURCES = ("reference", "cheats/constant", "cheats/forged_result", "cheats/not_a_number")


def jobs(folder: Path, *, seeds: int, variants: int = 1) -> list[Job]:
    """`2 * seeds * 5 * variants` jobs at instances made under a folder, among them one without code and some that crash.

    Args:
        folder: where the instances are, or are to be made.
        seeds: instances of each task.
        variants: how often each source stands there, told apart by a constant.
    """
    made: list[Job] = []
    for task_id in TASKS:
        task = catalog.scan(ROOT / "tasks")[task_id]
        for seed in range(1, seeds + 1):
            row = instances.make(task, seed=seed, difficulty="easy", split="train", folder=folder)
            problem = instances.problem(task, seed=seed, difficulty="easy", folder=folder)
            texts = [judging.adapted(task, (task.folder / f"{name}.py").read_text(), problem) for name in SOURCES]
            texts.append("raise ValueError('no answer')\n")
            for variant in range(variants):
                for text in texts:
                    name = f"{row.instance_id}/{len(made)}"
                    made.append(Job(name, task, problem, row.content_sha, f"{text}\nUNUSED = {variant}\n"))
    return [replace(made[0], attempt_id="none", submission=None), replace(made[0], attempt_id="twin"), *made[2:]]


def content(verdicts: Sequence[Verdict]) -> str:
    """The content hash of the table of verdicts."""
    return str(tables.content_hash(verdicts))


def outcomes(verdicts: Sequence[Verdict]) -> set[str]:
    """How they ended."""
    return {verdict.outcome for verdict in verdicts}
