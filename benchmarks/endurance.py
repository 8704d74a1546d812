"""Does the sandbox last? Memory over many candidates, the cost of a time-out, the pool's health after many of them, peak memory.

Sizes come from /proc: for growth a process's anonymous memory (RssAnon), which unlike pages of mapped files the system can't take back,
in our own process after the allocator has given back what is free, so that a leak isn't hidden in, or taken for, a high-water mark; for
peaks the proportional share (Pss) summed over our process and all below it, sampled. Not covered: memory of the kernel itself, and the
peak between two samples.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any, Self, final

import numpy as np

from assay import judging
from assay.judging import Job
from assay.protocol import Call, Limits, Program, Returns, Sandbox
from assay.records import Verdict
from assay.sandbox import Pool

MIB = 1 << 20
FIRST = 100
"""candidates before growth counts: until then caches fill"""
_FLAT_SHARE = 0.02
_POINTS = 40
_SAMPLE_SECONDS = 0.02
_SLEEP = "import time\n\n\ndef estimate():\n    time.sleep(600)\n"
_SPIN = "def estimate():\n    while True:\n        pass\n"


def anonymous_bytes(pid: int) -> int:
    """Anonymous resident memory of a process, for our own after a trim; 0 where it is gone."""
    if pid == os.getpid():
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)
    with contextlib.suppress(OSError, ValueError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) << 10
    return 0


def descriptors(pid: int) -> int:
    """Open descriptors of a process; 0 where we may not look."""
    with contextlib.suppress(OSError):
        return len(list(Path(f"/proc/{pid}/fd").iterdir()))
    return 0


def below(pid: int) -> list[int]:
    """Every process that descends from one."""
    parents: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError, ValueError):
            fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            parents.setdefault(int(fields[1]), []).append(int(folder.name))
    found, waiting = list[int](), [pid]
    while waiting:
        children = parents.get(waiting.pop(), [])
        found += children
        waiting += children
    return found


@final
class PeakMemory:
    """Samples the memory of this process and of all below it while the block runs."""

    def __init__(self) -> None:
        self.peak_bytes = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def _watch(self) -> None:
        while not self._stop.wait(_SAMPLE_SECONDS):
            self.peak_bytes = max(self.peak_bytes, sum(_share(pid) for pid in [os.getpid(), *below(os.getpid())]))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stop.set()
        self._thread.join()


def _share(pid: int) -> int:
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) << 10
    return 0


def zygotes(pool: Pool) -> dict[str, int]:
    """Process ids of a pool's zygotes, by worker, kind and twin."""
    return {
        f"worker {number}, {kind}{', twin' if twin else ''}": zygote.process.pid
        for number, slot in enumerate(pool.slots, 1)
        for (kind, twin), zygote in sorted(slot.zygotes.items())
    }


