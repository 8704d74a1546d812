"""Commands as process groups, with a bound on how many run at a time, and an end that leaves none of them behind.

Every command leads a session of its own: a Ctrl-C in the terminal reaches the flow only, and the flow ends the groups. What a
command leaves running in its group when it ends is ended with it.

Not covered: a process that leaves its group (setsid), and SIGKILL of the flow itself, after which a running stage goes on to
its end and keeps the lock of the workspace.
"""

import os
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from flows.errors import StoppedError

GRACE_SECONDS = 10.0
KILL_SECONDS = 3.0  # a killed process is gone at once, unless it is stuck in the kernel or nobody reaps it
POLL_SECONDS = 0.05
TAIL_LINES = 15
LINE_CHARACTERS = 4000


@dataclass(frozen=True)
class Finished:
    """A command that ended."""

    exit_code: int
    """As of subprocess: negative for a signal."""
    seconds: float
    """From start to end, in seconds, without the wait for a free place."""
    tail: tuple[str, ...]
    """The last lines of its output, at most TAIL_LINES."""


class Supervisor:
    """Runs commands and can end them all; safe to use from many threads; a final class."""

    def __init__(self, *, workers: int, grace_seconds: float = GRACE_SECONDS) -> None:
        """Takes how many commands may run at a time, and how long a group may take to end after SIGTERM."""
        self._places = threading.Semaphore(workers)
        self._grace_seconds = grace_seconds
        self._guard = threading.Lock()
        self._groups: set[int] = set()
        self._stopping = False

    def run(
        self,
        command: Sequence[str],
        *,
        cwd: Path,
        environment: Mapping[str, str],
        on_line: Callable[[str], None],
        inherited: Sequence[int] = (),
    ) -> Finished:
        """Runs a command to its end.

        Args:
            command: Argument list.
            cwd: Where it runs.
            environment: All of its environment.
            on_line: Called with each line of stdout and stderr as it comes, without its end, cut at LINE_CHARACTERS.
            inherited: File descriptors that it gets.

        Returns:
            How it ended.

        Raises:
            StoppedError: `stop` was called before it could start, or while it ran.
        """
        with self._places:
            began = time.monotonic()
            process = self._start(command, cwd=cwd, environment=environment, inherited=inherited)
            reaper = threading.Thread(target=self._reap, args=(process,), daemon=True)
            reaper.start()
            tail: deque[str] = deque(maxlen=TAIL_LINES)
            try:
                assert process.stdout is not None
                _read_lines(process.stdout, tail, on_line)
            except BaseException:
                _end_groups([process.pid], self._grace_seconds)
                raise
            finally:
                reaper.join()
            if self._stopping:
                raise StoppedError(f"stopped while it ran: {' '.join(command)}")
            return Finished(process.returncode, time.monotonic() - began, tuple(tail))

    def stop(self) -> None:
        """Ends all groups, with SIGTERM and after the grace with SIGKILL, and lets no new command start."""
        with self._guard:
            self._stopping = True
            groups = list(self._groups)
        _end_groups(groups, self._grace_seconds)

    def _start(
        self, command: Sequence[str], *, cwd: Path, environment: Mapping[str, str], inherited: Sequence[int]
    ) -> subprocess.Popen[str]:
        # Under the guard, `stop` sees either no process or one that it can end.
        with self._guard:
            if self._stopping:
                raise StoppedError(f"not started: {' '.join(command)}")
            process = subprocess.Popen(
                command,
                cwd=cwd,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
                pass_fds=tuple(inherited),
            )
            self._groups.add(process.pid)
            return process

    def _reap(self, process: "subprocess.Popen[str]") -> None:
        """Waits for the leader, then ends the rest of its group, which could hold the pipe open for ever."""
        process.wait()
        _end_groups([process.pid], self._grace_seconds)
        with self._guard:
            self._groups.discard(process.pid)


def _read_lines(pipe: IO[str], tail: deque[str], on_line: Callable[[str], None]) -> None:
    with pipe:
        for raw in pipe:
            line = raw.rstrip()[:LINE_CHARACTERS]
            if line:
                tail.append(line)
            on_line(line)


def _end_groups(groups: Sequence[int], grace_seconds: float) -> None:
    try:
        living = _wait_for_end([group for group in groups if _signal_group(group, signal.SIGTERM)], grace_seconds)
    except BaseException:  # a second Ctrl-C ends the grace
        _wait_for_end([group for group in groups if _signal_group(group, signal.SIGKILL)], KILL_SECONDS)
        raise
    _wait_for_end([group for group in living if _signal_group(group, signal.SIGKILL)], KILL_SECONDS)


def _wait_for_end(groups: list[int], seconds: float) -> list[int]:
    """Waits until the groups are gone, but not for longer than `seconds`; returns those that are not."""
    deadline = time.monotonic() + seconds
    while groups and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
        groups = [group for group in groups if _signal_group(group, 0)]
    return groups


def _signal_group(group: int, number: int) -> bool:
    """Sends a signal (0: none); False if the group has no process any more."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True
