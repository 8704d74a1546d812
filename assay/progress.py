"""Progress of a long stage as lines of text: done of all, rate, time left. Lines suit a log, a terminal and a Prefect run alike."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable

_EVERY_SECONDS = 5.0
_ENOUGH = 0.1


class Progress:
    """Counts what is done and says so every few seconds, and at the end.

    Args:
        what: what is counted, in the plural.
        total: how many there are.
        say: where a line goes.
    """

    def __init__(self, what: str, total: int, say: Callable[[str], None] | None = None) -> None:
        self._what, self._total = what, total
        self._say = say or _to_stderr
        self._lock = threading.Lock()
        self._done = 0
        self._began = self._said = time.monotonic()

    def add(self, count: int = 1, note: str = "") -> None:
        """Count some more as done."""
        with self._lock:
            self._done += count
            now = time.monotonic()
            if now - self._said >= _EVERY_SECONDS or self._done == self._total:
                self._said = now
                self._say(self._line(now, note))

    def _line(self, now: float, note: str) -> str:
        seconds = max(now - self._began, 1e-9)
        rate = self._done / seconds
        left = (self._total - self._done) / rate if rate > 0 else float("inf")
        if self._done == self._total:
            end = f"{seconds:.0f} s in all"
        else:  # a batch ends at once, so the first few say nothing of the rate
            end = f"{left:.0f} s left" if self._done >= _ENOUGH * self._total else "time left not known yet"
        return f"{self._what}: {self._done} of {self._total}, {rate:.2g} a second, {end}{'; ' + note if note else ''}"


def _to_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
