"""A scheduler that runs already, one that doesn't, and what params.yaml may say."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay import scaleout
from assay.errors import SandboxFault, SettingsError
from assay.judging import Job
from assay.records import Verdict
from stages import settings
from tests.scaleout import made, processes

TEXT = (made.ROOT / "params.yaml").read_text(encoding="utf-8")
SCHEDULER = """
import asyncio, dask, distributed
async def main():
    with dask.config.set({"distributed.scheduler.http.routes": [], "distributed.worker.http.routes": []}):
        async with distributed.Scheduler(host="127.0.0.1", port=0, dashboard=False, dashboard_address="127.0.0.1:0") as scheduler:
            async with distributed.Worker(scheduler.address, nthreads=2, host="127.0.0.1", memory_limit=0):
                print(scheduler.address, flush=True)
                await scheduler.finished()
asyncio.run(main())
"""


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[tuple[str, int]]:
    """The address of a scheduler with one worker of two threads in another folder, and their process."""
    environment = {**os.environ, "PYTHONPATH": str(made.ROOT), "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", SCHEDULER], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip(), process.pid
        finally:
            process.terminate()
            process.wait(30)


def test_a_scheduler_that_runs_already(jobs: list[Job], expected: list[Verdict], scheduler: tuple[str, int]) -> None:
    address, process = scheduler
    with scaleout.open_cluster(require="none", workers=7, scheduler=address) as cluster:
        assert cluster.threads == 2
        assert made.content(scaleout.judge_all(jobs, cluster)) == made.content(expected)
        assert processes.zygotes(process), "it judged over there"
    assert processes.until(lambda: not processes.zygotes(process)), "its sandbox is closed, and the scheduler runs on"
    with scaleout.open_cluster(require="none", scheduler=address) as cluster:
        assert made.content(scaleout.judge_all(jobs[:10], cluster)) == made.content(expected[:10])


def test_a_scheduler_that_ends_midway(jobs: list[Job], scheduler: tuple[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scaleout, "_CONNECT_SECONDS", 3.0)
    address, process = scheduler
    done: list[Verdict] = []

    def kill(verdict: Verdict) -> None:
        if not done:
            os.kill(process, signal.SIGKILL)
        done.append(verdict)

    with (
        pytest.raises(SandboxFault, match="the Dask scheduler is gone"),
        scaleout.open_cluster(require="none", scheduler=address) as cluster,
    ):
        scaleout.judge_all(jobs, cluster, on_done=kill)
    assert 0 < len(done) < len(jobs)


def test_an_open_scheduler_and_candidates_with_a_network(monkeypatch: pytest.MonkeyPatch, scheduler: tuple[str, int]) -> None:
    monkeypatch.setattr(scaleout, "_CLOSED_LEVELS", "")
    with (
        pytest.raises(SandboxFault, match="a candidate could reach the Dask scheduler"),
        scaleout.open_cluster(require="none", scheduler=scheduler[0]),
    ):
        pass


def test_nobody_at_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scaleout, "_CONNECT_SECONDS", 1.0)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
        with (
            pytest.raises(SandboxFault, match=re.escape(f"the Dask scheduler {address} can't be used: ")) as caught,
            scaleout.open_cluster(require="none", scheduler=address),
        ):
            pass
    assert "\n" not in str(caught.value)


def test_a_level_that_no_worker_reaches() -> None:
    with pytest.raises(SandboxFault, match="a Dask worker can't open its sandbox: unknown sandbox level"), _opened("Z"):
        pass


def _opened(require: str):
    return scaleout.open_cluster(require=require, workers=1)


@pytest.mark.parametrize(
    "address", ["localhost:8786", "tcp://localhost", "tcp://:8786", "http://localhost:80", "tcp://a b:1", "tcp://a:123456", '""']
)
def test_an_address_that_is_none(address: str, tmp_path: Path) -> None:
    (tmp_path / "params.yaml").write_text(TEXT.replace("scheduler: null", f"scheduler: {address}"))
    with pytest.raises(SettingsError, match=r"runtime.scheduler: String should match pattern") as caught:
        settings.read(tmp_path / "params.yaml")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("address", ["tcp://localhost:8786", "tcp://10.0.0.7:1", "tcp://[::1]:8786"])
def test_an_address(address: str, tmp_path: Path) -> None:
    text = TEXT.replace("scheduler: null", f'scheduler: "{address}"').replace("judge: local", "judge: dask")
    (tmp_path / "params.yaml").write_text(text)
    runtime = settings.read(tmp_path / "params.yaml").runtime
    assert (runtime.judge, runtime.scheduler) == ("dask", address)


def test_another_judge_than_the_two(tmp_path: Path) -> None:
    (tmp_path / "params.yaml").write_text(TEXT.replace("judge: local", "judge: ray"))
    with pytest.raises(SettingsError, match=r"runtime.judge: Input should be 'local' or 'dask', received 'ray'"):
        settings.read(tmp_path / "params.yaml")


class Cut:
    """A future whose verdicts are lost with the connection, at either of the two moments."""

    status = "finished"

    def __init__(self, at: str) -> None:
        self.at = at

    def exception(self) -> None:
        if self.at == "exception":
            raise ConnectionResetError("closed")

    def result(self) -> str:
        raise ConnectionResetError("closed")


@pytest.mark.parametrize("at", ["exception", "result"])
def test_a_connection_that_ends_while_verdicts_are_handed_over(at: str) -> None:
    with pytest.raises(SandboxFault, match="the Dask scheduler is gone"):
        scaleout._taken(Cut(at))
