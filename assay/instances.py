"""Making instances: a task, a seed and a difficulty give a prompt, a public and a private folder, the same bytes every time.

<folder>/<instance_id>/public/    what the candidate's process may see
<folder>/<instance_id>/private/   what only the judge sees
"""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from assay import canonical
from assay.catalog import Task
from assay.errors import TaskError
from assay.protocol import Draft, Problem
from assay.records import Instance, Split


def instance_id(task_id: str, difficulty: str, seed: int) -> str:
    """The id of an instance: it names the three things that determine it."""
    return f"{task_id}-{difficulty}-{seed}"


def make(task: Task, *, seed: int, difficulty: str, split: Split, folder: Path) -> Instance:
    """Write one instance's folders under `folder` and return its row.

    Raises:
        TaskError: the task's generator failed, or handed back something else than a Draft with a prompt.
    """
    name = instance_id(task.task_id, difficulty, seed)
    home = folder / name
    shutil.rmtree(home, ignore_errors=True)
    public, private = home / "public", home / "private"
    public.mkdir(parents=True)
    private.mkdir()
    level = task.difficulty(difficulty)
    try:
        draft = task.module("generate").generate(seed=seed, difficulty=level, public=public, private=private)
    except OSError:
        raise
    except Exception as error:
        raise TaskError(f"{name}: generate.py raised {type(error).__name__}: {error}") from error
    if not isinstance(draft, Draft) or not draft.prompt.strip():
        raise TaskError(f"{name}: generate must return a Draft with a prompt, received {type(draft).__name__}")
    content = {"prompt": draft.prompt, "public": tree(public), "private": tree(private)}
    return Instance(
        instance_id=name,
        task_id=task.task_id,
        domain=task.domain,
        family=draft.family,
        seed=seed,
        difficulty=difficulty,
        split=split,
        prompt=draft.prompt,
        content_sha=canonical.sha(content),
    )


def tree(folder: Path) -> dict[str, str]:
    """SHA-256 of every file under a folder, by relative path."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def problem(task: Task, *, seed: int, difficulty: str, folder: Path) -> Problem:
    """What the judge sees of an instance that `make` wrote under `folder`.

    Raises:
        TaskError: the folders aren't there.
    """
    name = instance_id(task.task_id, difficulty, seed)
    home = folder / name
    if not (home / "private").is_dir():
        raise TaskError(f"{home}: expected the folders of instance {name}, received nothing")
    return Problem(
        instance_id=name,
        task_id=task.task_id,
        seed=seed,
        difficulty=task.difficulty(difficulty),
        public=home / "public",
        private=home / "private",
        contract=task.spec.contract,
        thresholds=task.spec.thresholds,
        limits=task.limits,
        judge=task.module("judge"),
    )
