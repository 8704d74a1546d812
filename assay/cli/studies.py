"""Commands that study a task: `assay survey` and `assay report`."""

from __future__ import annotations

import sys
import tempfile
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from assay import catalog, judging
from assay.cli.commands import ModeChoice, Require, Root, app, console_of, job_of, tasks_of
from assay.contract import Survey, survey
from assay.contract.survey import around, submissions_of, write
from assay.progress import Progress
from assay.sandbox import open_sandbox
from assay.store import Store


class Picture(StrEnum):
    """How figures are written."""

    png = "png"
    svg = "svg"


@app.command("survey")
def show_survey(
    task_id: Annotated[str, typer.Argument(metavar="TASK")],
    count: Annotated[int, typer.Option("--instances", min=1, max=2000, help="spread over the levels, seeds from 0")] = 200,
    into_readme: Annotated[bool, typer.Option("--write", help="put the table into the README of the task's folder too")] = False,
    store: Annotated[Path | None, typer.Option(help="keeps verdicts, so that a survey that was stopped goes on")] = None,
    workers: Annotated[int, typer.Option(min=1, max=64)] = 2,
    require: Require = "C",
    root: Root = None,
) -> None:
    """Score oracle, reference, rewrites, baseline and cheats on many instances. The exit status is 1 when a cheat reaches an honest one."""
    task = catalog.find(tasks_of(root), task_id)
    if into_readme:
        around(task.folder / "README.md")  # told before the work, not after it
    kept = Store(store) if store else None
    with open_sandbox(require=require, workers=workers) as sandbox:
        done = Progress("verdicts", count * submissions_of(task))
        found = survey(task, sandbox, count, store=kept, on_done=done.add)
    console_of().print(_table(found))
    if into_readme:
        write(found, task.folder / "README.md")
    if not found.apart():
        print("a cheat's best reaches an honest solution's worst, or we failed somewhere", file=sys.stderr)
        raise typer.Exit(1)


def _table(found: Survey) -> Table:
    table = Table(
        "",
        "submission",
        "mean",
        "spread",
        "worst",
        "best",
        "harness faults",
        title=f"{found.task_id}, {found.instances} instances",
    )
    for line in found.lines:
        numbers = (f"{value:.3f}" for value in (line.mean, line.spread, line.worst, line.best))
        table.add_row(line.group, line.name, *numbers, str(line.harness_faults))
    return table


@app.command()
def report(
    task_id: Annotated[str, typer.Argument(metavar="TASK")],
    file: Annotated[Path | None, typer.Argument(help="the solution; the task's reference by default")] = None,
    out: Annotated[Path, typer.Option(help="the folder of the figures")] = Path("figures"),
    seed: Annotated[int, typer.Option(min=0)] = 0,
    difficulty: Annotated[str | None, typer.Option(help="a level of the task; its easiest by default")] = None,
    kind: Annotated[Picture, typer.Option()] = Picture.png,
    require: Require = "C",
    root: Root = None,
) -> None:
    """Draw a solution on one instance: gates with margins, and what its task draws. The exit status is 3 when the harness failed."""
    from assay.contract import figures  # matplotlib takes its time

    task = catalog.find(tasks_of(root), task_id)
    solution = file or task.folder / "reference.py"
    with tempfile.TemporaryDirectory() as name, open_sandbox(require=require, workers=1) as sandbox:
        job = job_of(task, solution, seed=seed, difficulty=difficulty, mode=ModeChoice.full, folder=Path(name))
        verdict = judging.judge(job, sandbox)
        assert job.submission is not None
        drawn = figures.figures(task, job.problem, job.submission, sandbox, verdict)
        paths = figures.save(drawn, out / job.problem.instance_id, kind.value)
    print(f"{job.problem.instance_id}: {verdict.outcome}, score {verdict.score:.6f}, {verdict.failure_mode or 'passed'}")
    for path in paths:
        print(path)
    if verdict.outcome == "harness_fault":
        raise typer.Exit(3)
