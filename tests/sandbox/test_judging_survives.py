"""A sandbox that dies midway, seen from the judge: retried, counted, never a score."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from assay import catalog, instances, judging
from assay.errors import SandboxFault
from assay.judging import Job
from assay.protocol import Program, Reply
from assay.sandbox import Pool, open_sandbox
from assay.sandbox.probe import descendants

ROOT = Path(__file__).resolve().parents[2]


class Dying:
    """A real sandbox whose zygotes are killed while each of the first `deaths` programs runs."""

    workers = 1

    def __init__(self, pool: Pool, deaths: int) -> None:
        self.pool, self.left, self.isolation = pool, deaths, pool.isolation

    def run(self, program: Program) -> Reply:
        if not self.left:
            return self.pool.run(program)
        self.left -= 1
        slow = Program(f"import time\ntime.sleep(200)\n{program.source}", program.calls, twin=program.twin)
        killer = threading.Thread(target=self._kill)
        killer.start()
        try:
            return self.pool.run(slow)
        finally:
            killer.join()

    def _kill(self) -> None:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            children = [zygote.process for slot in self.pool.slots for zygote in list(slot.zygotes.values())]
            alive = [child for child in children if child.poll() is None]
            if alive and descendants(self.pool):
                for child in alive:
                    os.kill(child.pid, signal.SIGKILL)
                return
            time.sleep(0.05)

    def close(self) -> None:
        self.pool.close()


def job(folder: Path) -> Job:
    task = catalog.scan(ROOT / "tasks")["p01_expressions"]
    row = instances.make(task, seed=3, difficulty="easy", split="train", folder=folder)
    problem = instances.problem(task, seed=3, difficulty="easy", folder=folder)
    source = judging.adapted(task, (task.folder / "reference.py").read_text(), problem)
    return Job("a", task, problem, row.content_sha, source)


def test_one_death_is_retried_and_the_score_stands(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with open_sandbox(require="none") as pool:
        verdict = judging.judge(job(tmp_path), Dying(pool, 1))
    assert (verdict.outcome, verdict.score) == ("scored", 1.0)
    assert verdict.events == () and "the sandbox failed" in caplog.text


def test_a_child_that_the_host_kills_is_our_fault_where_it_could_not_have_done_it_itself(tmp_path: Path) -> None:
    with open_sandbox(require="none") as pool:
        if "namespaces" not in pool.isolation:
            pytest.skip("without a pid namespace a program can kill itself")
        program = Program("import time\ntime.sleep(200)\n", (), twin=False)
        killer = threading.Thread(target=_kill_children, args=(pool,))
        killer.start()
        with pytest.raises(SandboxFault, match="killed from outside"):
            pool.run(program)
        killer.join()


def _kill_children(pool: Pool) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        for pid in descendants(pool):
            os.kill(pid, signal.SIGKILL)
            return
        time.sleep(0.05)


def test_a_sandbox_that_always_dies_is_a_harness_fault_and_counted(tmp_path: Path) -> None:
    with open_sandbox(require="none") as pool:
        verdict = judging.judge(job(tmp_path), Dying(pool, 9), retries=1)
    assert (verdict.outcome, verdict.score, verdict.passed, len(verdict.events)) == ("harness_fault", 0.0, False, 2)
    assert judging.tally(1, [verdict]).harness_faults == 1
