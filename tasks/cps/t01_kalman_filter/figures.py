"""Figures of one submission's answers in the full mode: courses of one state with its interval, errors by regime, and losses by step."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from assay.protocol import Problem
from tasks.cps import probes
from tasks.cps.t01_kalman_filter import judge, oracle, scoring
from tasks.cps.t01_kalman_filter.oracle import Gaussians
from tasks.cps.t01_kalman_filter.regimes import Regime
from tasks.cps.verifier import Values

TRUTH, STATED, EXACT, NONE = "black", "#1f6fb4", "#2a7f62", "#999999"
SHOWN = 1e-16
"""losses below are drawn there: rounding"""


def draw(problem: Problem, values: Values) -> dict[str, Figure]:
    """Figures by name.

    Args:
        problem: the instance.
        values: answers to the full mode's calls; of these the measured ones are drawn.
    """
    found = [
        (name, regime, stated, oracle.estimate(*regime.arguments()))
        for (name, regime), stated in zip(judge.hidden(problem).items(), values["measured"], strict=True)
    ]
    return {"courses": _courses(found), "errors": _errors(problem, found), "steps": _steps(problem, found)}


def _courses(found: list[tuple[str, Regime, Gaussians, Gaussians]]) -> Figure:
    rows = math.ceil(len(found) / 2)
    figure = Figure(figsize=(11, 0.8 + 2.4 * rows), layout="constrained")
    panels = figure.subplots(rows, 2, squeeze=False).ravel()
    for axes, (name, regime, stated, exact) in zip(panels, found, strict=False):
        _course(axes, name, regime, stated, exact)
    for axes in panels[len(found) :]:
        axes.set_axis_off()
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=4, fontsize=9)
    return figure


def _course(axes: Axes, name: str, regime: Regime, stated: Gaussians, exact: Gaussians) -> None:
    """The first trajectory, in the state of which most is unknown at the end."""
    state = int(np.argmax(np.diagonal(exact[1][0, -1])))
    k, half = np.arange(regime.X.shape[1]), 1.96 * np.sqrt(np.maximum(stated[1][0, :, state, state], 0.0))
    mean = stated[0][0, :, state]
    axes.fill_between(k, mean - half, mean + half, color=STATED, alpha=0.25, linewidth=0, label="95 % as stated")
    axes.plot(k, regime.X[0, :, state], color=TRUTH, linewidth=1.2, label="true state")
    axes.plot(k, mean, color=STATED, linewidth=1.5, label="estimate")
    axes.plot(k, exact[0][0, :, state], color=EXACT, linewidth=1.0, linestyle="--", label="exact filter")
    low, high = axes.get_ylim()
    axes.set_ylim(low - 0.08 * (high - low), high)
    for share, mark in ((np.isnan(regime.Y[0]).mean(1), "|"),):
        gaps = k[share > 0]
        axes.scatter(gaps, np.full(len(gaps), low - 0.04 * (high - low)), c="#c0392b", s=20 + 30 * share[share > 0], marker=mark)
    axes.set_title(f"{name}: n = {len(regime.A)}, p = {len(regime.C)}" + (", red: y missing" if len(gaps) else ""), fontsize=10)
    axes.set_xlabel("step k (1)")
    axes.set_ylabel(f"x{state} (unit of the system)")


def _errors(problem: Problem, found: list[tuple[str, Regime, Gaussians, Gaussians]]) -> Figure:
    figure = Figure(figsize=(11, 1.6 + 0.45 * len(found)), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    places, names = np.arange(len(found))[::-1], [name for name, *_ in found]
    ends = {"estimate": (STATED, "o"), "exact filter": (EXACT, "|"), "without measurements": (NONE, "s")}
    rmse, log = np.empty((3, len(found))), np.empty((3, len(found)))
    for column, (_, regime, stated, exact) in enumerate(found):
        J = scoring.blur(regime.x0_cov, problem.thresholds["blur"])
        for row, one in enumerate((stated, exact, regime.open_loop())):
            rmse[row, column] = probes.rmse(one[0], regime.X)
            log[row, column] = np.mean(scoring.log_score(one, regime.X, J))
    for row, (label, (color, mark)) in enumerate(ends.items()):
        left.scatter(rmse[row] / rmse[1], places, color=color, marker=mark, s=150 if mark == "|" else 40, label=label)
        right.scatter(log[row] - log[1], places, color=color, marker=mark, s=150 if mark == "|" else 40)
    left.set_xscale("log")
    left.set_yticks(places, names)
    left.set_xlabel("RMSE / RMSE of the exact filter (1)")
    right.set_xlabel("log score less the exact filter's (nats a component)")
    right.set_xscale("symlog", linthresh=0.1)
    for axes in (left, right):
        axes.grid(axis="x", alpha=0.3)
    figure.legend(loc="outside upper center", ncols=3, fontsize=9)
    return figure


def _steps(problem: Problem, found: list[tuple[str, Regime, Gaussians, Gaussians]]) -> Figure:
    figure = Figure(figsize=(11, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    for name, regime, stated, exact in found:
        J = scoring.blur(regime.x0_cov, problem.thresholds["blur"])
        left.plot(np.maximum(scoring.excess(stated, exact, J).mean(0), SHOWN), label=name, linewidth=1.2)
        steps = range(regime.X.shape[1])
        right.plot([scoring.nees((stated[0][:, k], stated[1][:, k]), regime.X[:, k], J) for k in steps], linewidth=1.2)
    left.axhline(problem.thresholds["excess"], color="#c0392b", linestyle="--", linewidth=1, label="bound")
    left.set_yscale("log")
    left.set_ylabel("expected loss of log score (nats a component)")
    right.axhline(1.0, color="black", linestyle="--", linewidth=1)
    right.set_yscale("log")
    right.set_ylabel("mean normalised square error (1); consistent: 1")
    for axes in (left, right):
        axes.set_xlabel("step k (1)")
    figure.legend(loc="outside right upper", fontsize=8)
    return figure
