"""Which processes live below another one."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path


def below(root: int) -> dict[int, str]:
    """All living processes below one, with their command lines."""
    parents, lines = dict[int, int](), dict[int, str]()
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError, ValueError):
            words = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            if words[0] not in "ZX":
                line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                parents[int(folder.name)], lines[int(folder.name)] = int(words[1]), line
    found, grown = {root}, True
    while grown:
        grown = False
        for pid, parent in parents.items():
            if parent in found and pid not in found:
                found.add(pid)
                grown = True
    return {pid: lines[pid] for pid in found - {root}}


def alive(pids: Iterable[int]) -> list[int]:
    """Those that live."""
    living = []
    for pid in pids:
        with contextlib.suppress(OSError, IndexError):
            if Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX":
                living.append(pid)
    return living


def until(holds: Callable[[], object], seconds: float = 60.0) -> bool:
    """Wait until something holds; whether it does."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.05)
    return False


def zygotes(root: int) -> list[int]:
    """The sandbox's processes right below one."""
    found = below(root)
    return [pid for pid, line in found.items() if "import zygote" in line and _parent(pid) == root]


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    except (OSError, IndexError):
        return -1


def own() -> dict[int, str]:
    """Living processes below this one, but for multiprocessing's tracker, which lives as long as its parent."""
    return {pid: line for pid, line in below(os.getpid()).items() if "resource_tracker" not in line}
