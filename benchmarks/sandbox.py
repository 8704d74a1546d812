"""What does isolation cost? The same candidates through several harnesses in one run, interleaved; then memory, time-outs and health.

    python -m benchmarks.sandbox [--quick] [--candidates N] [--rounds N] [--out metrics/sandbox.json]

Candidates are t01's reference, its rewrites and harmless cheats, each judged in full mode by the domain's own verifier: up to five
processes a candidate, at the easiest level and the hardest. With one worker the harnesses take turns at every candidate, with two at
every round; ratios are taken within a round between equal numbers of workers, so what else the machine does weighs on both sides.
Absolute figures are of this machine in this hour. `bare` includes the judge's own work, as all do; `where_time_goes` tells them apart.
Every library runs on one thread. Not covered: torch, workspaces, hostile candidates (tests/attacks), machines under a container's limits.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import multiprocessing
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

import numpy as np
from rich.console import Console

from assay import judging, tables
from assay.judging import Job
from assay.protocol import Call, Limits, Program, Returns, Sandbox
from assay.sandbox import Pool, host, open_sandbox
from benchmarks import comparison, endurance, harnesses
from benchmarks.comparison import Metered, Timing, Timings
from benchmarks.harnesses import Contestant

HARNESSES = ("bare", "subprocess", "fork", "bubblewrap", "assay")
CHEATS = ("rts_smoother", "zeros", "noisy", "wrong_shape", "mutates")
"""a cheat that answers (five processes), one whose twin differs (two), and such as fail at once (one)"""
_ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Plan:
    """How much is run."""

    levels: tuple[str, ...] = ("easy", "hard")
    """difficulties; what isn't compared is measured at the first"""
    rewrites: int = 6
    cheats: int = 5
    rounds: int = 3
    workers: tuple[int, ...] = (1, 2)
    growth: int = 10_000
    time_outs: int = 200
    tries: int = 5


QUICK = Plan(levels=("easy",), rewrites=3, cheats=2, rounds=1, growth=500, time_outs=10, tries=2)


def candidates(plan: Plan) -> dict[str, str]:
    """Name -> source; rewrites that need SciPy stand first among the rewrites, so that a short run has one."""
    folder = harnesses.task().folder
    rewrites = sorted(folder.glob("rewrites/*.py"), key=lambda path: (host.kind_for(path.read_text()) == "numpy", path.name))
    paths = [folder / "reference.py", *rewrites[: plan.rewrites]]
    paths += [folder / "cheats" / f"{name}.py" for name in CHEATS[: plan.cheats]]
    return {path.relative_to(folder).with_suffix("").as_posix(): path.read_text(encoding="utf-8") for path in paths}


def _turned(contestants: Sequence[Contestant], by: int) -> list[Contestant]:
    return [*contestants[by % len(contestants) :], *contestants[: by % len(contestants)]]


def _one_by_one(contestants: Sequence[Contestant], jobs: Sequence[Job], timings: Timings, number: int) -> None:
    """A round of those with one worker: they take turns at every candidate."""
    meters = {one.name: Metered(one.sandbox) for one in contestants if one.sandbox is not None}
    for one in contestants:
        timings[one.name, 1].meters.append(meters[one.name])
        timings[one.name, 1].verdicts.clear()
        timings[one.name, 1].seconds.append(0.0)
    for place, job in enumerate(jobs):
        for one in _turned(contestants, number + place):
            timing, begun = timings[one.name, 1], time.perf_counter()
            timing.verdicts.append(judging.judge(job, cast(Sandbox, meters[one.name]), retries=0))
            seconds = time.perf_counter() - begun
            timing.seconds[-1] += seconds
            timing.by_candidate.setdefault(job.attempt_id, []).append(seconds)


def _side_by_side(contestants: Sequence[Contestant], jobs: Sequence[Job], timings: Timings, number: int) -> None:
    """A round of those with several workers: one after another, each at all candidates."""
    for one in _turned(contestants, number):
        begun = time.perf_counter()
        timings[one.name, one.workers].verdicts = one.judge_many(jobs)
        timings[one.name, one.workers].seconds.append(time.perf_counter() - begun)


