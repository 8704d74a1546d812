"""From what the contestants took to the lines of metrics/sandbox.json: rates, ratios, where the time goes, agreement, targets.

A ratio is taken within one round, between equal numbers of workers, and once more against the plain subprocess and the bare work as they
are used, one candidate at a time; a line shows its median, lowest and highest over the rounds.
Not covered: confidence intervals; rounds are few and a machine's other work isn't random.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
from rich.console import Console
from rich.table import Table

from assay.protocol import Program, Reply, Sandbox
from assay.records import Verdict
from assay.sandbox import host

LEAST_FASTER, MOST_SLOWER, MOST_OVER_SECONDS = 8.0, 2.0, 0.2


@final
class Metered:
    """A sandbox that adds up what its programs took."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self.workers, self.isolation = sandbox.workers, sandbox.isolation
        self.programs, self.run_seconds, self.cpu_seconds, self.wall_seconds = 0, 0.0, 0.0, 0.0

    def run(self, program: Program) -> Reply:
        """Run one program."""
        begun = time.perf_counter()
        reply = self._sandbox.run(program)
        self.run_seconds += time.perf_counter() - begun
        self.programs += 1
        self.cpu_seconds += reply.cpu_seconds
        self.wall_seconds += reply.wall_seconds
        return reply


@dataclass
class Timing:
    """What one contestant took."""

    seconds: list[float] = field(default_factory=list)
    """of each round, for all candidates"""
    by_candidate: dict[str, list[float]] = field(default_factory=dict)
    """with one worker only"""
    meters: list[Metered] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    """of the last round"""
    isolation: str = ""


Timings = dict[tuple[str, int], Timing]


def refuse_faults(timings: Timings) -> None:
    """A harness that judged nothing mustn't be timed.

    Raises:
        RuntimeError: a verdict is a harness fault.
    """
    for (name, _), timing in timings.items():
        for verdict in timing.verdicts:
            if verdict.outcome == "harness_fault":
                raise RuntimeError(
                    f"{name} on {verdict.attempt_id}: expected a verdict, received a harness fault: {verdict.events}"
                )


def _spread(values: Sequence[float]) -> dict[str, float]:
    return {"median": round(float(np.median(values)), 3), "low": round(min(values), 3), "high": round(max(values), 3)}


def _ratio(over: Sequence[float], under: Sequence[float]) -> dict[str, float]:
    return _spread([one / other for one, other in zip(over, under, strict=True)])


def throughput(timings: Timings, count: int) -> list[dict[str, Any]]:
    """A line a contestant: candidates a second, and its time as a multiple of the others' of the same round."""
    lines = []
    for (name, workers), timing in timings.items():
        bare, cold = timings["bare", workers].seconds, timings["subprocess", workers].seconds
        single_bare, single_cold = timings["bare", 1].seconds, timings["subprocess", 1].seconds
        lines.append(
            {
                "harness": name,
                "workers": workers,
                "candidates_per_second": _spread([count / seconds for seconds in timing.seconds]),
                "slower_than_bare": _ratio(timing.seconds, bare),
                "faster_than_subprocess": _ratio(cold, timing.seconds),
                "slower_than_one_bare": _ratio(timing.seconds, single_bare),
                "faster_than_one_subprocess": _ratio(single_cold, timing.seconds),
                "isolation": timing.isolation,
            }
        )
    return lines


def by_libraries(timings: Timings, sources: dict[str, str]) -> dict[str, Any]:
    """With one worker, by the kind of zygote that serves a candidate: milliseconds a candidate, and the multiple of bare."""
    found: dict[str, Any] = {}
    for kind in host.KINDS:
        names = [name for name, source in sources.items() if host.kind_for(source) == kind]
        sums = {
            name: np.sum([timing.by_candidate[one] for one in names], axis=0)
            for (name, _), timing in timings.items()
            if timing.meters
        }
        if names:
            found[kind] = {
                "candidates": len(names),
                "milliseconds": {name: round(1e3 * float(np.median(total)) / len(names), 1) for name, total in sums.items()},
                "slower_than_bare": {name: round(float(np.median(total / sums["bare"])), 2) for name, total in sums.items()},
            }
    return found


def where_time_goes(timings: Timings, count: int) -> dict[str, dict[str, float]]:
    """With one worker, milliseconds a candidate, as means over all rounds.

    judge: our own work, probe inputs and comparison. run: from a program to its reply. Of assay's run, child_wall is from the child's
    start to its end, child_cpu the processor time in it, page faults included, and before_child encoding, fork and confinement.
    over_bare_a_program: what a harness adds to the bare work, for each of its programs (processes).
    """
    found = {}
    bare = sum(meter.run_seconds for meter in timings["bare", 1].meters)
    for (name, _), timing in timings.items():
        if not timing.meters:
            continue
        times = 1e3 / (count * len(timing.seconds))
        run = sum(meter.run_seconds for meter in timing.meters)
        line = {"judge": (sum(timing.seconds) - run) * times, "run": run * times}
        if name == "assay":
            wall, cpu = (sum(getattr(meter, key) for meter in timing.meters) for key in ("wall_seconds", "cpu_seconds"))
            line |= {"child_wall": wall * times, "child_cpu": cpu * times, "before_child": (run - wall) * times}
        programs = sum(meter.programs for meter in timing.meters)
        line |= {"programs": programs / (count * len(timing.seconds)), "over_bare_a_program": 1e3 * (run - bare) / programs}
        found[name] = {key: round(value, 2) for key, value in line.items()}
    return found


