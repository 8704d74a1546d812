"""The command line, as a user types it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
T01 = "tasks/cps/t01_kalman_filter"


def assay(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from assay.cli import main; main()", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=600,
    )


def test_tasks_are_listed() -> None:
    ended = assay("tasks")
    assert ended.returncode == 0
    for name in ("p01_expressions", "p02_sequences", "p03_held_out", "t01_kalman_filter", "smoke"):
        assert name in ended.stdout


def test_a_task_is_shown_with_its_prompt() -> None:
    ended = assay("show", "t01_kalman_filter")
    assert ended.returncode == 0
    assert "estimate" in ended.stdout and "thresholds" in ended.stdout


def test_the_published_smoke_score_of_the_reference() -> None:
    ended = assay("judge", "t01_kalman_filter", f"{T01}/reference.py", "--mode", "smoke", "--json")
    assert ended.returncode == 0, ended.stderr
    verdict = json.loads(ended.stdout)
    assert verdict["outcome"] == "scored"
    assert verdict["score"] == pytest.approx(0.588, abs=0.002)


def test_a_verdict_for_reading() -> None:
    ended = assay("judge", "p01_expressions", "tasks/primer/p01_expressions/reference.py", "--seed", "3")
    assert ended.returncode == 0, ended.stderr
    assert "scored, score 1.000000, passed" in ended.stdout and "isolation" in ended.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("show", "t01_kalmn"), "did you mean t01_kalman_filter"),
        (("judge", "p01_expressions", "nowhere.py"), "nowhere.py: expected a solution file, received nothing"),
        (("judge", "p01_expressions", "{bytes}"), "expected UTF-8 text, received the byte 0xf0"),
        (("judge", "p01_expressions", "{empty}"), "received an empty file"),
        (("judge", "p01_expressions", "{good}", "--mode", "smoke"), "mode must be one of full, received 'smoke'"),
        (("judge", "p01_expressions", "{good}", "--difficulty", "huge"), "difficulty must be one of"),
        (("judge", "p01_expressions", "{good}", "--seed", "x"), "Invalid value for '--seed'"),
        (("tasks", "--root", "/nowhere"), "/nowhere: expected the folder of the tasks"),
        (("survey", "p01_expressions", "--write"), "p01_expressions/README.md: expected the lines <!-- survey -->"),
        (("survey", "p01_expressions", "--instances", "0"), "Invalid value for '--instances'"),
        (("report", "p01_expressions", "{empty}"), "received an empty file"),
        (("brew",), "No such command 'brew'"),
    ],
)
def test_a_mistake_is_one_line(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    files = {"bytes": b"x = '\xf0'\n", "empty": b"", "good": b"x = 1\n"}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    ended = assay(*(text.format(**{name: tmp_path / name for name in files}) for text in arguments))
    assert ended.returncode == 2, ended.stderr
    assert said in ended.stderr and len(ended.stderr.strip().splitlines()) == 1 and ended.stdout == ""


def test_the_sandbox_proves_its_limits() -> None:
    ended = assay("sandbox")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "isolation" in ended.stdout and " NO " not in ended.stdout


def test_a_level_that_can_not_be_had_is_one_line() -> None:
    ended = assay("judge", "p01_expressions", "tasks/primer/p01_expressions/reference.py", "--require", "Q")
    assert ended.returncode == 2 and len(ended.stderr.strip().splitlines()) == 1


def test_a_survey_of_a_task() -> None:
    ended = assay("survey", "p01_expressions", "--instances", "1")
    assert ended.returncode == 0, ended.stderr
    assert "reference" in ended.stdout and "wrong_side" in ended.stdout and "verdicts: " in ended.stderr


def test_figures_of_a_task(tmp_path: Path) -> None:
    ended = assay("report", "t01_kalman_filter", "--out", str(tmp_path), "--kind", "svg")
    assert ended.returncode == 0, ended.stderr
    paths = ended.stdout.splitlines()[1:]
    assert f"{tmp_path}/t01_kalman_filter-easy-0/gates.svg" in paths
    assert all(Path(path).stat().st_size > 1000 for path in paths)
