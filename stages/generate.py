"""generate TASK: make a task's instances, for training and for evaluation.

Writes data/instances/<task>/: `instances.parquet` and a public and a private folder for each. Training and evaluation seeds never meet.
"""

from __future__ import annotations

import shutil

from assay import instances, tables
from assay.errors import StorageError, TaskError
from assay.records import Instance, Split
from stages.context import Context, main, say

_EVAL_OFFSET = 500
_SEED_STRIDE = 1000


def generate(context: Context) -> None:
    """Make the instances of one task in a folder beside its place, then move them there."""
    task = context.tasks()[context.name]
    wanted = context.settings.tasks[context.name]
    home = context.instances_folder(context.name)
    draft = context.root / ".cache" / "generate" / context.name
    shutil.rmtree(draft, ignore_errors=True)
    rows: list[Instance] = []
    splits: list[tuple[Split, int, int]] = [("train", wanted.train, 0), ("eval", wanted.eval, _EVAL_OFFSET)]
    try:
        for split, count, offset in splits:
            for number in range(count):
                seed = context.settings.seed * _SEED_STRIDE + offset + number
                rows.append(instances.make(task, seed=seed, difficulty=wanted.difficulty, split=split, folder=draft))
        _no_overlap(rows)
        tables.write(draft / "instances.parquet", rows, Instance)
        shutil.rmtree(home, ignore_errors=True)
        home.parent.mkdir(parents=True, exist_ok=True)
        draft.rename(home)
    except OSError as error:
        raise StorageError(f"{home}: can't be written: {error.strerror or error}") from error
    say(f"{context.name}: {wanted.train} instances to train on, {wanted.eval} to measure with")


def _no_overlap(rows: list[Instance]) -> None:
    """No evaluation prompt may be one that is trained on."""
    trained = {row.prompt for row in rows if row.split == "train"}
    leaked = [row.instance_id for row in rows if row.split == "eval" and row.prompt in trained]
    fixed = len({row.prompt for row in rows}) == 1
    if leaked and not fixed:
        raise TaskError(f"evaluation instances with the prompt of a training instance: {', '.join(leaked)}")


if __name__ == "__main__":
    main(generate, argument="task", choices=lambda settings: list(settings.tasks))