def _told(verdict: Verdict) -> dict[str, Any]:
    return {"outcome": verdict.outcome, "score": round(verdict.score, 9), "failure_mode": verdict.failure_mode}


def agreement(timings: Timings) -> dict[str, Any]:
    """What was said of each candidate, and who said otherwise than bare did."""
    expected = {verdict.attempt_id: _told(verdict) for verdict in timings["bare", 1].verdicts}
    others = [
        {
            "harness": name,
            "workers": workers,
            "candidate": verdict.attempt_id,
            **_told(verdict),
            "notes": [*verdict.notes, *verdict.events],
        }
        for (name, workers), timing in timings.items()
        for verdict in timing.verdicts
        if _told(verdict) != expected[verdict.attempt_id]
    ]
    return {"agree": not others, "candidates": expected, "differences": others}


def _rates(document: dict[str, Any]) -> list[tuple[str, float, float, bool]]:
    lines = []
    for level, compared in document["levels"].items():
        ours = [line for line in compared["throughput"] if line["harness"] == "assay"]
        for line in ours:
            where = f"{level}, {line['workers']} worker{'s' * (line['workers'] > 1)}"
            lines += _against(line, where, "subprocess", "bare")
        most = max(ours, key=lambda line: int(line["workers"]))
        lines += _against(most, f"{level}, the pool as it is used", "one_subprocess", "one_bare")
    return lines


def _against(line: dict[str, Any], where: str, cold: str, bare: str) -> list[tuple[str, float, float, bool]]:
    faster, slower = line[f"faster_than_{cold}"]["median"], line[f"slower_than_{bare}"]["median"]
    names = [name.replace("one_", "a single ") for name in (cold, bare)]
    return [
        (f"times faster than {names[0]}: {where}", LEAST_FASTER, faster, faster >= LEAST_FASTER),
        (f"times slower than {names[1]}: {where}", MOST_SLOWER, slower, slower <= MOST_SLOWER),
    ]


def targets(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Each target with what was measured and whether it holds."""
    lines = _rates(document)
    grown = max(line["fitted_growth_mib"] for line in document["growth"]["processes"])
    lines.append((f"MiB grown from 100 to {document['growth']['to']} candidates", 0.0, grown, document["growth"]["flat"]))
    for how, line in document["time_outs"]["assay"].items():
        worst = line["over_seconds_worst"]
        lines.append((f"seconds of a time-out over its limit, {how}", MOST_OVER_SECONDS, worst, worst <= MOST_OVER_SECONDS))
    left = document["health"]["processes_left"]
    lines.append((f"processes left by {document['health']['programs']} time-outs", 0.0, left, document["health"]["healthy"]))
    return [{"target": name, "bound": bound, "measured": found, "holds": bool(holds)} for name, bound, found, holds in lines]


def show(document: dict[str, Any], console: Console) -> None:
    """The tables that a reader wants first."""
    for level, compared in document["levels"].items():
        _show_level(level, compared, document["peak_memory_mib"], console)
    sizes = Table("process", "MiB at first", "MiB at last", "bytes a candidate", "flat")
    for line in document["growth"]["processes"]:
        sizes.add_row(*(str(line[key]) for key in ("process", "at_first_mib", "at_last_mib", "bytes_a_candidate", "flat")))
    console.print(sizes)
    aims = Table("target", "bound", "measured", "holds")
    for line in document["targets"]:
        aims.add_row(line["target"], f"{line['bound']:g}", f"{line['measured']:g}", "yes" if line["holds"] else "no")
    console.print(aims)


def _show_level(level: str, compared: dict[str, Any], peaks: dict[str, float], console: Console) -> None:
    rates = Table(
        level,
        "workers",
        "candidates a second",
        "times slower than bare",
        "times faster than subprocess",
        "than one alone",
        "peak MiB",
    )
    for line in compared["throughput"]:
        keys = ("candidates_per_second", "slower_than_bare", "faster_than_subprocess", "faster_than_one_subprocess")
        cells = [_cell(line[key]) for key in keys]
        rates.add_row(line["harness"], str(line["workers"]), *cells, str(peaks.get(line["harness"], "")))
    console.print(rates)
    goes = Table(
        "ms a candidate, 1 worker", "judge", "run", "before child", "child wall", "child cpu", "programs", "added a program"
    )
    for name, line in compared["where_time_goes"].items():
        keys = ("judge", "run", "before_child", "child_wall", "child_cpu", "programs", "over_bare_a_program")
        goes.add_row(name, *(str(line.get(key, "")) for key in keys))
    console.print(goes)
    agreed = compared["verdicts"]["agree"]
    console.print("every harness gave the same verdicts" if agreed else compared["verdicts"]["differences"])


def _cell(spread: dict[str, float]) -> str:
    return f"{spread['median']:.2f} ({spread['low']:.2f} .. {spread['high']:.2f})"
