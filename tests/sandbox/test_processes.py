"""Zygotes that die, callers that die, many callers at once, and closing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from assay.errors import SandboxFault
from assay.protocol import Limits
from assay.sandbox import host, open_sandbox, process
from assay.sandbox.pool import Pool
from assay.sandbox.probe import descendants
from tests.sandbox.conftest import ROOMY, program

ONE = program("def f(x): return x", 1.0)
SLEEP = program("import time\ndef f():\n    time.sleep(300)", limits=Limits(wall_seconds=200.0))


def _until(holds: Callable[[], object]) -> bool:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.02)
    return False


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def _zygotes(pool: Pool) -> list[int]:
    return [zygote.process.pid for slot in pool.slots for zygote in list(slot.zygotes.values())]


def test_a_zygote_that_dies_between_programs_is_replaced() -> None:
    with open_sandbox(require="none") as pool:
        assert pool.run(ONE).answers() == (1.0,)
        for pid in _zygotes(pool):
            os.kill(pid, signal.SIGKILL)
        assert _until(lambda: not any(map(_alive, _zygotes(pool))))
        assert pool.run(ONE).answers() == (1.0,)


def test_a_zygote_that_dies_midway_is_our_fault_and_leaves_nothing() -> None:
    with open_sandbox(require="none") as pool, ThreadPoolExecutor(1) as callers:
        pool.run(ONE)
        future = callers.submit(pool.run, SLEEP)
        assert _until(lambda: descendants(pool))
        below = descendants(pool)
        for pid in _zygotes(pool):
            os.kill(pid, signal.SIGKILL)
        with pytest.raises(SandboxFault, match="is gone"):
            future.result(60)
        assert _until(lambda: not any(map(_alive, below)))
        assert pool.run(ONE).answers() == (1.0,)


def test_closing_does_not_wait_for_a_program_that_hangs() -> None:
    pool = open_sandbox(require="none")
    pool.run(ONE)
    with ThreadPoolExecutor(1) as callers:
        future = callers.submit(pool.run, SLEEP)
        assert _until(lambda: descendants(pool))
        everything = [*descendants(pool), *_zygotes(pool)]
        pool.close()
        with pytest.raises(SandboxFault):
            future.result(60)
    assert not any(map(_alive, everything))
    with pytest.raises(SandboxFault, match="closed"):
        pool.run(ONE)
    pool.close()


def test_a_killed_caller_leaves_no_process() -> None:
    code = """
import sys, threading, time
from assay.sandbox import open_sandbox
from assay.sandbox.probe import descendants
from tests.sandbox.test_processes import ONE, SLEEP, _zygotes
pool = open_sandbox(require="none")
pool.run(ONE)
threading.Thread(target=pool.run, args=(SLEEP,), daemon=True).start()
while not descendants(pool):
    time.sleep(0.01)
print(*descendants(pool), *_zygotes(pool), flush=True)
time.sleep(300)
"""
    root = Path(__file__).resolve().parents[2]
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=root) as caller:
        assert caller.stdout is not None
        pids = [int(word) for word in caller.stdout.readline().split()]
        assert len(pids) >= 2
        assert all(map(_alive, pids))
        caller.kill()
    assert _until(lambda: not any(map(_alive, pids)))


def test_many_callers_share_the_workers(sandbox: Pool) -> None:
    running, most, lock = 0, 0, threading.Lock()

    def one(value: int) -> object:
        nonlocal running, most
        reply = sandbox.run(program("def f(x): return x * x", float(value)))
        with lock:
            most = max(most, len(descendants(sandbox)))
        return reply.answers()[0]

    with ThreadPoolExecutor(6) as callers:
        assert list(callers.map(one, range(24))) == [float(value * value) for value in range(24)]
    assert most <= sandbox.workers


def test_a_layer_that_fails_later_is_a_fault_and_never_a_downgrade(monkeypatch: pytest.MonkeyPatch) -> None:
    tries = []
    settings = process.Zygote._settings

    def broken(self: process.Zygote) -> dict[str, object]:
        tries.append(self.plan.kind)
        return settings(self) | {"layers": ["namespaces"], "binds": ["/nothing/like/it"]}

    with open_sandbox(require="none") as pool:
        monkeypatch.setattr(process.Zygote, "_settings", broken)
        with pytest.raises(SandboxFault, match="the sandbox's process failed"):
            pool.run(ONE)
        assert len(tries) >= 2, "a failed start is tried once more"
        monkeypatch.undo()
        assert pool.run(ONE).answers() == (1.0,)


def test_a_step_of_the_drop_that_fails_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    with open_sandbox(require="none", without=("namespaces",)) as pool:
        if "landlock" not in pool.isolation:
            pytest.skip("this host has no Landlock")
        real = process.Zygote._settings
        monkeypatch.setattr(process.Zygote, "_settings", lambda self: real(self) | {"read": [7]})
        with pytest.raises(SandboxFault, match="a layer failed in the child"):
            pool.run(ONE)


def test_an_input_of_another_class_is_the_callers_mistake(sandbox: Pool) -> None:
    with pytest.raises(TypeError, match="expected plain data"):
        sandbox.run(program("def f(x): return 1.0", object()))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="float16"):
        import numpy as np

        sandbox.run(program("def f(x): return 1.0", np.ones(1, np.float16)))


def test_a_zygote_starts_with_a_clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/nothing")
    monkeypatch.setenv("LD_PRELOAD_LIKE", "x")
    assert not {"PYTHONPATH", "LD_PRELOAD_LIKE"} & set(host.environment())
    assert host.environment()["OPENBLAS_NUM_THREADS"] == "1"
    assert ROOMY.cpu_seconds
