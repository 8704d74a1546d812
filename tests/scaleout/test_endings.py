"""However judging on workers ends - done, an error, Ctrl-C, a kill - no process and no folder of it stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from assay import scaleout
from assay.records import Attempt, Instance, Message
from stages import hearing, settings
from stages.context import Context
from tests.scaleout import made, processes


def started(folder: Path, where: str, seeds: int, variants: int) -> subprocess.Popen[str]:
    """The program that judges, in a group of processes of its own."""
    environment = {**os.environ, "PYTHONPATH": str(made.ROOT), "TMPDIR": str(folder)}
    command = [sys.executable, "-m", "tests.scaleout.judging_program", str(folder), where, str(seeds), str(variants)]
    return subprocess.Popen(
        command,
        cwd=made.ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@contextmanager
def at_work(folder: Path) -> Iterator[tuple[subprocess.Popen[str], dict[int, str]]]:
    """The program while its workers judge, and all processes below it."""
    with started(folder, "dask", 3, 40) as program:
        try:
            assert program.stdout is not None
            said = [program.stdout.readline().strip() for _ in range(2)]
            assert said[0] == "open" and said[1] in {"scored", "candidate_fault"}
            below = processes.below(program.pid)
            assert len([line for line in below.values() if "spawn_main" in line]) == 2
            assert len([line for line in below.values() if "import zygote" in line]) >= 2
            yield program, below
        finally:
            program.kill()


def test_an_interrupt_ends_all(tmp_path: Path) -> None:
    with at_work(tmp_path) as (program, below):
        os.killpg(program.pid, signal.SIGINT)
        _, errors = program.communicate(timeout=60)
        assert program.returncode == 130
        assert processes.until(lambda: not processes.alive(below), 10), {pid: below[pid] for pid in processes.alive(below)}
    assert "Traceback" not in errors
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(("assay-", "dask"))] == []


def test_a_killed_judge_leaves_no_process(tmp_path: Path) -> None:
    with at_work(tmp_path) as (program, below):
        program.kill()
        program.wait(60)
        assert processes.until(lambda: not processes.alive(below), 30), {pid: below[pid] for pid in processes.alive(below)}


def test_an_error_ends_the_cluster() -> None:
    before = set(processes.own())
    with pytest.raises(ValueError, match="ours"), scaleout.open_cluster(require="none", workers=1) as cluster:
        workers = list(cluster.client.run(os.getpid).values())
        assert processes.alive(workers) == workers
        raise ValueError("ours")
    assert processes.alive(workers) == []
    assert processes.until(lambda: set(processes.own()) <= before, 10)
    assert not list(Path(tempfile.gettempdir()).glob(f"assay-dask-{os.getpid()}-*"))


def context(root: Path, judge: str) -> Context:
    """The judge stage in a folder with two tasks."""
    text = (made.ROOT / "params.yaml").read_text(encoding="utf-8").replace("judge: local", f"judge: {judge}")
    (root / "params.yaml").write_text(text.replace("require: C", "require: none"), encoding="utf-8")
    return Context(root, settings.read(root / "params.yaml"), "r00")


@pytest.mark.parametrize("judge", ["local", "dask"])
def test_the_setting_decides_where_the_stage_judges(judge: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "tasks").symlink_to(made.ROOT / "tasks")
    stage = context(tmp_path, judge)
    jobs = [job for job in made.jobs(tmp_path / "made", seeds=1) if job.task.task_id == "p01_expressions"]
    stage.instances_folder("p01_expressions").parent.mkdir(parents=True)
    (tmp_path / "made").rename(stage.instances_folder("p01_expressions"))
    known = Instance("p01_expressions-easy-1", "p01_expressions", "primer", "f", 1, "easy", "train", "?", jobs[0].content_sha)
    asked = (Message("user", "?"),)
    attempts = [
        Attempt(
            job.attempt_id, known.instance_id, "r00", at, "model", None, "m", at, asked, "", 1, "stop", job.submission, "fenced"
        )
        for at, job in enumerate(jobs)
    ]
    verdicts = hearing.hear(stage, attempts, [known], "here")
    assert [verdict.outcome for verdict in verdicts].count("scored") >= 1
    assert ("Dask workers" in capsys.readouterr().out) == (judge == "dask")