def timed(contestants: Sequence[Contestant], jobs: Sequence[Job], plan: Plan, console: Console) -> Timings:
    """All rounds; what starts with the first use has been started before."""
    timings = {(one.name, one.workers): Timing(isolation=one.sandbox.isolation if one.sandbox else "") for one in contestants}
    for one in contestants:
        one.judge_many([job for job in jobs[:2] for _ in range(one.workers)])
    for number in range(plan.rounds):
        for workers in plan.workers:
            run = _one_by_one if workers == 1 else _side_by_side
            run([one for one in contestants if one.workers == workers], jobs, timings, number)
        console.print(f"round {number + 1} of {plan.rounds}")
    return timings


def round_trips(pool: Pool, tries: int) -> dict[str, float]:
    """Milliseconds of a program that does nothing, by kind of zygote."""
    found = {}
    for kind, head in (("numpy", ""), ("linalg", "import scipy.linalg\n"), ("scipy", "import scipy\n")):
        source = f"{head}def estimate():\n    return 0.0\n"
        program = Program(source, (Call("estimate", (), Returns("float")),), Limits())
        pool.run(program)
        times = []
        for _ in range(tries):
            begun = time.perf_counter()
            pool.run(program).answers()
            times.append(time.perf_counter() - begun)
        found[kind] = round(1e3 * float(np.median(times)), 2)
    return found


def peak_memory(names: Sequence[str], folder: Path, jobs: Sequence[Job], plan: Plan) -> dict[str, float]:
    """MiB of our process and all below it at its highest, each harness started anew with the most workers."""
    found = {}
    for name in names:
        with endurance.PeakMemory() as peak:
            contestant = harnesses.open_contestant(name, max(plan.workers), folder, plan.levels[0])
            contestant.judge_many(jobs)
            contestant.close()
        found[name] = round(peak.peak_bytes / endurance.MIB, 1)
    return found


def time_outs(contestants: Sequence[Contestant], plan: Plan) -> dict[str, Any]:
    """Seconds beyond the limit, for a program that sleeps, and in assay for one that computes."""
    found: dict[str, Any] = {}
    for one in contestants:
        if one.workers == 1 and one.sandbox is not None and one.name != "bare":
            found[one.name] = {"sleeping": endurance.over_limit(one.sandbox, endurance.sleeping(1.0), 1.0, plan.tries)}
            if one.name == "assay":
                found[one.name]["computing"] = endurance.over_limit(one.sandbox, endurance.spinning(), 1.0, plan.tries)
    return found


def machine() -> dict[str, Any]:
    """Facts that figures depend on."""
    processors = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    kernel = re.match(r"\d+\.\d+", platform.release())
    return {
        "cores": len(os.sched_getaffinity(0)),
        "processor": processors[1] if processors else platform.machine(),
        "memory_gib": round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / (1 << 30), 1),
        "system": f"{platform.system()} {kernel[0] if kernel else ''}".strip(),
        "load_before": round(os.getloadavg()[0], 2),
    }


def versions() -> dict[str, str]:
    """Of what ran."""
    found = {"python": platform.python_version(), **{name: version(name) for name in ("numpy", "scipy")}}
    if shutil.which("bwrap"):
        said = subprocess.run(["bwrap", "--version"], capture_output=True, text=True, check=True).stdout
        found["bubblewrap"] = said.split()[-1]
    return found


@contextlib.contextmanager
def opened(names: Sequence[str], folder: Path, level: str, workers: Sequence[int]) -> Iterator[list[Contestant]]:
    """Every harness with every number of workers, closed at the end."""
    contestants = list[Contestant]()
    with contextlib.ExitStack() as stack:
        for number in workers:
            for name in names:
                contestants.append(harnesses.open_contestant(name, number, folder, level))
                stack.callback(contestants[-1].close)
        yield contestants


