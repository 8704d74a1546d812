"""Surveys and figures of a task folder: the numbers are right, and what is wrong is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay import catalog, instances, judging
from assay.catalog import Task
from assay.contract import figures, survey
from assay.contract.survey import BEGIN, END, markdown, submissions_of, write
from assay.errors import TaskError
from assay.judging import Job
from assay.protocol import Sandbox
from assay.store import Store

YARDSTICKS = """

def yardsticks(problem):
    gate = Gate("right", True, 1.0, None)
    return {"oracle": Judgement(1.0, (gate,), {}), "baseline": Judgement(0.25, (gate,), {})}

def answers(problem, submission, run, mode):
    from types import SimpleNamespace
    return SimpleNamespace(values={"measured": (14.0,)})
"""
FIGURES = """
from matplotlib.figure import Figure

def draw(problem, values):
    figure = Figure()
    figure.subplots().plot(values["measured"])
    return {"answers": figure}
"""


def toy(home: Path) -> Task:
    (home / "task.yaml").write_text((home / "task.yaml").read_text().replace("{easy: {}}", "{easy: {}, hard: {}}"))
    verifier = home.parent / "verifier.py"
    verifier.write_text(verifier.read_text() + YARDSTICKS)
    catalog.load.cache_clear()
    return catalog.scan(home.parents[1])["toy"]


def test_a_survey_spreads_over_the_levels_and_counts_each_file(home: Path, sandbox: Sandbox) -> None:
    task, heard = toy(home), list[int]()
    found = survey(task, sandbox, 3, on_done=heard.append)
    assert sum(heard) == 3 * submissions_of(task) == 3 * 12
    assert (found.levels, found.instances) == (("easy", "hard"), 3)
    assert {line.instances for line in found.lines} == {3}
    (reference,), cheats = found.of("reference"), found.of("cheat")
    assert (reference.mean, reference.worst, reference.spread) == (1.0, 1.0, 0.0)
    assert len(cheats) == 8 and all(line.best == 0.0 for line in cheats)
    assert [line.mean for group in ("oracle", "baseline") for line in found.of(group)] == [1.0, 0.25]
    assert found.apart()


def test_a_cheat_that_reaches_an_honest_solution_is_told(home: Path, sandbox: Sandbox) -> None:
    (home / "cheats" / "c7.py").write_text("def f(x):\n    return x * 7\n")
    found = survey(toy(home), sandbox, 1)
    assert [line.name for line in found.of("cheat") if line.best == 1.0] == ["c7"]
    assert not found.apart()


def test_a_survey_that_was_stopped_goes_on_from_its_store(home: Path, sandbox: Sandbox, tmp_path: Path) -> None:
    task, store = toy(home), Store(tmp_path / "store")
    first = survey(task, sandbox, 2, store=store)

    class Gone:
        workers, isolation = 1, sandbox.isolation

        def run(self, program: object) -> None:
            raise AssertionError("nothing is to be run again")

    assert survey(task, Gone(), 2, store=store) == first  # type: ignore[arg-type]


def test_the_table_goes_between_its_marks_and_nowhere_else(home: Path, sandbox: Sandbox) -> None:
    found = survey(toy(home), sandbox, 1)
    readme = home / "README.md"
    with pytest.raises(TaskError, match="received nothing"):
        write(found, readme)
    readme.write_text("# Toy\n")
    with pytest.raises(TaskError, match="received a file without them"):
        write(found, readme)
    readme.write_text(f"# Toy\n\n{BEGIN}\nold\n{END}\n\nend\n")
    for _ in range(2):
        write(found, readme)
    text = readme.read_text()
    assert markdown(found) in text and "old" not in text
    assert text.startswith("# Toy\n") and text.endswith("\n\nend\n") and text.count(BEGIN) == 1
    assert "| reference | reference | 1.000 | 0.000 | 1.000 | 1.000 |" in text


def judged(task: Task, sandbox: Sandbox, folder: Path, source: str) -> tuple[Job, judging.Verdict]:
    row = instances.make(task, seed=0, difficulty="easy", split="train", folder=folder)
    problem = instances.problem(task, seed=0, difficulty="easy", folder=folder)
    job = Job(attempt_id="x", task=task, problem=problem, content_sha=row.content_sha, submission=source)
    return job, judging.judge(job, sandbox)


def test_figures_are_drawn_and_written(home: Path, sandbox: Sandbox, tmp_path: Path) -> None:
    (home / "figures.py").write_text(FIGURES)
    task, source = toy(home), (home / "reference.py").read_text()
    job, verdict = judged(task, sandbox, tmp_path, source)
    drawn = figures.figures(task, job.problem, source, sandbox, verdict)
    assert list(drawn) == ["gates", "answers"]
    for kind, head in (("png", b"\x89PNG"), ("svg", b"<?xml")):
        for path in figures.save(drawn, tmp_path / kind, kind):
            assert path.read_bytes().startswith(head) and path.stat().st_size > 1000


def test_a_figure_that_fails_names_its_file(home: Path, sandbox: Sandbox, tmp_path: Path) -> None:
    (home / "figures.py").write_text("def draw(problem, values):\n    raise KeyError('measured')\n")
    task, source = toy(home), (home / "reference.py").read_text()
    job, verdict = judged(task, sandbox, tmp_path, source)
    with pytest.raises(TaskError, match=r"toy/figures.py: draw raised KeyError"):
        figures.figures(task, job.problem, source, sandbox, verdict)
