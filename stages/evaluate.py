"""evaluate ROUND|base: the same held-out instances for every round, with 95% intervals and paired differences.

Writes evaluation/attempts.parquet and verdicts.parquet, evaluation.json, and curve.csv: one line a round so far.
"""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay import canonical, evaluation, judging, tables
from assay.catalog import Task
from assay.evaluation import Estimate, Trial
from assay.records import Attempt, Instance, Verdict
from stages import asking, hearing
from stages.context import BASE, Context, main, rounds_and_base, say

GROUPS = ("held_out_instances", "held_out_families", "all")


def evaluate(context: Context) -> None:
    """Attempt and judge the evaluation instances with this round's adapter, and compare with base and the round before."""
    home = context.round_folder()
    known = [row for row in context.instances() if row.split == "eval"]
    numbers = context.settings.evaluate
    attempts = asking.ask(context, asking.questions(context, known, numbers.attempts), numbers, home / "adapter")
    verdicts = hearing.hear(context, attempts, known, str(home / "evaluation" / "attempts.parquet"))
    tables.write(home / "evaluation" / "attempts.parquet", attempts, Attempt)
    tables.write(home / "evaluation" / "verdicts.parquet", verdicts, Verdict)
    metrics: dict[str, Any] = {**hearing.counts(judging.tally(len(attempts), verdicts)), "groups": _groups(context, home, known)}
    tables.write_text(home / "evaluation.json", canonical.dumps(metrics) + "\n")
    _write_curve(context, metrics["groups"])
    for group in GROUPS:
        say(f"{context.name}: {group.replace('_', ' ')}: {percent(metrics['groups'][group]['pass1'])}")


def trials(home: Path, known: Sequence[Instance], tasks: dict[str, Task]) -> dict[str, list[Trial]]:
    """The trials of an evaluated round by group; harness faults are no trials.

    Raises:
        TableError: a table is missing, damaged, or lacks rows.
    """
    attempts = tables.read(home / "evaluation" / "attempts.parquet", Attempt)
    verdicts = tables.read(home / "evaluation" / "verdicts.parquet", Verdict)
    heard = tables.join(attempts, verdicts, on="attempt_id", where=str(home / "evaluation" / "verdicts.parquet"))
    pairs = tables.join(attempts, known, on="instance_id", where="data/instances")
    groups: dict[str, list[Trial]] = {group: [] for group in GROUPS}
    for (attempt, verdict), (_, instance) in zip(heard, pairs, strict=True):
        if verdict.outcome == "harness_fault":
            continue
        trial = Trial(
            instance_id=attempt.instance_id,
            draw=attempt.draw,
            cluster=f"{instance.task_id}/{instance.family}",
            passed=verdict.passed,
            score=verdict.score,
        )
        for group in (_group(tasks[instance.task_id]), f"task {instance.task_id}", "all"):
            groups.setdefault(group, []).append(trial)
    return groups


def _asked(home: Path) -> list[tuple[str, int]]:
    rows = tables.read(home / "evaluation" / "attempts.parquet", Attempt)
    return [(row.instance_id, row.draw) for row in rows]


def _group(task: Task) -> str:
    return "held_out_families" if task.spec.eval_only else "held_out_instances"


def _groups(context: Context, home: Path, known: Sequence[Instance]) -> dict[str, Any]:
    tasks = dict(context.tasks())
    mine = trials(home, known, tasks)
    compared = [] if context.name == BASE else list(dict.fromkeys([BASE, context.previous]))
    others = {name: trials(context.round_folder(name), known, tasks) for name in compared}
    asked = _asked(home)
    for name in compared:
        evaluation.same_questions(_asked(context.round_folder(name)), asked)
    found: dict[str, Any] = {}
    for group, rows in mine.items():
        entry: dict[str, Any] = {
            "pass1": plain(evaluation.pass_rate(rows)),
            "score": plain(evaluation.mean_score(rows)),
        }
        for name, theirs in others.items():
            entry[f"minus_{name}"] = plain(evaluation.paired_difference(theirs.get(group, []), rows))
        found[group] = entry
    return found


def plain(estimate: Estimate | None) -> dict[str, float] | None:
    """An estimate as metrics, rounded to six digits."""
    if estimate is None:
        return None
    return {name: round(value, 6) for name, value in dataclasses.asdict(estimate).items()}


def percent(estimate: dict[str, float] | None) -> str:
    """An estimate for reading: 12.3% [9.1, 15.6]."""
    if estimate is None:
        return "-"
    return f"{100 * estimate['mean']:.1f}% [{100 * estimate['low']:.1f}, {100 * estimate['high']:.1f}]"


def points(estimate: dict[str, float] | None) -> str:
    """A difference for reading, in percentage points: +12.3 [+9.1, +15.6]."""
    if estimate is None:
        return "-"
    return f"{100 * estimate['mean']:+.1f} [{100 * estimate['low']:+.1f}, {100 * estimate['high']:+.1f}]"


def _write_curve(context: Context, groups: dict[str, Any]) -> None:
    """One line a round so far: its number (base is 0) and, for each group, pass@1 with its interval; empty where nothing was measured."""
    columns = [f"{group}{part}" for group in GROUPS for part in ("", "_low", "_high")]
    lines = [["index", "round", *columns]]
    if context.name != BASE:
        text = (context.round_folder(context.previous) / "curve.csv").read_text(encoding="utf-8")
        lines = list(csv.reader(io.StringIO(text)))
    rates = [groups[group]["pass1"] for group in GROUPS]
    values = [str(rate[part]) if rate else "" for rate in rates for part in ("mean", "low", "high")]
    lines.append([str(len(lines) - 1), context.name, *values])
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(lines)
    tables.write_text(context.round_folder() / "curve.csv", written.getvalue())


if __name__ == "__main__":
    main(evaluate, argument="round", choices=rounds_and_base)
