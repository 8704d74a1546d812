"""The families of p03, which no model is trained on: other kinds of problem than those of p01 and p02.

Each truth is the equation of its docstring in plain Python. Not covered: anything that p01 or p02 has under another name.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import Any

from tasks.primer.composing.composer import Argument, Family


def mode_switch(values: list[float], jump: float) -> int:
    """The first i >= 1 with |v[i] - v[i-1]| > jump, else -1."""
    return next((i for i in range(1, len(values)) if abs(values[i] - values[i - 1]) > jump), -1)


def kalman_mean(x: float, p: float, z: float, r: float) -> float:
    """x + p / (p + r) (z - x): a measurement z of variance r, a prior x of variance p."""
    return x + p / (p + r) * (z - x)


def huber(error: float, delta: float) -> float:
    """e^2 / 2 where |e| <= delta, else delta (|e| - delta / 2)."""
    size = abs(error)
    return 0.5 * size * size if size <= delta else delta * (size - 0.5 * delta)


def mean_squared(values: list[float]) -> float:
    """mean of v^2."""
    return sum(v * v for v in values) / len(values)


def on_share(states: list[int]) -> float:
    """share of ones among zeros and ones."""
    return states.count(1) / len(states)


def forward_command(velocity: float, acceleration: float, kv: float, ka: float) -> float:
    """kv v + ka a."""
    return kv * velocity + ka * acceleration


def swing(values: list[float]) -> float:
    """max - min."""
    return max(values) - min(values)


def two_point(temperature: float, low: float, high: float, heating: bool) -> bool:
    """True below low, False above high, else as before."""
    return True if temperature < low else False if temperature > high else heating


def sign_changes(values: list[float]) -> int:
    """How many neighbours have a negative product."""
    return sum(a * b < 0 for a, b in itertools.pairwise(values))


def quantised(x: float, step: float) -> float:
    """step floor(x / step)."""
    return step * math.floor(x / step)


def logistic(x: float) -> float:
    """1 / (1 + exp(-x))."""
    return 1.0 / (1.0 + math.exp(-x))


def _jump_edges(values: list[float], jump: float) -> list[dict[str, Any]]:
    calm = [0.25 * (i % 2) for i in range(len(values))]
    return [
        {"values": [*calm, calm[-1] + jump]},
        {"values": [*calm, calm[-1] - jump, 50.0]},
        {"values": [*calm, calm[-1] + jump + 0.25]},
        {"values": [50.0, *calm]},
        {"values": calm},
    ]


def _huber_edges(error: float, delta: float) -> list[dict[str, Any]]:
    return [{"error": delta}, {"error": -delta}, {"error": delta / 2}, {"error": -delta - 2}]


def _two_point_edges(temperature: float, low: float, high: float, heating: bool) -> list[dict[str, Any]]:
    places = (low, high, low - 0.5, high + 0.5, (low + high) / 2)
    return [{"temperature": place, "heating": on} for place in places for on in (True, False)]


def _zero_edges(values: list[float]) -> list[dict[str, Any]]:
    return [{"values": [0.0, *values]}, {"values": [1.0, 0.0, -1.0, 1.0]}, {"values": [abs(v) + 1 for v in values]}]


def _step_edges(x: float, step: float) -> list[dict[str, Any]]:
    return [{"x": 3 * step}, {"x": -2 * step}, {"x": -1.5 * step}]


def _families() -> tuple[Family, ...]:
    values = Argument("values", ("values", "data", "signal", "samples"), -8, 8, 0.5, length=(5, 8))
    number = Argument("x", ("x", "value", "u"), -6, 6)
    return (
        Family(
            "mode_switch", ("regime_change", "find_jump", "change_point"),
            (values, Argument("jump", ("jump", "limit", "threshold"), 4, 9, 0.5, fixable=True)), mode_switch, "int", _jump_edges,
            exact=True, scales=("values", "jump"), degree=0,
        ),
        Family(
            "kalman_mean", ("kalman_update", "fuse", "bayes_update"),
            (
                Argument("x", ("x", "estimate", "prior"), -8, 8), Argument("p", ("p", "variance", "P"), 0.5, 4, 0.5, fixable=True),
                Argument("z", ("z", "measurement", "y"), -8, 8), Argument("r", ("r", "noise", "R"), 0.5, 4, 0.5, fixable=True),
            ),
            kalman_mean, "float", scales=("x", "z"),
        ),
        Family(
            "huber", ("huber_loss", "robust_loss", "smooth_l1"),
            (Argument("error", ("error", "e", "residual"), -8, 8), Argument("delta", ("delta", "d", "limit"), 1, 4, 0.5, fixable=True)),
            huber, "float", _huber_edges, exact=True, scales=("error", "delta"), degree=2,
        ),
        Family(
            "mean_squared", ("mse", "mean_squared_error", "squared_loss"),
            (Argument("values", ("errors", "residuals", "values"), -8, 8, 0.5, length=(4, 7)),), mean_squared, "float",
            scales=("values",), degree=2,
        ),
        Family(
            "on_share", ("duty_cycle", "on_fraction", "duty"),
            (Argument("states", ("states", "pwm", "signal"), 0, 1, 1, "int", length=(5, 9)),), on_share, "float",
        ),
        Family(
            "forward_command", ("feed_forward", "feedforward", "ff_control"),
            (
                Argument("velocity", ("velocity", "v", "speed"), -8, 8), Argument("acceleration", ("acceleration", "a", "acc"), -8, 8),
                Argument("kv", ("kv", "v_gain"), 0.5, 4, fixable=True), Argument("ka", ("ka", "a_gain"), 0.5, 4, fixable=True),
            ),
            forward_command, "float", exact=True, scales=("velocity", "acceleration"),
        ),
        Family("swing", ("peak_to_peak", "value_range", "spread"), (values,), swing, "float", exact=True, scales=("values",)),
        Family(
            "two_point", ("thermostat", "heater_on", "hysteresis"),
            (
                Argument("temperature", ("temperature", "temp", "t"), 10, 30, 0.5),
                Argument("low", ("low", "t_low", "lower"), 15, 18, 0.5, fixable=True),
                Argument("high", ("high", "t_high", "upper"), 20, 24, 0.5, fixable=True),
                Argument("heating", ("heating", "is_on", "on"), 0, 1, 1, "bool"),
            ),
            two_point, "bool", _two_point_edges,
        ),
        Family(
            "sign_changes", ("zero_crossings", "count_crossings", "num_sign_changes"), (values,), sign_changes, "int", _zero_edges,
            exact=True, scales=("values",), degree=0,
        ),
        Family(
            "quantised", ("quantize", "quantize_down", "round_down"),
            (number, Argument("step", ("step", "resolution", "q"), 0.5, 2, 0.5, fixable=True)), quantised, "float", _step_edges,
            scales=("x", "step"),
        ),
        Family("logistic", ("sigmoid", "squash", "probability"), (number,), logistic, "float"),
    )  # fmt: skip


MISTAKES = {
    "mode_switch": (
        lambda values, jump: next((i for i in range(1, len(values)) if abs(values[i] - values[i - 1]) >= jump), -1),
        lambda values, jump: next((i for i in range(1, len(values)) if values[i] - values[i - 1] > jump), -1),
    ),
    "kalman_mean": (lambda x, p, z, r: x + r / (p + r) * (z - x),),
    "huber": (lambda error, delta: 0.5 * error**2, lambda error, delta: delta * (abs(error) - 0.5 * delta)),
    "two_point": (
        lambda temperature, low, high, heating: temperature <= low or (heating and temperature <= high),
        lambda temperature, low, high, heating: temperature < low or (heating and temperature < high),
        lambda temperature, low, high, heating: temperature < low,
    ),
    "sign_changes": (lambda values: sum(a * b <= 0 for a, b in itertools.pairwise(values)),),
    "quantised": (lambda x, step: step * int(x / step), lambda x, step: step * round(x / step)),
    "logistic": (lambda x: 1.0 / (1.0 + math.exp(x)),),
}
"""Near misses by family: each is wrong on a hidden case of every instance."""

FAMILIES = {family.name: replace(family, mistakes=MISTAKES.get(family.name, ())) for family in _families()}
