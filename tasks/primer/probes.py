"""Structural probes of a primer function: properties that an honest answer has whatever the task, measured in the twin process.

They are metrics and never gates: the candidate's process could lie about them, and a right answer stays right without them. A probe
that doesn't apply to an instance, or wasn't answered, is null. Not here: determinism across processes, which the verifier demands,
and inputs left as they were, which the sandbox demands of every call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.protocol import Call
from tasks.primer import cases

NAMES = ("probe_repeatable", "probe_integers", "probe_scale")
FACTOR = 2
"""the scale; a power of two, so that scaling has no rounding"""
TOLERANCE = 1e-9


def calls(book: cases.Book) -> tuple[Call, ...]:
    """The first case again, with whole numbers as int, and scaled as its family promises: in the order of NAMES."""
    first = book.arguments[0]
    asked = (first, as_integers(first), scaled(book, first))
    return tuple(Call(function=book.function, arguments=given, returns=cases.contract(book)) for given in asked)


def as_integers(value: Any) -> Any:
    """A value with whole floats as int, at any depth."""
    if isinstance(value, tuple | list):
        return type(value)(as_integers(part) for part in value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def scaled(book: cases.Book, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments with those that scale together multiplied by FACTOR; unchanged where nothing is promised."""
    places = book.scale["positions"] if book.scale else []
    return tuple(_times(value) if place in places else value for place, value in enumerate(arguments))


def _times(value: Any) -> Any:
    return [FACTOR * part for part in value] if isinstance(value, list) else FACTOR * value


def measure(book: cases.Book, values: Sequence[Any]) -> dict[str, float | int | None]:
    """Every probe as 1, 0 or null, from the answers to `calls`."""
    found: dict[str, float | int | None] = dict.fromkeys(NAMES)
    wanted = book.expected[0]
    power = FACTOR ** book.scale["degree"] if book.scale else 1
    aims = (wanted, wanted, wanted if power == 1 else _scaled_result(wanted, power))
    for name, value, aim in zip(NAMES, values, aims, strict=False):
        found[name] = int(cases.close(value, aim, relative=TOLERANCE, absolute=TOLERANCE))
    if book.scale is None:
        found["probe_scale"] = None
    return found


def _scaled_result(wanted: Any, power: int) -> Any:
    return [power * part for part in wanted] if isinstance(wanted, list) else power * wanted
