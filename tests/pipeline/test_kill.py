"""A stage that is killed at a random moment and started again makes the same table as one that wasn't."""

from __future__ import annotations

import dataclasses
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay import catalog, instances, judging, tables
from assay.records import Attempt, Instance, Lesson, Message

from .conftest import Workspace
from .pipeline_hashes import PARTS

SEED = random.Random(20).randrange(1000)


def output_hash(path: Path) -> str:
    if path.is_dir():
        return str(instances.tree(path))
    return tables.content_hash(tables.read(path, PARTS[path.name]))


def killed(space: Workspace, stage: str, evidence: str, count: int) -> None:
    """Start a stage, wait for the `count`th line of evidence that it is at work, and kill it with all that it started."""
    child = subprocess.Popen(
        [sys.executable, "-u", "-m", *stage.split()],
        cwd=space.home,
        env=space.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert child.stdout is not None
    seen = 0
    for line in child.stdout:
        seen += bool(re.search(evidence, line))
        if seen >= count:
            break
    os.kill(child.pid, signal.SIGKILL)
    child.wait(60)
    child.stdout.close()
    assert child.returncode == -signal.SIGKILL, "the stage was still at work"
    time.sleep(1)


def undisturbed(space: Workspace, stage: str, *outputs: str) -> dict[str, str]:
    """What an undisturbed run makes, with nothing kept from before; the outputs and caches are taken away again."""
    clear(space, *outputs)
    space.run(*stage.split())
    made = {name: output_hash(space.home / name) for name in outputs}
    clear(space, *outputs)
    return made


def clear(space: Workspace, *outputs: str) -> None:
    import shutil

    shutil.rmtree(space.home / ".cache" / "assay", ignore_errors=True)
    for name in outputs:
        path = space.home / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def quick_progress(space: Workspace) -> None:
    """Say progress at every step, so that the kill can come in the middle."""
    space.change("assay/progress.py", "_EVERY_SECONDS = 5.0", "_EVERY_SECONDS = 0.0")


def test_sample(space: Workspace) -> None:
    quick_progress(space)
    space.change("params.yaml", "train: 3, eval: 2", "train: 60, eval: 2")
    text = (
        (space.home / "params.yaml")
        .read_text()
        .replace("max_new_tokens: 8", "max_new_tokens: 64")
        .replace("attempts: 2", "attempts: 4")
    )
    (space.home / "params.yaml").write_text(text)
    space.run("stages.generate", "p01_expressions")
    output = "data/rounds/r00/attempts.parquet"
    expected = undisturbed(space, "stages.sample r00", output)
    killed(space, "stages.sample r00", r"completions: [1-9]", 1 + SEED % 5)
    space.run("stages.sample", "r00")
    assert output_hash(space.home / output) == expected[output]


def written(space: Workspace) -> list[Attempt]:
    """Attempts with real code: the reference, adapted to each instance, with a constant that tells them apart."""
    found = catalog.scan(space.home / "tasks")
    rows = []
    for task_id in ("p01_expressions", "t01_kalman_filter"):
        folder = space.home / "data" / "instances" / task_id
        task = found[task_id]
        for row in tables.read(folder / "instances.parquet", Instance):
            if row.split == "train":
                problem = instances.problem(task, seed=row.seed, difficulty=row.difficulty, folder=folder)
                source = judging.adapted(task, (task.folder / "reference.py").read_text(), problem)
                rows += [_attempt(row, draw, source) for draw in range(8)]
    return rows


def _attempt(row: Instance, draw: int, source: str) -> Attempt:
    name = f"r00/{row.instance_id}/model-{draw}"
    messages = (Message("system", "s"), Message("user", row.prompt))
    code = f"{source}\nUNUSED = {draw}\n" if draw % 3 else f"{source}\nraise ValueError({draw})\n"
    return Attempt(name, row.instance_id, "r00", draw, "model", None, "m", draw, messages, code, 9, "stop", code, "fenced")


def test_judge(space: Workspace) -> None:
    quick_progress(space)
    table = space.home / "data/rounds/r00/attempts.parquet"
    table.unlink()
    tables.write(table, written(space), Attempt)
    output = "data/rounds/r00/verdicts.parquet"
    expected = undisturbed(space, "stages.judge r00", output)
    killed(space, "stages.judge r00", r"verdicts: [1-9]", 1 + SEED % 5)
    space.run("stages.judge", "r00")
    assert output_hash(space.home / output) == expected[output]
    outcomes = {row.outcome for row in tables.read(space.home / output, PARTS["verdicts.parquet"])}
    assert outcomes == {"scored", "candidate_fault"}


@pytest.mark.parametrize("at", [2, 9])
def test_train(at: int, space: Workspace) -> None:
    quick_progress(space)
    space.change("params.yaml", "quantization: nf4", "quantization: none")
    lesson = Lesson("r00/x", "x", "i", "positive", (), 1.0, "by hand", 0, 0)
    rows = [
        dataclasses.replace(
            lesson,
            lesson_id=f"r00/{number:02d}",
            attempt_id=f"{number:02d}",
            messages=(Message("user", f"question {number}"), Message("assistant", f"```python\nx = {number}\n```")),
            tokens=40,
            trained_tokens=20,
        )
        for number in range(20)
    ]
    table = space.home / "data/rounds/r00/lessons.parquet"
    table.unlink()
    tables.write(table, rows, Lesson)
    outputs = ("data/rounds/r00/adapter", "data/rounds/r00/steps.parquet")
    expected = undisturbed(space, "stages.train r00", *outputs)
    killed(space, "stages.train r00", r"training steps: [1-9]", at)
    space.run("stages.train", "r00")
    assert {name: output_hash(space.home / name) for name in outputs} == expected
