"""Watches one child from our side: reads its pipes with caps, holds it to the wall clock, hears how it ended.

The wall limit counts time in which the child could have run and didn't want to: time that it waited for a processor (the kernel's
`schedstat`) is given back, so a loaded machine changes no verdict, and a busy loop always ends at its processor limit, which the
kernel enforces. Past `_PATIENCE` times the limit we give up: the machine, not the candidate, is at fault. Stops on the child's end,
the deadline or a byte cap, never on an end of file.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import final

from assay.errors import SandboxFault
from assay.protocol import Limits
from assay.records import FailureMode
from assay.sandbox.dialogue import Dialogue
from assay.sandbox.process import Zygote

_CHUNK = 1 << 16
_FRAMES_BYTES = 1 << 20
_PATIENCE = 10.0
_KILL_SECONDS = 60.0


@dataclass
class Ending:
    """How a child ended."""

    result: bytearray = field(default_factory=bytearray)
    """what came through the result pipe"""
    stdout: bytearray = field(default_factory=bytearray)
    stderr: bytearray = field(default_factory=bytearray)
    killed: FailureMode = ""
    """why we ended it, if we did"""
    full: bool = False
    """whether its work folder outgrew its size"""
    status: int = 0
    """as from wait"""
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0


def busy_seconds(pid: int) -> float:
    """Time that a process was on a processor or waiting for one, in seconds; 0 where the kernel doesn't say.

    The busiest thread counts, not the sum: many waiting threads must not buy time.
    """
    most = 0
    with contextlib.suppress(OSError, ValueError, IndexError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            ran, waited = (task / "schedstat").read_text().split()[:2]
            most = max(most, int(ran) + int(waited))
    return most / 1e9


class _Pipes:
    def __init__(self, ending: Ending, limits: Limits, numbers: tuple[int, int, int]) -> None:
        self.buffers = dict(zip(numbers, (ending.result, ending.stdout, ending.stderr), strict=True))
        caps = (limits.answer_bytes + _FRAMES_BYTES, limits.output_bytes, limits.output_bytes)
        self.caps = dict(zip(numbers, caps, strict=True))
        for number in numbers:
            os.set_blocking(number, False)

    def read(self, number: int) -> bool | None:
        """True: more may come. None: end of file. False: over the cap, and cut."""
        buffer, cap = self.buffers[number], self.caps[number]
        try:
            data = os.read(number, _CHUNK)
        except BlockingIOError:
            return True
        if not data:
            return None
        buffer += data
        if len(buffer) > cap:
            del buffer[cap:]
            return False
        return True

    def drain(self) -> bool:
        """Read what is left; False when a cap was passed."""
        fits = True
        for number, buffer in self.buffers.items():
            before = -1
            while fits and len(buffer) != before:
                before = len(buffer)
                fits = self.read(number) is not False
        return fits


@final
class Speech:
    """What we have to say to a child, sent as fast as it listens and never waited for.

    Args:
        talk: makes the messages.
        number: the writing end of the child's pipe.
    """

    def __init__(self, talk: Dialogue, number: int) -> None:
        self.talk, self.number = talk, number
        self.waiting = memoryview(talk.opening())
        os.set_blocking(number, False)

    def heard(self, data: bytearray) -> None:
        """Something came back."""
        message = self.talk.heard(data)
        if message:
            self.waiting = memoryview(bytes(self.waiting) + message)

    def send(self) -> None:
        """Send what goes; a child that is gone is noticed elsewhere."""
        try:
            while self.waiting:
                self.waiting = self.waiting[os.write(self.number, self.waiting) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self.waiting = memoryview(b"")


def _deadline(pid: int, limits: Limits, begun: float) -> float:
    """When to look again, or 0 when the child has been idle for its wall limit."""
    busy = busy_seconds(pid)
    elapsed = time.monotonic() - begun
    idle = max(0.0, elapsed - busy)
    if idle >= limits.wall_seconds:
        return 0.0
    if elapsed > _PATIENCE * limits.wall_seconds + _KILL_SECONDS:
        raise SandboxFault(f"a program got too little of a processor for {elapsed:.0f} s; the machine is overloaded")
    return time.monotonic() + max(0.05, limits.wall_seconds - idle)


def watch(zygote: Zygote, pid: int, limits: Limits, numbers: tuple[int, int, int], speech: Speech | None = None) -> Ending:
    """Watch the child to its end.

    Args:
        zygote: whose child it is.
        pid: the child's process id.
        limits: of its program.
        numbers: the reading ends of result, stdout and stderr.
        speech: what to send it, for a program with later calls.

    Raises:
        SandboxFault: the zygote is gone, or it can't end the child.
    """
    ending, begun = Ending(), time.monotonic()
    pipes = _Pipes(ending, limits, numbers)
    poller = select.poll()
    for number in (zygote.control.fileno(), *numbers):
        poller.register(number, select.POLLIN)
    deadline, reached = begun + limits.wall_seconds, False
    while not reached:
        if speech is not None:
            speech.send()
            poller.register(speech.number, select.POLLOUT if speech.waiting else 0)
        events = poller.poll(max(0.0, deadline - time.monotonic()) * 1000 + 1)
        for number, event in events:
            if number == zygote.control.fileno():
                reached = True
                continue
            if speech is not None and number == speech.number:
                if event & (select.POLLERR | select.POLLHUP):  # it listens no more
                    poller.unregister(number)
                    speech = None
                continue
            more = pipes.read(number)
            if speech is not None and number == numbers[0] and more:
                speech.heard(ending.result)
            if more is not True:
                poller.unregister(number)
            if more is False and not ending.killed:
                ending.killed, deadline = "output_limit", time.monotonic() + _KILL_SECONDS
                zygote.kill_child()
        if not reached and time.monotonic() >= deadline:
            if ending.killed:
                raise SandboxFault("a child couldn't be ended")
            deadline = _deadline(pid, limits, begun)
            if not deadline:
                ending.killed, deadline = "wall_limit", time.monotonic() + _KILL_SECONDS
                zygote.kill_child()
    message = zygote.hear()
    ending.wall_seconds = time.monotonic() - begun
    ending.status, ending.cpu_seconds = int(message["status"]), float(message["cpu"])
    ending.full = message["over"] == "folder"
    if message["over"] == "threads" and not ending.killed:
        ending.killed = "forbidden"
    if (not pipes.drain() or ending.full) and not ending.killed:
        ending.killed = "output_limit"
    return ending


def verdict(ending: Ending, limits: Limits, out_of_memory: bool, *, alone: bool) -> tuple[FailureMode, str]:
    """Why the process ended, from what the kernel says of it; empty for an ordinary end.

    Args:
        ending: of the process.
        limits: of its program.
        out_of_memory: whether the kernel ended something in our own control group for want of memory.
        alone: whether the process had a pid namespace of its own, in which it can't kill itself.

    Raises:
        SandboxFault: somebody outside killed it, the host for want of memory most often.
    """
    if ending.killed == "wall_limit":
        return "wall_limit", f"the program waited past its wall limit of {limits.wall_seconds:g} s"
    if ending.killed == "forbidden":
        return ending.killed, "the program started more threads than it may"
    if ending.killed:
        return ending.killed, "the work folder is full" if ending.full else "the program wrote more than its limit"
    if not os.WIFSIGNALED(ending.status):
        return "", ""
    number = os.WTERMSIG(ending.status)
    if out_of_memory:
        return "memory_limit", "the program was ended for want of memory"
    if number in (signal.SIGKILL, signal.SIGXCPU):
        if ending.cpu_seconds >= limits.cpu_seconds / 2:
            return "cpu_limit", f"the program used its {limits.cpu_seconds:g} s of processor time"
        if alone and number == signal.SIGKILL:
            raise SandboxFault("a program was killed from outside: the host is out of memory, or somebody did it")
        return "memory_limit", "the program was killed, most likely for want of memory"
    if number == signal.SIGSYS:
        return "forbidden", "the program made a system call that isn't allowed"
    return "crashed", f"the program was ended by {signal.Signals(number).name if number in set(signal.Signals) else 'a signal'}"
