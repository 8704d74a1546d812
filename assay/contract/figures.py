"""Figures of one submission on one instance: its gates with their margins, and what its task draws of its answers.

A domain whose verifier has `answers(problem, submission, run, mode)` hands them to the task's figures.py,
`draw(problem, values) -> {name: Figure}`; where either is missing there is the figure of the gates alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from assay.catalog import Task
from assay.errors import TaskError
from assay.protocol import CandidateFault, Problem, Sandbox
from assay.records import Gate, Verdict

_PASSED, _FAILED = "#2a7f62", "#c0392b"
_ROW_INCHES = 0.26
_FAR = 1e6


def figures(task: Task, problem: Problem, submission: str, sandbox: Sandbox, verdict: Verdict) -> dict[str, Figure]:
    """Every figure by name.

    Args:
        task: the task.
        problem: one instance.
        submission: its source; it runs again, for its answers.
        sandbox: where it runs.
        verdict: of the submission on the instance.

    Raises:
        TaskError: the task's figures.py raised.
    """
    found = {"gates": gates(verdict)} if verdict.gates else {}
    verifier = task.verifier()
    if not hasattr(verifier, "answers") or not (task.folder / "figures.py").is_file():
        return found
    try:
        values = verifier.answers(problem, submission, sandbox.run, "full").values
    except CandidateFault:
        return found
    try:
        drawn: Mapping[str, Figure] = task.module("figures").draw(problem, values)
    except Exception as error:
        raise TaskError(f"{task.folder / 'figures.py'}: draw raised {type(error).__name__}: {error}") from error
    return found | dict(drawn)


def gates(verdict: Verdict) -> Figure:
    """Each gate's value as a multiple of its bound, on a logarithmic axis; the line at 1 is the bound."""
    shown = [gate for gate in verdict.gates if gate.value is not None and gate.bound is not None and gate.bound > 0]
    figure = Figure(figsize=(9, 1.4 + _ROW_INCHES * max(len(shown), 1)), layout="constrained")
    axes = figure.subplots()
    shares = np.clip([_share(gate) for gate in shown], 1 / _FAR, _FAR)
    places = np.arange(len(shown))[::-1]
    colours = [_PASSED if gate.passed else _FAILED for gate in shown]
    axes.barh(places, shares - 1.0, left=1.0, color=colours)
    axes.scatter(shares, places, color=colours, zorder=3)  # a value at its bound has no bar
    axes.set_xscale("log")
    axes.axvline(1.0, color="black", linewidth=1)
    axes.set_yticks(places, [f"{gate.name}: {gate.value:.3g} of {gate.bound:.3g}" for gate in shown], fontsize=8)
    axes.set_xlabel("value / bound (1)")
    axes.set_title(f"gates with their margins, score {verdict.score:.3f}; green is met, red is not")
    return figure


def _share(gate: Gate) -> float:
    assert gate.value is not None and gate.bound
    return abs(gate.value) / gate.bound


def save(found: Mapping[str, Figure], folder: Path, kind: str) -> Sequence[Path]:
    """Write figures as <name>.png or <name>.svg; the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, figure in found.items():
        paths.append(folder / f"{name}.{kind}")
        figure.savefig(paths[-1], dpi=130, metadata={"Date": None} if kind == "svg" else None)
    return paths
