"""The real graph: what runs again after which change, and that every table comes back."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assay import tables
from assay.records import Attempt, Verdict

from .conftest import Workspace, checkout
from .pipeline_hashes import PARTS, hashes


def test_nothing_runs_when_nothing_changed(space: Workspace) -> None:
    before = hashes(space.home)
    assert space.repro() == []
    assert hashes(space.home) == before


def test_a_threshold_of_one_task_runs_only_what_depends_on_it(space: Workspace) -> None:
    space.change("tasks/cps/t01_kalman_filter/task.yaml", "coverage: 0.9 ", "coverage: 0.8 ")  # one that the prompt doesn't tell
    ran = set(space.repro())
    assert "generate@t01_kalman_filter" in ran and "judge@r00" in ran and "baseline" in ran
    untouched = {
        "generate@p01_expressions",
        "generate@p03_held_out",
        "start",
        "sample@r00",
        "sample@r01",
        "train@r00",
        "train@r01",
    }
    assert not ran & untouched, (
        "a verdict names its judge, so the pool is made again; its lessons come out the same and nothing is trained"
    )


def test_an_old_commit_brings_its_tables_back(space: Workspace) -> None:
    before = hashes(space.home)
    space.change("params.yaml", "evaluate:\n  attempts: 2", "evaluate:\n  attempts: 1")
    assert sorted(space.repro()) == ["baseline", "evaluate@r00", "evaluate@r01"]
    space.git("add", "-A")
    space.git("commit", "-qm", "fewer attempts")
    assert hashes(space.home) != before
    space.git("checkout", "-q", "HEAD~1")
    space.run("dvc", "checkout")
    assert hashes(space.home) == before
    assert space.repro() == []


def test_deleted_outputs_are_restored_and_nothing_runs(space: Workspace) -> None:
    before = hashes(space.home)
    shutil.rmtree(space.home / "data")
    assert space.repro() == []
    assert hashes(space.home) == before


def test_a_new_round_runs_only_its_own_stages(space: Workspace) -> None:
    space.change("params.yaml", "  r01: {previous: r00}", "  r01: {previous: r00}\n  r02: {previous: r01}")
    ran = space.repro()
    assert sorted(ran) == sorted(
        f"{name}@r02" for name in ("sample", "judge", "rubric", "correct", "reward", "pool", "train", "evaluate")
    )


def test_another_clone_makes_the_same_tables(finished: Workspace, model: Path, tmp_path: Path) -> None:
    clone = checkout(tmp_path, model)
    clone.repro("pool@r01")
    expected = {name: value for name, value in hashes(finished.home).items() if name in hashes(clone.home)}
    assert len(expected) > 15
    assert hashes(clone.home) == expected


def test_every_table_adds_up(finished: Workspace) -> None:
    for name in ("r00", "r01"):
        home = finished.home / "data" / "rounds" / name
        for folder in (home, home / "evaluation"):
            attempts = tables.read(folder / "attempts.parquet", Attempt)
            verdicts = tables.read(folder / "verdicts.parquet", Verdict)
            assert [row.attempt_id for row in attempts] == [row.attempt_id for row in verdicts] != []
        counts: dict[str, Any] = json.loads((home / "judge.json").read_text())
        assert counts["requested"] == counts["scored"] + counts["candidate_faults"] + counts["harness_faults"] > 0


def test_metrics_and_plots_are_declared(space: Workspace) -> None:
    shown = json.loads(space.run("dvc", "metrics", "show", "--json").stdout)
    files = shown[""]["data"]
    assert {f"data/rounds/{name}/evaluation.json" for name in ("base", "r00", "r01")} <= set(files)
    assert "dvc_plots" in space.run("dvc", "plots", "show").stdout
    with (space.home / "data/rounds/r01/curve.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["index"], row["round"]) for row in rows] == [("0", "base"), ("1", "r00"), ("2", "r01")]
    assert all(float(row["held_out_instances"]) >= 0 for row in rows)


@pytest.mark.parametrize(
    ("damaged", "target"),
    [
        ("data/rounds/r00/attempts.parquet", "judge"),
        ("data/rounds/r00/verdicts.parquet", "reward"),
        ("data/rounds/r00/lessons.parquet", "train"),
    ],
)
def test_a_corrupt_table_is_one_line_and_nothing_made_is_lost(damaged: str, target: str, space: Workspace) -> None:
    path = space.home / damaged
    others = {name: value for name, value in hashes(space.home).items() if name != damaged}
    data = bytearray(path.read_bytes())
    path.unlink()
    data[len(data) // 3] ^= 0xFF
    path.write_bytes(bytes(data[: len(data) * 2 // 3]))
    ended = space.run(f"stages.{target}", "r00", check=False)
    assert ended.returncode == 2
    assert len(ended.stderr.strip().splitlines()) == 1 and damaged in ended.stderr
    path.unlink()
    space.run("dvc", "checkout", damaged)
    assert {name: value for name, value in hashes(space.home).items() if name != damaged} == others


def test_a_table_that_lacks_rows_is_one_line(space: Workspace) -> None:
    path = space.home / "data/rounds/r00/verdicts.parquet"
    rows = tables.read(path, Verdict)
    path.unlink()
    tables.write(path, rows[1:], Verdict)
    for stage in ("correct", "reward", "pool"):
        ended = space.run(f"stages.{stage}", "r00", check=False)
        assert ended.returncode == 2, ended.stderr
        assert "expected a row for each attempt_id, 1 are missing" in ended.stderr.strip().splitlines()[-1]


FULL = """
set -e
cp -r data/rounds/r00 "$1"
mount -t tmpfs -o size=4m tmpfs data/rounds/r00
cp -r "$1"/r00/. data/rounds/r00/
head -c 8m /dev/zero > data/rounds/r00/filling 2>/dev/null || true
exec "$2" -m stages.reward r00
"""


def test_a_full_disk_is_one_line_and_the_tables_stay(space: Workspace, tmp_path: Path) -> None:
    before = hashes(space.home)
    inside = ["unshare", "--user", "--map-root-user", "--mount"]
    if subprocess.run([*inside, "mount", "-t", "tmpfs", "tmpfs", str(tmp_path)], check=False, capture_output=True).returncode:
        pytest.skip("this host gives no mount namespace to make a small disk in")
    command = [*inside, "bash", "-c", FULL, "full", str(tmp_path), sys.executable]
    ended = subprocess.run(
        command, cwd=space.home, env=space.environment(), capture_output=True, text=True, timeout=300, check=False
    )
    assert ended.returncode == 2, ended.stderr
    assert (
        "rewards.parquet" in ended.stderr and "the disk is full" in ended.stderr and len(ended.stderr.strip().splitlines()) == 1
    )
    assert hashes(space.home) == before


def test_no_model_package_is_one_line(space: Workspace) -> None:
    text = (space.home / "params.yaml").read_text()
    line = next(line for line in text.splitlines() if line.startswith("  source: "))
    space.change("params.yaml", line, "  source: /no/such/model")
    ended = space.run("stages.sample", "r00", check=False)
    assert ended.returncode == 2
    assert "/no/such/model" in ended.stderr.strip().splitlines()[-1] and "Traceback" not in ended.stderr


def test_parts_are_all_there(finished: Workspace) -> None:
    assert set(PARTS) <= {Path(name).name for name in hashes(finished.home)}
