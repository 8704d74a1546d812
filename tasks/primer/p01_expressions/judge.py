"""What p01 asks of a candidate, and which answers are right; the verifier runs it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.protocol import Call, Problem
from tasks.primer import cases


def book(problem: Problem) -> cases.Book:
    return cases.read(problem)


def calls(hidden: cases.Book) -> tuple[Call, ...]:
    return cases.calls(hidden)


def right(problem: Problem, hidden: cases.Book, values: Sequence[Any]) -> list[bool]:
    return cases.right(hidden, values, problem.thresholds)
