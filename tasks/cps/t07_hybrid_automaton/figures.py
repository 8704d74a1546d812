"""Draws an answer to the full mode: the modes in time, the guards on the fresh states, and errors by regime against both ends of the scale."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from assay.protocol import Problem
from tasks.cps.t07_hybrid_automaton import judge, measures
from tasks.cps.t07_hybrid_automaton.automata import Regime, guarded
from tasks.cps.verifier import Values

COLOURS = ("#1b6ca8", "#e08e0b", "#2a7f62", "#c0392b")
MODES = ListedColormap(COLOURS)
"""modes 0, 1, 2 under the true names; the last one is for labels outside 0 .. K - 1"""
RECORD = 0


def draw(problem: Problem, values: Values) -> dict[str, Figure]:
    """Figures by name.

    Args:
        problem: the instance.
        values: the answers to `judge.calls(problem, "full")`, by process.
    """
    regimes = judge.hidden(problem)
    found = {
        name: measures.named(value, measures.truth(regime))
        for (name, regime), value in zip(regimes.items(), values["measured"], strict=True)
    }
    return {"modes": _modes(regimes, found), "guards": _guards(regimes, found), "regimes": _regimes(regimes, found)}


def _modes(regimes: dict[str, Regime], found: dict[str, measures.Answer]) -> Figure:
    """One record of each regime: its first output, and the true and the answered mode of each step."""
    figure = Figure(figsize=(10, 1.0 + 1.7 * len(regimes)), layout="constrained")
    for axes, (name, regime) in zip(np.atleast_1d(figure.subplots(len(regimes), 1)), regimes.items(), strict=True):
        truth, steps = measures.truth(regime)[RECORD], np.arange(regime.automaton.lag, regime.Y.shape[1])
        answer = np.minimum(found[name].modes[RECORD], len(COLOURS) - 1)
        y = regime.Y[RECORD, regime.automaton.lag :, 0]
        low, high = float(y.min()), float(y.max())
        strip = 0.14 * (high - low)
        for row, labels in enumerate((truth, answer)):
            bottom = low - (2 * row + 2.2) * strip
            extent = (steps[0] - 0.5, steps[-1] + 0.5, bottom, bottom + 1.6 * strip)
            axes.imshow(
                labels[None], cmap=MODES, vmin=0, vmax=len(COLOURS) - 1, aspect="auto", extent=extent, interpolation="nearest"
            )
        axes.plot(steps, y, color="black", linewidth=0.9)
        axes.set(xlim=(steps[0] - 0.5, steps[-1] + 0.5), ylim=(low - 4.6 * strip, high + strip), ylabel="y (unit of y)")
        wrong = float(np.mean(found[name].modes != measures.truth(regime)))
        axes.set_title(
            f"{name}: {wrong:.1%} of all labels are wrong; upper strip true modes, lower strip the answer's", fontsize=9
        )
    axes.set_xlabel("step k (1)")
    return figure


def _guards(regimes: dict[str, Regime], found: dict[str, measures.Answer]) -> Figure:
    """Fresh states by true mode, and where the answer's guards lie. One output: the modes of the guards over the range of y."""
    shown = {name: regime for name, regime in regimes.items() if not regime.automaton.dwell}
    columns = min(3, len(shown))
    rows = -(-len(shown) // columns)
    figure = Figure(figsize=(4.0 * columns, 3.2 * rows), layout="constrained")
    places = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes, (name, regime) in zip(places, shown.items(), strict=False):
        error = measures.guard_error(regime, found[name])
        (_plane if regime.automaton.p > 1 else _line)(axes, regime, found[name])
        axes.set_title(f"{name}: {error:.1%} of the fresh states are wrong", fontsize=9)
    for axes in places[len(shown) :]:
        axes.set_visible(False)
    return figure


def _line(axes: Axes, regime: Regime, answer: measures.Answer) -> None:
    """Next output over the last one, and under it two strips: the true guards' modes and the answer's."""
    law, lag = regime.automaton, regime.automaton.lag
    x, y = measures.states(regime, regime.fresh_Y)[:, 0], regime.fresh_Y[:, lag:].reshape(-1)
    axes.scatter(x, y, c=regime.fresh_modes[:, lag:].ravel(), cmap=MODES, vmin=0, vmax=len(COLOURS) - 1, s=5)
    grid = np.linspace(x.min(), x.max(), 600)
    low, size = float(y.min()), 0.09 * float(np.ptp(y))
    for row, guards in enumerate((law.guards, answer.guards)):
        bottom = low - (row + 1.2) * size
        extent = (grid[0], grid[-1], bottom, bottom + 0.8 * size)
        labels = guarded(guards, grid[:, None])[None]
        axes.imshow(labels, cmap=MODES, vmin=0, vmax=len(COLOURS) - 1, aspect="auto", extent=extent, interpolation="nearest")
    axes.set(xlim=(grid[0], grid[-1]), ylim=(low - 2.6 * size, float(y.max()) + size))
    axes.set(xlabel="y[k-1] (unit of y); strips: true, answer", ylabel="y[k] (unit of y)")


def _plane(axes: Axes, regime: Regime, answer: measures.Answer) -> None:
    """Fresh states over the answer's regions; the true guards as black lines."""
    y = measures.states(regime, regime.fresh_Y)
    grids = np.meshgrid(*(np.linspace(y[:, i].min(), y[:, i].max(), 160) for i in (0, 1)))
    points = np.stack(grids, axis=-1)
    bounds = np.arange(len(COLOURS) + 1) - 0.5
    axes.contourf(*grids, guarded(answer.guards, points), levels=bounds, colors=COLOURS, alpha=0.25)
    axes.contour(*grids, guarded(regime.automaton.guards, points), levels=bounds[1:-1], colors="black", linewidths=1.0)
    modes = regime.fresh_modes[:, regime.automaton.lag :].ravel()
    axes.scatter(*y.T, c=modes, cmap=MODES, vmin=0, vmax=len(COLOURS) - 1, s=5)
    axes.set(xlabel="y1[k-1] (unit of y); lines: true guards", ylabel="y2[k-1] (unit of y)")


def _regimes(regimes: dict[str, Regime], found: dict[str, measures.Answer]) -> Figure:
    """One-step RMSE on fresh data over the noise's, and adjusted Rand index, beside the oracle and one ARX model."""
    numbers = {
        name: measures.accuracy(regime, found[name]) | measures.prediction(regime, found[name])
        for name, regime in regimes.items()
    }
    figure = Figure(figsize=(10, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    places = np.arange(len(numbers))
    ratio = [np.hypot(1.0, one["distance"]) for one in numbers.values()]
    series = {
        "answer": (ratio, [one["rand"] for one in numbers.values()], COLOURS[0]),
        "oracle": (np.ones(len(numbers)), [one["oracle_rand"] for one in numbers.values()], COLOURS[2]),
        "one ARX model": ([one["single_ratio"] for one in numbers.values()], np.zeros(len(numbers)), COLOURS[3]),
    }
    for shift, (label, (errors, rand, colour)) in zip((-0.27, 0.0, 0.27), series.items(), strict=True):
        left.bar(places + shift, errors, width=0.25, color=colour, label=label)
        right.bar(places + shift, rand, width=0.25, color=colour, label=label)
    left.set(ylabel="expected one-step RMSE on fresh data (sigma)")
    right.set(ylabel="adjusted Rand index (1)")
    for axes in (left, right):
        axes.set_xticks(places, list(numbers), rotation=30, ha="right")
    figure.legend(*left.get_legend_handles_labels(), loc="outside upper center", ncols=3, fontsize=8)
    return figure
