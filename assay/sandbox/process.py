"""Our handle on one zygote: start it, hand it a program, hear how the child ended, end it.

Not covered: whether what came back is right (`watch` and `answers`), and when to start another (`pool`).
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assay.errors import SandboxFault
from assay.protocol import Limits
from assay.sandbox import cgroup, host
from assay.sandbox.inside import folders

_MESSAGE = 1 << 18
_START_SECONDS = 180.0
_STEP_SECONDS = 90.0
_REMOVALS, _PAUSE_SECONDS = 5, 0.05


@dataclass(frozen=True)
class Plan:
    """What a zygote is to be."""

    kind: str
    """a key of `host.KINDS`"""
    hash_seed: int
    """of its interpreter and so of all its children"""
    layers: tuple[str, ...]
    """which must hold; one that doesn't is a fault"""
    number: int
    """unique in this process: its user id and its folder derive from it"""


class Zygote:
    """A started zygote. Construction returns at once; `ready` waits until it can serve."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.base = "" if "namespaces" in plan.layers else tempfile.mkdtemp(prefix="assay-sandbox-")
        self.group: cgroup.Group | None = None
        self.log = tempfile.TemporaryFile()  # noqa: SIM115
        self._ready = False
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.control = ours
        environment = host.environment() | {"PYTHONHASHSEED": str(plan.hash_seed)}
        try:
            with theirs:
                self.process = subprocess.Popen(
                    host.command("zygote", str(theirs.fileno())),
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=self.log,
                    pass_fds=(theirs.fileno(),),
                    start_new_session=True,
                    cwd="/",
                )
        except OSError as error:
            ours.close()
            self._clear()
            raise SandboxFault(f"the sandbox can't start a process: {error}") from error
        try:
            if self.base:
                os.chmod(self.base, 0o711)  # noqa: PTH101
            if "cgroup" in plan.layers:
                self.group = cgroup.Group()
                self.group.join(self.process.pid)
            self.control.send(json.dumps(self._settings()).encode())
        except OSError as error:
            self.end()
            raise SandboxFault(f"the sandbox can't set up a process: {error}") from error

    def _settings(self) -> dict[str, Any]:
        kind = host.KINDS[self.plan.kind]
        return host.layout(kind.visible) | {
            "layers": self.plan.layers,
            "imports": kind.imports,
            "visible": kind.visible,
            "warm": self.plan.kind,
            "uid": host.uid_for(self.plan.number),
            "base": self.base,
        }

    def ready(self) -> None:
        """Wait until it serves.

        Raises:
            SandboxFault: it ended, or a layer that the probe found doesn't hold now.
        """
        if not self._ready:
            if "ready" not in self.hear(_START_SECONDS):
                raise SandboxFault("the sandbox's process answered out of turn")
            self._ready = True

    def hear(self, seconds: float = _STEP_SECONDS) -> dict[str, Any]:
        """The next message.

        Raises:
            SandboxFault: none came in time, the process is gone, or it reports an error.
        """
        poller = select.poll()
        poller.register(self.control, select.POLLIN)
        if not poller.poll(seconds * 1000):
            raise SandboxFault(f"the sandbox's process said nothing for {seconds:.0f} s")
        try:
            data = self.control.recv(_MESSAGE)
        except OSError:
            data = b""
        if not data:
            raise SandboxFault(f"the sandbox's process is gone{self._last_words()}")
        message: dict[str, Any] = json.loads(data)
        if "error" in message:
            raise SandboxFault(f"the sandbox's process failed: {message['error']}")
        return message

    def _last_words(self) -> str:
        self.log.seek(0)
        lines = self.log.read(_MESSAGE).decode(errors="replace").strip().splitlines()
        return f": {lines[-1]}" if lines else ""

    def submit(self, limits: Limits, numbers: Sequence[int]) -> int:
        """Have a child forked for a program.

        Args:
            limits: of the program.
            numbers: descriptors of its job, its result pipe, its stdout and its stderr, and for later calls the pipe of their inputs.

        Returns:
            The child's process id in our own process namespace.
        """
        wanted = {
            "cpu_seconds": limits.cpu_seconds,
            "memory_bytes": limits.memory_bytes,
            "file_bytes": limits.file_bytes,
        }
        try:
            if self.group is not None:
                self.group.set_memory(limits.memory_bytes + limits.file_bytes + (1 << 29))
            socket.send_fds(self.control, [json.dumps({"limits": wanted}).encode()], list(numbers))
        except OSError as error:
            raise SandboxFault(f"the sandbox's process is gone: {error}") from error
        message = self.hear()
        if "started" not in message:
            raise SandboxFault("the sandbox's process answered out of turn")
        return int(message["started"])

    def kill_child(self) -> None:
        """Have the child and all that it started killed; the zygote tells when that's done."""
        with contextlib.suppress(OSError):
            self.control.send(b"kill")

    def hang_up(self) -> None:
        """Close the talk, upon which the zygote ends its child and itself. Safe while another thread listens."""
        with contextlib.suppress(OSError):
            self.control.shutdown(socket.SHUT_RDWR)
        if not self._ready:  # still loading, and without a child
            self.process.kill()

    def end(self) -> None:
        """End the zygote and, by its death, every process below it."""
        self.hang_up()
        self.control.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._clear()

    def _clear(self) -> None:
        """Remove what it left on the host; nothing is raised."""
        self.log.close()
        if self.group is not None:
            with contextlib.suppress(OSError):
                self.group.remove()
        for _ in range(_REMOVALS if self.base else 0):
            if folders.remove(self.base):
                break
            time.sleep(_PAUSE_SECONDS)  # a child that is just being killed may still write
