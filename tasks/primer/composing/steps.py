"""The second and third steps of a composed problem: small functions that are applied to what the family's function returned.

A step is taken into a submission by its source text (`inspect.getsource`), so the truth and the adapter run the same lines; each
function must therefore stand alone. Not here: the families, and the words for a step, which stand in frame.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

GRID = 0.25
TIE = 1e-6


def step_limit(value, low, high):
    """A number limited to a range."""
    return min(max(value, low), high)


def step_affine(value, gain, offset):
    """A number scaled and shifted."""
    return value * gain + offset


def step_magnitude(value):
    """The absolute value."""
    return abs(value)


def step_alarm(value, threshold):
    """Whether a number is strictly above a threshold."""
    return bool(value > threshold)


def step_enough(value, least):
    """Whether a count reaches a number."""
    return bool(value >= least)


def step_choose(value, yes, no):
    """One of two numbers."""
    return yes if value else no


def step_limit_each(values, low, high):
    """Every number of a list limited to a range."""
    return [min(max(value, low), high) for value in values]


def step_largest(values):
    """The largest number of a list."""
    return max(values)


def step_total(values):
    """The sum of a list."""
    return sum(values)


@dataclass(frozen=True)
class Step:
    """A step, the kinds that it joins and how its constants are drawn."""

    function: Callable[..., Any]
    """what it computes"""
    takes: str
    """the kind of result that it is applied to"""
    gives: str
    """the kind of its own result"""
    parameters: tuple[str, ...]
    """names of its constants, as frame.md has them"""
    draw: Callable[[Random, Sequence[Any], bool], tuple[float | int, ...]]
    """(generator, the results so far, whether they are exact) -> constants"""


def grid(value: float) -> float:
    """A number rounded to the grid of the constants."""
    return round(value / GRID) * GRID


def _range(rng: Random, results: Sequence[float], exact: bool) -> tuple[float, float]:
    ordered = sorted(results)
    low, high = grid(ordered[len(ordered) // 4]), grid(ordered[3 * len(ordered) // 4])
    return low, max(high, low + GRID)


def _affine(rng: Random, results: Sequence[float], exact: bool) -> tuple[float, float]:
    return rng.choice((0.5, 2.0, 3.0, 4.0)), rng.choice((1.0, 2.0, 5.0, 10.0))


def _threshold(rng: Random, results: Sequence[float], exact: bool) -> tuple[float]:
    middle = sorted(results)[len(results) // 2]
    return (float(middle),) if exact else (grid(middle) + 0.0625,)


def _least(rng: Random, results: Sequence[int], exact: bool) -> tuple[int]:
    return (sorted(results)[len(results) // 2],)


def _pair(rng: Random, results: Sequence[bool], exact: bool) -> tuple[float, float]:
    yes = rng.choice((1.0, 2.0, 5.0, 10.0))
    return yes, rng.choice((0.0, -1.0, 0.5))


def _flat(rng: Random, results: Sequence[Sequence[float]], exact: bool) -> tuple[float, float]:
    return _range(rng, [value for row in results for value in row], exact)


def _nothing(rng: Random, results: Sequence[Any], exact: bool) -> tuple[()]:
    return ()


STEPS = {
    "limit": Step(step_limit, "float", "float", ("low", "high"), _range),
    "affine": Step(step_affine, "float", "float", ("gain", "offset"), _affine),
    "magnitude": Step(step_magnitude, "float", "float", (), _nothing),
    "alarm": Step(step_alarm, "float", "bool", ("threshold",), _threshold),
    "enough": Step(step_enough, "int", "bool", ("least",), _least),
    "choose": Step(step_choose, "bool", "float", ("yes", "no"), _pair),
    "limit_each": Step(step_limit_each, "floats", "floats", ("low", "high"), _flat),
    "largest": Step(step_largest, "floats", "float", (), _nothing),
    "total": Step(step_total, "floats", "float", (), _nothing),
}


def after(kind: str, taken: Sequence[str]) -> list[str]:
    """The steps that may follow a result of a kind, none twice."""
    return [name for name, step in STEPS.items() if step.takes == kind and name not in taken]


def near_tie(name: str, parameters: Sequence[float], results: Sequence[Any], exact: bool) -> bool:
    """Whether rounding could decide an alarm: a result that isn't exact lies next to the threshold."""
    return name == "alarm" and not exact and any(abs(value - parameters[0]) < TIE for value in results)
