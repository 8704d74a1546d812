"""Content hashes of all tables of a workspace, and file hashes of the rest."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from assay import tables
from assay.records import Attempt, Instance, Lesson, Review, Reward, Step, Verdict

PARTS: dict[str, Any] = {
    "instances.parquet": Instance,
    "attempts.parquet": Attempt,
    "corrections.parquet": Attempt,
    "verdicts.parquet": Verdict,
    "corrections_verdicts.parquet": Verdict,
    "reviews.parquet": Review,
    "rewards.parquet": Reward,
    "lessons.parquet": Lesson,
    "steps.parquet": Step,
}


def hashes(home: Path) -> dict[str, str]:
    """By path below the workspace."""
    found: dict[str, str] = {}
    for path in sorted((home / "data").rglob("*")):
        if path.is_file() and path.name not in (".gitignore",):
            known = PARTS.get(path.name)
            value = tables.content_hash(tables.read(path, known)) if known else hashlib.sha256(path.read_bytes()).hexdigest()
            found[path.relative_to(home).as_posix()] = value
    return found
