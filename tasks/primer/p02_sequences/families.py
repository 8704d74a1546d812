"""The families of p02: one list of numbers and a parameter or two, a short loop.

Each truth is the equation of its docstring in plain Python, with v[0] the oldest value. Lists are never empty unless a clause of
the prompt says what happens then. Not covered: two lists, matrices, and state that outlives a call.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import Any

from tasks.primer.composing.composer import Argument, Family


def root_mean_square(values: list[float]) -> float:
    """sqrt(mean of v^2)."""
    return math.sqrt(sum(v * v for v in values) / len(values))


def mean_absolute(values: list[float]) -> float:
    """mean of |v|."""
    return sum(abs(v) for v in values) / len(values)


def average(values: list[float]) -> float:
    """sum / count."""
    return sum(values) / len(values)


def exceedances(values: list[float], threshold: float) -> int:
    """How many v > threshold."""
    return sum(v > threshold for v in values)


def alarm_index(values: list[float], threshold: float) -> int:
    """The first i with v[i] > threshold, else -1."""
    return next((i for i, v in enumerate(values) if v > threshold), -1)


def window_means(values: list[float], window: int) -> list[float]:
    """mean of v[i : i + window] for every full window."""
    return [sum(values[i : i + window]) / window for i in range(len(values) - window + 1)]


def smoothed(values: list[float], alpha: float) -> list[float]:
    """s[0] = v[0], s[i] = alpha v[i] + (1 - alpha) s[i-1]."""
    found = [values[0]]
    for v in values[1:]:
        found.append(alpha * v + (1 - alpha) * found[-1])
    return found


def rate_limited(values: list[float], change: float) -> list[float]:
    """y[0] = v[0], y[i] = y[i-1] + (v[i] - y[i-1] limited to [-change, change])."""
    found = [values[0]]
    for v in values[1:]:
        found.append(found[-1] + min(max(v - found[-1], -change), change))
    return found


def rectangle_sum(values: list[float], dt: float) -> float:
    """dt sum of v."""
    return sum(values) * dt


def trapezoid_sum(values: list[float], dt: float) -> float:
    """dt sum of (v[i] + v[i+1]) / 2."""
    return dt * sum((a + b) / 2 for a, b in itertools.pairwise(values))


def slopes(values: list[float], dt: float) -> list[float]:
    """(v[i+1] - v[i]) / dt."""
    return [(b - a) / dt for a, b in itertools.pairwise(values)]


def running_sum(values: list[float]) -> list[float]:
    """c[i] = v[0] + ... + v[i]."""
    found, total = [], 0.0
    for v in values:
        total += v
        found.append(total)
    return found


def held_above(values: list[float], threshold: float, count: int) -> bool:
    """Whether `count` neighbours in a row are > threshold."""
    run = 0
    for v in values:
        run = run + 1 if v > threshold else 0
        if run >= count:
            return True
    return False


def shifted(values: list[float], offset: float) -> list[float]:
    """v[i] - offset."""
    return [v - offset for v in values]


def amplified(values: list[float], gain: float) -> list[float]:
    """gain v[i]."""
    return [gain * v for v in values]


def overshoot_above(values: list[float], target: float) -> float:
    """max of v - target."""
    return max(values) - target


def _tie(values: list[float], threshold: float, **others: Any) -> list[dict[str, Any]]:
    """The threshold itself at the first place and at the last, before or after larger values, and nowhere a larger one."""
    small = [min(v, threshold - 1) for v in values]
    return [
        {"values": [threshold, *small[1:], threshold + 1]},
        {"values": [*small, threshold]},
        {"values": [*small, threshold, threshold + 0.5]},
        {"values": small},
    ]


def _held(values: list[float], threshold: float, count: int) -> list[dict[str, Any]]:
    above, under, tie = [threshold + 0.5], [threshold - 1.0], [threshold]
    return [
        {"values": under + above * count + under},
        {"values": under + above * (count - 1) + under + above * (count - 1)},
        {"values": above * (count - 1) + tie + above * (count - 1)},
        {"values": under * 2 + above * count},
        {"values": above * (count - 1) + under * 2},
    ]


def _families() -> tuple[Family, ...]:
    values = Argument("values", ("values", "data", "signal", "samples", "xs"), -8, 8, 0.5, length=(5, 8))
    errors = Argument("values", ("errors", "residuals", "values"), -8, 8, 0.5, length=(4, 7))
    threshold = Argument("threshold", ("threshold", "limit", "level"), -2, 5, 0.5, fixable=True)
    dt = Argument("dt", ("dt", "h", "step"), 0.125, 0.875, 0.125, fixable=True)
    return (
        Family(
            "root_mean_square", ("rmse", "rms", "root_mean_square_error"), (errors,), root_mean_square, "float", scales=("values",)
        ),
        Family("mean_absolute", ("mae", "mean_abs", "mean_absolute_error"), (errors,), mean_absolute, "float", scales=("values",)),
        Family("average", ("mean", "mean_value", "compute_mean"), (values,), average, "float", scales=("values",)),
        Family(
            "exceedances", ("count_above", "count_exceedances", "num_alarms"), (values, threshold), exceedances, "int", _tie,
            exact=True, scales=("values", "threshold"), degree=0,
        ),
        Family(
            "alarm_index", ("first_alarm", "first_above", "find_alarm"), (values, threshold), alarm_index, "int", _tie,
            exact=True, scales=("values", "threshold"), degree=0,
        ),
        Family(
            "window_means", ("moving_average", "rolling_mean", "sliding_mean"),
            (values, Argument("window", ("window", "n", "size"), 2, 4, 1, "int", fixable=True)), window_means, "floats",
            scales=("values",),
        ),
        Family(
            "smoothed", ("exponential_smoothing", "ema", "smooth_signal"),
            (values, Argument("alpha", ("alpha", "a", "weight"), 0.125, 0.875, 0.125, fixable=True)), smoothed, "floats",
            exact=True, scales=("values",),
        ),
        Family(
            "rate_limited", ("rate_limit", "slew_limit", "limit_rate"),
            (values, Argument("change", ("max_change", "max_step", "rate"), 1, 4, 0.5, fixable=True)), rate_limited, "floats",
            exact=True, scales=("values", "change"),
        ),
        Family(
            "rectangle_sum", ("integrate", "integral", "riemann_sum"), (values, dt), rectangle_sum, "float",
            exact=True, scales=("values",),
        ),
        Family(
            "trapezoid_sum", ("trapezoid", "trapz", "trapezoid_rule"), (values, dt), trapezoid_sum, "float",
            exact=True, scales=("values",),
        ),
        Family("slopes", ("derivative", "differences", "rate_of_change"), (values, dt), slopes, "floats", scales=("values",)),
        Family(
            "running_sum", ("cumulative_sum", "cumsum", "running_totals"), (values,), running_sum, "floats",
            exact=True, scales=("values",),
        ),
        Family(
            "held_above", ("debounce", "confirmed_alarm", "stays_above"),
            (values, threshold, Argument("count", ("count", "n", "times"), 2, 3, 1, "int", fixable=True)), held_above, "bool", _held,
            scales=("values", "threshold"), degree=0,
        ),
        Family(
            "shifted", ("remove_offset", "subtract_bias", "zero_sensor"),
            (values, Argument("offset", ("offset", "bias", "b"), 0.5, 5, 0.5, fixable=True)), shifted, "floats",
            exact=True, scales=("values", "offset"),
        ),
        Family(
            "amplified", ("apply_gain", "amplify", "scale_signal"),
            (values, Argument("gain", ("gain", "k", "factor"), 1.5, 4, 0.5, fixable=True)), amplified, "floats",
            exact=True, scales=("values",),
        ),
        Family(
            "overshoot_above", ("overshoot", "max_overshoot", "peak_error"),
            (values, Argument("target", ("target", "setpoint", "goal"), 1, 6, 0.5, fixable=True)), overshoot_above, "float",
            exact=True, scales=("values", "target"),
        ),
    )  # fmt: skip


MISTAKES = {
    "exceedances": (lambda values, threshold: sum(v >= threshold for v in values),),
    "alarm_index": (lambda values, threshold: next((i for i, v in enumerate(values) if v >= threshold), -1),),
    "held_above": (
        lambda values, threshold, count: held_above(values, threshold - 0.25, count),
        lambda values, threshold, count: held_above(values, threshold, count + 1),
        lambda values, threshold, count: exceedances(values, threshold) >= count,
    ),
    "window_means": (lambda values, window: window_means(values, window)[:-1],),
    "running_sum": (lambda values: [0.0, *running_sum(values)[:-1]],),
    "trapezoid_sum": (rectangle_sum,),
    "smoothed": (lambda values, alpha: smoothed([0.0, *values], alpha)[1:],),
}
"""Near misses by family: each is wrong on a hidden case of every instance. A quarter lies between two values of the grid."""

FAMILIES = {family.name: replace(family, mistakes=MISTAKES.get(family.name, ())) for family in _families()}