def compared(names: Sequence[str], folder: Path, level: str, plan: Plan, console: Console) -> dict[str, Any]:
    """Everything that is compared between harnesses at one level."""
    sources = candidates(plan)
    jobs = [harnesses.job(folder, level, name, source) for name, source in sources.items()]
    console.print(f"level {level}: {len(jobs)} candidates")
    with opened(names, folder, level, plan.workers) as contestants:
        timings = timed(contestants, jobs, plan, console)
    comparison.refuse_faults(timings)
    return {
        "throughput": comparison.throughput(timings, len(jobs)),
        "by_libraries": comparison.by_libraries(timings, sources),
        "where_time_goes": comparison.where_time_goes(timings, len(jobs)),
        "verdicts": comparison.agreement(timings),
    }


def grown(folder: Path, plan: Plan) -> dict[str, Any]:
    """Health after time-outs and growth, in the assay sandbox with most workers."""
    jobs = [harnesses.job(folder, plan.levels[0], name, source) for name, source in candidates(plan).items()]
    with open_sandbox(require="none", workers=max(plan.workers)) as pool:
        found = {"health": endurance.health(pool, jobs[0], plan.time_outs)}
        print(f"{plan.time_outs} time-outs over", flush=True)
        found["growth"] = endurance.growth(pool, jobs, plan.growth, lambda done: print(f"{done} candidates", flush=True))
    return found


def lasting(names: Sequence[str], folder: Path, plan: Plan, console: Console) -> dict[str, Any]:
    """Peak memory, round trips, time-outs, health and growth; the last two in a process of their own."""
    jobs = [harnesses.job(folder, plan.levels[0], name, source) for name, source in candidates(plan).items()]
    found: dict[str, Any] = {"peak_memory_mib": peak_memory(names, folder, jobs[:2], plan)}
    with opened(names, folder, plan.levels[0], (1,)) as singles:
        small = next(one.sandbox for one in singles if isinstance(one.sandbox, Pool))
        found |= {"isolation": small.isolation, "round_trip_milliseconds": round_trips(small, 10 * plan.tries)}
        found["time_outs"] = time_outs(singles, plan)
    console.print("time-outs measured")
    # what went before would count as memory that the judge's process already has
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as fresh:
        found |= fresh.submit(grown, folder, plan).result()
    return found


def measure(plan: Plan, console: Console) -> dict[str, Any]:
    """The whole benchmark."""
    why = harnesses.bubblewrap_missing()
    names = [name for name in HARNESSES if name != "bubblewrap" or not why]
    document: dict[str, Any] = {"machine": machine(), "versions": versions(), "skipped": [why] if why else []}
    for line in document["skipped"]:
        console.print(line)
    document["setting"] = {"task": harnesses.TASK, "mode": "full", "seed": harnesses.SEED, **dataclasses.asdict(plan)}
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as place:
        document["levels"] = {level: compared(names, Path(place), level, plan, console) for level in plan.levels}
        document |= lasting(names, Path(place), plan, console)
    document["targets"] = comparison.targets(document)
    return document


def main(arguments: Sequence[str] | None = None) -> None:
    """Run, write the document and show its tables."""
    parser = argparse.ArgumentParser(prog="sandbox", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="a run of seconds, for its shape rather than its figures")
    parser.add_argument("--candidates", type=int, help="of the growth measurement; default 10000, quick 500")
    parser.add_argument("--rounds", type=int, help="default 3, quick 1")
    parser.add_argument("--out", type=Path, default=harnesses.ROOT / "metrics" / "sandbox.json")
    chosen = parser.parse_args(arguments)
    plan = QUICK if chosen.quick else Plan()
    plan = dataclasses.replace(plan, growth=chosen.candidates or plan.growth, rounds=chosen.rounds or plan.rounds)
    if plan.growth <= endurance.FIRST:
        parser.error(f"--candidates must be more than {endurance.FIRST}")
    console = Console()
    document = measure(plan, console)
    tables.write_text(chosen.out, json.dumps(document, indent=2) + "\n")
    comparison.show(document, console)


if __name__ == "__main__":
    if any(os.environ.get(name) != "1" for name in _ONE_THREAD):  # too late once NumPy is loaded
        command = [sys.executable, "-m", "benchmarks.sandbox", *sys.argv[1:]]
        os.execve(sys.executable, command, os.environ | dict.fromkeys(_ONE_THREAD, "1"))
    main()