def _line(name: str, counts: Sequence[int], sizes: Sequence[int]) -> dict[str, Any]:
    slope = float(np.polyfit(counts, sizes, 1)[0]) if len(counts) > 1 else 0.0
    grown = slope * (counts[-1] - counts[0])
    return {
        "process": name,
        "at_first_mib": round(sizes[0] / MIB, 2),
        "at_middle_mib": round(sizes[len(sizes) // 2] / MIB, 2),
        "at_last_mib": round(sizes[-1] / MIB, 2),
        "series_mib": [round(size / MIB, 2) for size in sizes],
        "bytes_a_candidate": round(slope, 1) + 0.0,
        "fitted_growth_mib": round(grown / MIB, 2) + 0.0,
        "flat": bool(grown <= max(MIB, _FLAT_SHARE * sizes[0])),
    }


def growth(pool: Pool, jobs: Sequence[Job], total: int, on_point: Callable[[int], None] = lambda _: None) -> dict[str, Any]:
    """Judge `total` candidates, taking jobs in turn, and fit a line to each process's size from the hundredth on.

    Args:
        pool: the sandbox.
        jobs: what is judged, over and over.
        total: how many in all, more than `FIRST`.
        on_point: hears how many are done.
    """
    marks = sorted({int(mark) for mark in np.linspace(FIRST, total, _POINTS)})
    sizes: dict[str, list[int]] = {}
    opened: dict[str, list[int]] = {}
    failed, done, begun = 0, 0, time.perf_counter()
    with ThreadPoolExecutor(pool.workers) as threads:
        for mark in marks:
            verdicts = threads.map(lambda n: judging.judge(jobs[n % len(jobs)], pool, retries=0), range(done, mark))
            failed += sum(verdict.outcome == "harness_fault" for verdict in verdicts)
            done = mark
            for name, pid in {"judge": os.getpid(), **zygotes(pool)}.items():
                sizes.setdefault(name, []).append(anonymous_bytes(pid))
                opened.setdefault(name, []).append(descriptors(pid))
            on_point(done)
    processes = [_line(name, marks, found) for name, found in sizes.items() if len(found) == len(marks)]
    return {
        "from": FIRST,
        "to": total,
        "processes": processes,
        "restarted_processes": len(sizes) - len(processes),
        "descriptors_grown": max(found[-1] - found[0] for found in opened.values()),
        "harness_faults": failed,
        "seconds": round(time.perf_counter() - begun, 1),
        "flat_means": f"the fitted line rises by less than 1 MiB or {_FLAT_SHARE:.0%} of the size at {FIRST}",
        "flat": all(line["flat"] for line in processes) and len(sizes) == len(processes) and not failed,
    }


def _late(source: str, limits: Limits) -> Program:
    return Program(source, (Call("estimate", (), Returns("array", shape=(1,))),), limits)


def sleeping(wall_seconds: float) -> Program:
    """A program that waits past its wall limit."""
    return _late(_SLEEP, Limits(cpu_seconds=30.0, wall_seconds=wall_seconds))


def spinning() -> Program:
    """A program that computes past a processor limit of one second, the shortest that the kernel enforces."""
    return _late(_SPIN, Limits(cpu_seconds=1.0, wall_seconds=60.0))


def over_limit(sandbox: Sandbox, program: Program, limit: float, tries: int) -> dict[str, Any]:
    """Seconds that time-outs took beyond their limit."""
    over, faults = [], set()
    for _ in range(tries):
        begun = time.perf_counter()
        faults.add(sandbox.run(program).fault)
        over.append(time.perf_counter() - begun - limit)
    return {
        "limit_seconds": limit,
        "over_seconds_median": round(float(np.median(over)), 3),
        "over_seconds_worst": round(max(over), 3),
        "faults": sorted(faults),
    }


def _alike(left: Verdict, right: Verdict) -> bool:
    return (left.outcome, left.score, left.failure_mode, left.gates) == (
        right.outcome,
        right.score,
        right.failure_mode,
        right.gates,
    )


def health(pool: Pool, honest: Job, count: int, wall_seconds: float = 0.2) -> dict[str, Any]:
    """Have `count` programs time out, every fourth by computing, and see whether the pool serves as before."""
    before, started = judging.judge(honest, pool, retries=0), zygotes(pool)
    programs = [spinning() if number % 4 == 3 else sleeping(wall_seconds) for number in range(count)]
    begun = time.perf_counter()
    with ThreadPoolExecutor(pool.workers) as threads:
        faults = [reply.fault for reply in threads.map(pool.run, programs)]
    seconds, after = time.perf_counter() - begun, judging.judge(honest, pool, retries=0)
    left = [pid for zygote in started.values() for pid in below(zygote)]
    return {
        "programs": count,
        "wall_limit": faults.count("wall_limit"),
        "cpu_limit": faults.count("cpu_limit"),
        "seconds": round(seconds, 1),
        "same_processes": set(started.items()) <= set(zygotes(pool).items()),
        "processes_left": len(left),
        "same_verdict": _alike(before, after),
        "healthy": _alike(before, after) and not left and all(fault in ("wall_limit", "cpu_limit") for fault in faults),
    }
