"""The sandbox as its users see it: `workers` slots, each with its zygotes by kind and hash seed, started when first needed.

A zygote that dies makes the run in progress a SandboxFault and is replaced at the next run; a start that fails is tried once more.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import queue
import threading
from types import TracebackType
from typing import Self

from assay.errors import SandboxFault
from assay.protocol import Limits, Program, Reply, Workspace, WorkspaceReply
from assay.records import FailureMode
from assay.sandbox import answers, host, jobs, watch, workspace
from assay.sandbox.dialogue import Dialogue
from assay.sandbox.process import Plan, Zygote

_HASH_SEEDS = {False: 1, True: 20_011}
_PIPE_BYTES = 1 << 20
_F_SETPIPE_SZ = 1031


class _Slot:
    """One worker: at most one program at a time."""

    def __init__(self, layers: tuple[str, ...], numbers: itertools.count[int], closed: threading.Event) -> None:
        self.layers, self.numbers, self.closed = layers, numbers, closed
        self.zygotes: dict[tuple[str, bool], Zygote] = {}

    def _start(self, kind: str, twin: bool) -> Zygote:
        if self.closed.is_set():
            raise SandboxFault("the sandbox is closed")
        plan = Plan(kind=kind, hash_seed=_HASH_SEEDS[twin], layers=self.layers, number=next(self.numbers))
        zygote = self.zygotes[kind, twin] = Zygote(plan)
        return zygote

    def zygote(self, kind: str, twin: bool) -> Zygote:
        """A zygote that serves; of most kinds both hash seeds are started at once and only the needed one is waited for."""
        found = self.zygotes.get((kind, twin))
        if found is not None and found.process.poll() is not None:
            self.drop(kind, twin)
            found = None
        if found is None:
            found = self._start(kind, twin)
            if host.KINDS[kind].pair and (kind, not twin) not in self.zygotes:
                with contextlib.suppress(SandboxFault):  # its own first run will say
                    self._start(kind, not twin)
        try:
            found.ready()
        except SandboxFault:
            self.drop(kind, twin)
            found = self._start(kind, twin)
            try:
                found.ready()
            except SandboxFault:
                self.drop(kind, twin)
                raise
        return found

    def drop(self, kind: str, twin: bool) -> None:
        """End one zygote and forget it."""
        zygote = self.zygotes.pop((kind, twin), None)
        if zygote is not None:
            zygote.end()

    def hang_up(self) -> None:
        """Tell all zygotes to end, from any thread; they end their children first."""
        for zygote in list(self.zygotes.values()):
            zygote.hang_up()

    def close(self) -> None:
        """End all and wait for it."""
        self.hang_up()
        for key in list(self.zygotes):
            self.drop(*key)


class Pool:
    """A sandbox on this host.

    Args:
        layers: which are in force.
        workers: how many programs run at a time.
    """

    def __init__(self, layers: tuple[str, ...], workers: int) -> None:
        self.workers = workers
        self.layers = layers
        self.isolation = f"{host.level(layers)}: {', '.join((*layers, 'rlimits'))}"
        numbers = itertools.count(1)
        self._closed = threading.Event()
        self.slots = [_Slot(layers, numbers, self._closed) for _ in range(workers)]
        self._free: queue.LifoQueue[_Slot] = queue.LifoQueue()
        for slot in reversed(self.slots):
            self._free.put(slot)

    def run(self, program: Program) -> Reply:
        """Run one program to its end, its limits or its fault.

        Raises:
            SandboxFault: we failed.
        """
        job = jobs.encode(program)
        talk = Dialogue(program) if any(call.later for call in program.calls) else None
        ending, memory_kill = self._run(host.kind_for(program.source), program.twin, program.limits, job, talk)
        return self._reply(ending, program, memory_kill)

    def run_workspace(self, asked: Workspace) -> WorkspaceReply:
        """Run a script of a tree of files to its end, its limits or its fault.

        Raises:
            SandboxFault: we failed.
        """
        job = workspace.encode(asked)
        full = workspace.too_large(asked)
        if full:
            return WorkspaceReply({}, "output_limit", full, "", "", 0.0, 0.0, self.isolation)
        ending, memory_kill = self._run(host.kind_for(workspace.source(asked)), asked.twin, asked.limits, job)
        return self._workspace_reply(ending, asked, memory_kill)

    def _run(self, kind: str, twin: bool, limits: Limits, job: bytes, talk: Dialogue | None = None) -> tuple[watch.Ending, bool]:
        """How the child ended, and whether the kernel ended it for want of memory."""
        slot = self._free.get()
        try:
            if self._closed.is_set():
                raise SandboxFault("the sandbox is closed")
            zygote = slot.zygote(kind, twin)
            try:
                return self._run_on(zygote, limits, job, talk)
            except BaseException:
                slot.drop(kind, twin)
                raise
        finally:
            self._free.put(slot)

    def _run_on(self, zygote: Zygote, limits: Limits, job: bytes, talk: Dialogue | None) -> tuple[watch.Ending, bool]:
        kills = zygote.group.kills() if zygote.group is not None else 0
        with contextlib.ExitStack() as ours:
            with contextlib.ExitStack() as theirs:
                memory = jobs.memory_file(job)
                theirs.callback(os.close, memory)
                reading, writing = list[int](), list[int]()
                for _ in range(3):
                    end, start = os.pipe2(os.O_CLOEXEC)
                    ours.callback(os.close, end)
                    theirs.callback(os.close, start)
                    reading.append(end)
                    writing.append(start)
                self._widen(reading[0])
                given, speech = [memory, *writing], None
                if talk is not None:
                    end, start = os.pipe2(os.O_CLOEXEC)
                    theirs.callback(os.close, end)
                    ours.callback(os.close, start)
                    given.append(end)
                    speech = watch.Speech(talk, start)
                pid = zygote.submit(limits, given)
            ending = watch.watch(zygote, pid, limits, (reading[0], reading[1], reading[2]), speech)
        return ending, zygote.group is not None and zygote.group.kills() > kills

    @staticmethod
    def _widen(pipe: int) -> None:
        import fcntl

        with contextlib.suppress(OSError):
            fcntl.fcntl(pipe, _F_SETPIPE_SZ, _PIPE_BYTES)

    def _reply(self, ending: watch.Ending, program: Program, memory_kill: bool) -> Reply:
        why, detail = watch.verdict(ending, program.limits, memory_kill, alone="namespaces" in self.isolation)
        read = answers.read(ending.result, program, cut=bool(why))
        fault: FailureMode = why or read.fault
        if not why:
            detail = read.detail
        if not fault and not read.finished:
            fault, detail = "early_exit", f"the process ended with call {len(read.values)} of {len(program.calls)} unanswered"
        return Reply(
            values=read.values,
            fault=fault,
            detail=detail,
            stdout=ending.stdout.decode(errors="replace"),
            stderr=ending.stderr.decode(errors="replace"),
            cpu_seconds=ending.cpu_seconds,
            wall_seconds=ending.wall_seconds,
            isolation=self.isolation,
        )

    def _workspace_reply(self, ending: watch.Ending, asked: Workspace, memory_kill: bool) -> WorkspaceReply:
        why, detail = watch.verdict(ending, asked.limits, memory_kill, alone="namespaces" in self.isolation)
        found = workspace.read(ending.result, asked, cut=bool(why))
        fault: FailureMode = why or found.fault
        if not why:
            detail = found.detail
        if not fault and not found.finished:
            fault, detail = (
                "early_exit",
                "the process ended before its artifacts were taken" if found.ran else "the run was cut off",
            )
        return WorkspaceReply(
            artifacts=found.artifacts,
            fault=fault,
            detail=detail,
            stdout=ending.stdout.decode(errors="replace"),
            stderr=ending.stderr.decode(errors="replace"),
            cpu_seconds=ending.cpu_seconds,
            wall_seconds=ending.wall_seconds,
            isolation=self.isolation,
        )

    def close(self) -> None:
        """End every process that this sandbox started; a program in progress ends too, as a SandboxFault of its `run`."""
        if self._closed.is_set():
            return
        self._closed.set()
        for slot in self.slots:
            slot.hang_up()
        for _ in self.slots:
            self._free.get().close()
        for slot in self.slots:
            self._free.put(slot)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
