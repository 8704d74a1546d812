"""Descriptors of submissions that can't be read: our side says something neutral and goes on."""

from __future__ import annotations

import pytest

from tasks.cps import descriptors as cps
from tasks.primer import descriptors as primer

ODD = {
    "not python": "def f(:",
    "null byte": "x = 1\0",
    "half a character": "x = '\ud800'",
    "long sum": "x = " + "+".join(["1"] * 200_000),
    "nested minus": "x = " + "-" * 100_000 + "1",
    "long chain": "def g():\n    a" + ".b" * 100_000,
    "deep brackets": "x = " + "(" * 5_000 + ")" * 5_000,
}


@pytest.mark.parametrize("name", ODD)
def test_a_source_that_is_hard_to_read_has_neutral_descriptors(name: str) -> None:
    assert cps.of_code(ODD[name]) == cps.NEUTRAL
    assert cps.describe(ODD[name], {}) == cps.NEUTRAL | {"skill": 0, "spread": 0}
    assert primer.describe(ODD[name]) is None


def _at_depth(depth: int, source: str) -> dict[str, str | int]:
    return cps.of_code(source) if depth == 0 else _at_depth(depth - 1, source)


def test_where_little_stack_is_left_it_is_neutral_or_right() -> None:
    source = "x = " + "+".join(["1"] * 100)
    assert _at_depth(0, source)["family"] == "direct"
    for depth in range(700, 960, 20):
        assert _at_depth(depth, source) in (cps.NEUTRAL, cps.of_code(source))


def test_a_strange_escape_warns_nobody() -> None:
    assert cps.of_code(r"x = '\d'")["style"] == "vectorised"
    assert primer.describe(r"x = '\d'") is not None
