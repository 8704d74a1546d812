"""The hidden cases on our side: what the candidate is called with, and whether what came back is right.

Comparison is exact for truth values and counts, and |a - b| <= absolute + relative |b| for numbers (`thresholds` of task.yaml). NaN
equals nothing. No expected value leaves this side. Not here: how often and in which order the cases are run (verifier.py).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay import canonical
from assay.protocol import Call, Problem, Returns

LONGEST = 10_000
_LARGEST = 1 << 64  # no expected value is near it, and a larger int may have no float


@dataclass(frozen=True)
class Book:
    """The hidden cases of one instance."""

    function: str
    """what the submission must define"""
    returns: str
    """float, int, bool or floats"""
    arguments: tuple[tuple[Any, ...], ...]
    """of each case, by position"""
    expected: tuple[Any, ...]
    """of each case"""
    scale: Mapping[str, Any] | None
    """positions of arguments that scale together, and the degree; None where nothing is promised"""


def read(problem: Problem) -> Book:
    """The cases of an instance."""
    book = canonical.loads((problem.private / "cases.json").read_text(encoding="utf-8"))
    arguments = tuple(tuple(case["arguments"]) for case in book["cases"])
    return Book(book["function"], book["returns"], arguments, tuple(case["expected"] for case in book["cases"]), book["scale"])


def contract(book: Book) -> Returns:
    """What a call must return; a list may come in any length, so that a wrong one is a wrong answer."""
    return Returns(kind=book.returns, at_most=LONGEST)  # type: ignore[arg-type]


def calls(book: Book) -> tuple[Call, ...]:
    """One call a case."""
    return tuple(Call(function=book.function, arguments=arguments, returns=contract(book)) for arguments in book.arguments)


def close(given: Any, wanted: Any, *, relative: float, absolute: float) -> bool:
    """Whether two values of one kind agree: exactly for bool and int, within a tolerance for numbers, element by element."""
    if isinstance(wanted, list | np.ndarray):
        row = np.asarray(given)
        if row.shape != (len(wanted),):
            return False
        return all(close(float(a), float(b), relative=relative, absolute=absolute) for a, b in zip(row, wanted, strict=True))
    if isinstance(wanted, bool):
        return bool(given) is wanted
    if isinstance(given, int) and abs(given) > _LARGEST:
        return False
    return math.isfinite(given) and abs(given - wanted) <= absolute + relative * abs(wanted)


def right(book: Book, values: Sequence[Any], thresholds: Mapping[str, float]) -> list[bool]:
    """Whether each case was answered rightly; a count must be met exactly."""
    relative, absolute = thresholds["relative"], thresholds["absolute"]
    if book.returns in ("int", "bool"):
        relative = absolute = 0.0
    return [close(a, b, relative=relative, absolute=absolute) for a, b in zip(values, book.expected, strict=True)]
