"""Thousands of rows, and processes killed at random moments: every row is there in the end and says what it would have said."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

from assay import judging, scaleout, tables
from assay.records import Verdict
from assay.sandbox import open_sandbox
from assay.store import Store
from tests.scaleout import made, processes
from tests.scaleout.test_endings import started

pytestmark = pytest.mark.slow


def test_five_thousand_rows_and_a_worker_lost_midway(tmp_path: Path) -> None:
    jobs = made.jobs(tmp_path / "instances", seeds=10, variants=50)
    assert len(jobs) == 5_000
    with open_sandbox(require="none", workers=2) as sandbox:
        expected = judging.judge_all(jobs, sandbox)
    killed: list[int] = []
    done: list[Verdict] = []
    with scaleout.open_cluster(require="none", workers=2) as cluster, Store(tmp_path / "store.sqlite") as store:

        def kill(verdict: Verdict) -> None:
            done.append(verdict)
            if len(done) == 2_000:
                killed.extend(list(cluster.client.run(os.getpid).values())[:1])
                os.kill(killed[0], signal.SIGKILL)

        verdicts = scaleout.judge_all(jobs, cluster, store, on_done=kill)
    assert killed and len(done) == 5_000
    assert made.content(verdicts) == made.content(expected)


class Killer(threading.Thread):
    """Kills a zygote or a worker below a program every now and then, and the program itself in the end."""

    def __init__(self, program: subprocess.Popen[str], chance: random.Random) -> None:
        super().__init__()
        self.program, self.chance = program, chance
        self.kills = 0

    def run(self) -> None:
        """Until the program is gone."""
        for _ in range(self.chance.randint(1, 5)):
            time.sleep(self.chance.uniform(0.3, 1.5))
            self._kill(self._below())
        time.sleep(self.chance.uniform(0.0, 0.5))
        self._kill([self.program.pid])

    def _below(self) -> list[int]:
        """Our own processes; a candidate's one that is killed from outside looks like one that ended itself."""
        found = processes.below(self.program.pid)
        workers = [pid for pid, line in found.items() if "spawn_main" in line]
        return [*workers, *(pid for parent in [self.program.pid, *workers] for pid in processes.zygotes(parent))]

    def _kill(self, pids: list[int]) -> None:
        if pids and self.program.poll() is None:
            try:
                os.kill(self.chance.choice(sorted(pids)), signal.SIGKILL)
                self.kills += 1
            except ProcessLookupError:
                pass


def disturbed(folder: Path, where: str, chance: random.Random) -> int:
    """One start of the program among kills, if it gets that far; how many processes were killed."""
    with started(folder, where, 5, 10) as program:
        assert program.stdout is not None
        program.stdout.readline()
        killer = Killer(program, chance)
        killer.start()
        program.communicate(timeout=600)
        killer.join()
    return killer.kills


@pytest.mark.parametrize("where", ["local", "dask"])
def test_kills_at_random_moments(where: str, tmp_path: Path) -> None:
    calm, wild = tmp_path / "calm", tmp_path / "wild"
    calm.mkdir()
    wild.mkdir()
    with started(calm, "local", 5, 10) as program:
        said, errors = program.communicate(timeout=900)
        assert program.returncode == 0, errors
    expected = tables.read(calm / "verdicts.parquet", Verdict)
    assert len(expected) == 500 and made.outcomes(expected) == {"scored", "candidate_fault"}
    assert said.splitlines()[-1] == made.content(expected)
    chance = random.Random(20)
    kills = sum(disturbed(wild, where, chance) for _ in range(6))
    assert kills >= 6
    with started(wild, where, 5, 10) as program:
        _, errors = program.communicate(timeout=900)
        assert program.returncode == 0, errors
    verdicts = tables.read(wild / "verdicts.parquet", Verdict)
    assert str(judging.tally(500, verdicts)).endswith("harness faults 0")
    assert made.content(verdicts) == made.content(expected)
