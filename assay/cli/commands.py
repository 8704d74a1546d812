"""The commands."""

from __future__ import annotations

import dataclasses
import json
import sys
import tempfile
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from assay import canonical, catalog, contract, instances, judging, submissions
from assay.catalog import Task
from assay.errors import TaskError
from assay.judging import Job
from assay.records import Verdict
from assay.sandbox import open_sandbox
from assay.sandbox.probe import probe

app = typer.Typer(
    help="Tasks, verdicts and isolation from the terminal.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

Root = Annotated[
    Path | None, typer.Option("--root", help="the folder of the domains; by default the nearest tasks/ upward from here")
]
Require = Annotated[str, typer.Option("--require", help="the weakest isolation that is accepted: A, B, C, D or none")]


class ModeChoice(StrEnum):
    """The two modes of a task."""

    smoke = "smoke"
    full = "full"


def tasks_of(root: Path | None) -> Mapping[str, Task]:
    """Every task by its id, under `root` or the nearest tasks/ upward from here."""
    if root is not None:
        return catalog.scan(root)
    here = Path.cwd()
    for folder in (here, *here.parents, Path(__file__).resolve().parents[2]):
        if any((folder / "tasks").glob("*/*/task.yaml")):
            return catalog.scan(folder / "tasks")
    raise TaskError(f"{here}: expected a folder tasks/ here or above, received none (--root names one)")


def console_of() -> Console:
    """Standard output, wide enough for a table when it is no terminal."""
    return Console(width=None if sys.stdout.isatty() else 140)


@app.command("tasks")
def list_tasks(root: Root = None) -> None:
    """List every task."""
    table = Table("task", "domain", "title", "difficulties", "modes")
    for task in tasks_of(root).values():
        held = " (held out)" if task.spec.eval_only else ""
        table.add_row(
            task.task_id, task.domain, task.spec.title + held, ", ".join(task.spec.difficulties), ", ".join(task.spec.modes)
        )
    console_of().print(table)


@app.command()
def show(
    task_id: Annotated[str, typer.Argument(metavar="TASK")],
    seed: Annotated[int, typer.Option(min=0)] = 0,
    difficulty: Annotated[str | None, typer.Option(help="a level of the task; its easiest by default")] = None,
    root: Root = None,
) -> None:
    """Show a task: its numbers, and the prompt of one instance."""
    task = catalog.find(tasks_of(root), task_id)
    console = console_of()
    console.print(f"[bold]{task.task_id}[/bold]: {task.spec.title}", highlight=False)
    facts: dict[str, object] = {
        "folder": task.folder,
        "kind": task.spec.kind,
        "difficulties": task.spec.difficulties,
        "limits": dict(task.spec.limits),
    }
    facts |= {"thresholds": task.spec.thresholds, "pass score": task.spec.pass_score, "reference": task.spec.reference}
    for name, value in facts.items():
        console.print(f"{name}: {value}", highlight=False, markup=False)
    with tempfile.TemporaryDirectory() as folder:
        level = difficulty or next(iter(task.spec.difficulties))
        row = instances.make(task, seed=seed, difficulty=level, split="train", folder=Path(folder))
        files = sorted(instances.tree(Path(folder) / row.instance_id / "public"))
    console.print(f"public files: {', '.join(files) or 'none'}", highlight=False, markup=False)
    console.print(f"\n--- the prompt of {row.instance_id} ({row.family}) ---", highlight=False, markup=False)
    print(row.prompt)


@app.command("judge")
def judge_file(
    task_id: Annotated[str, typer.Argument(metavar="TASK")],
    file: Annotated[Path, typer.Argument(help="the solution")],
    seed: Annotated[int, typer.Option(min=0)] = 0,
    difficulty: Annotated[str | None, typer.Option(help="a level of the task; its easiest by default")] = None,
    mode: Annotated[ModeChoice, typer.Option()] = ModeChoice.full,
    as_json: Annotated[bool, typer.Option("--json", help="the verdict as one JSON object")] = False,
    require: Require = "C",
    root: Root = None,
) -> None:
    """Judge a solution file. The exit status is 0 when there is a verdict, also a bad one; 3 when the harness failed."""
    task = catalog.find(tasks_of(root), task_id)
    if mode.value not in task.spec.modes:
        raise TaskError(f"task {task_id}: mode must be one of {', '.join(task.spec.modes)}, received {mode.value!r}")
    with tempfile.TemporaryDirectory() as name, open_sandbox(require=require, workers=1) as sandbox:
        job = job_of(task, file, seed=seed, difficulty=difficulty, mode=mode, folder=Path(name))
        verdict = judging.judge(job, sandbox)
    if as_json:
        print(json.dumps(dataclasses.asdict(verdict) | {"metrics": canonical.loads(verdict.metrics)}, indent=2, allow_nan=False))
    else:
        _print_verdict(verdict, job.problem.instance_id)
    if verdict.outcome == "harness_fault":
        raise typer.Exit(3)


def job_of(task: Task, file: Path, *, seed: int, difficulty: str | None, mode: ModeChoice, folder: Path) -> Job:
    """One solution file as an attempt at one instance, which is made in a folder."""
    source = submissions.read(file)
    level = task.difficulty(difficulty or next(iter(task.spec.difficulties))).name
    row = instances.make(task, seed=seed, difficulty=level, split="train", folder=folder)
    problem = instances.problem(task, seed=seed, difficulty=level, folder=folder)
    submission = judging.adapted(task, source, problem)
    return Job(
        attempt_id=str(file), task=task, problem=problem, content_sha=row.content_sha, submission=submission, mode=mode.value
    )


def _print_verdict(verdict: Verdict, name: str) -> None:
    console = console_of()
    end = "passed" if verdict.passed else verdict.failure_mode
    console.print(f"{name}: {verdict.outcome}, score {verdict.score:.6f}, {end}", highlight=False)
    if verdict.gates:
        table = Table("gate", "met", "value", "bound")
        for gate in verdict.gates:
            numbers = ["-" if number is None else f"{number:.6g}" for number in (gate.value, gate.bound)]
            table.add_row(gate.name, "yes" if gate.passed else "NO", *numbers)
        console.print(table)
    for line in (*verdict.notes, *verdict.events):
        console.print(f"- {line}", highlight=False, markup=False)
    console.print(f"isolation {verdict.isolation or 'not needed: nothing ran'}", highlight=False, markup=False)


@app.command()
def check(
    task_id: Annotated[str | None, typer.Argument(metavar="[TASK]")] = None,
    seeds: Annotated[int, typer.Option(min=1, max=50, help="how many instances")] = 1,
    every_level: Annotated[bool, typer.Option("--every-level", help="at every difficulty, not only the easiest")] = False,
    workers: Annotated[int, typer.Option(min=1, max=64)] = 2,
    require: Require = "C",
    root: Root = None,
) -> None:
    """Check the contract of one folder, or of all. The exit status is 1 when something doesn't hold."""
    tasks = tasks_of(root)
    chosen = [catalog.find(tasks, task_id)] if task_id else list(tasks.values())
    bad = 0
    with open_sandbox(require=require, workers=workers) as sandbox:
        for task in chosen:
            levels = list(task.spec.difficulties) if every_level else ()
            for finding in contract.check(task, sandbox, seeds=range(seeds), levels=levels):
                bad += not finding.passed
                print(f"{'ok  ' if finding.passed else 'FAIL'} {task.task_id}: {finding.name}: {finding.detail}", flush=True)
    print(f"{bad} findings don't hold" if bad else "everything holds")
    if bad:
        raise typer.Exit(1)


@app.command("sandbox")
def show_sandbox(require: Require = "none") -> None:
    """Show what isolation is in force, and prove its limits with hostile programs."""
    with open_sandbox(require=require, workers=1) as sandbox:
        results = probe(sandbox)
        table = Table("probe", "holds", "what was seen", title=f"isolation {sandbox.isolation}")
        for result in results:
            table.add_row(result.name, "yes" if result.passed else "NO", result.detail)
        console_of().print(table)
    if not all(result.passed for result in results):
        raise typer.Exit(1)
