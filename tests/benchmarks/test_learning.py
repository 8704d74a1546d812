"""What is kept of `make learning`: its shape, that the README says the same, and how a report is made."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.evaluation import Trial
from benchmarks import learning

ROOT = Path(__file__).resolve().parents[2]
KEPT = json.loads((ROOT / "metrics" / "learning.json").read_text(encoding="utf-8"))


def test_the_kept_metrics_have_every_number() -> None:
    assert len(KEPT["seeds"]) >= 3
    for group in learning.GROUPS:
        for name in KEPT["rounds"]:
            rate = KEPT[group][name]
            assert set(rate) == {"pass1", "low", "high", "n"}
            assert 0 <= rate["low"] <= rate["pass1"] <= rate["high"] <= 1 and rate["n"] > 100
        assert set(KEPT[group]["paired_difference"]) == {"mean", "low", "high"}


def test_it_learnt_on_held_out_instances() -> None:
    assert KEPT["held_out_instances"]["paired_difference"]["low"] > 0


def test_the_readme_says_what_was_measured() -> None:
    assert learning.markdown(KEPT) in (ROOT / "README.md").read_text(encoding="utf-8")


def trials(shift: int, passes: int) -> list[Trial]:
    return [Trial(f"t-easy-{shift}-{number}", 0, f"t/f{number % 5}", number < passes, 0.0) for number in range(20)]


def one(shift: int, before: int, after: int) -> dict[str, dict[str, list[Trial]]]:
    return {
        name: dict.fromkeys(learning.GROUPS, trials(shift, passes))
        for name, passes in {"base": before, "r00": before, "r01": after}.items()
    }


def test_seeds_are_pooled_and_compared_in_pairs() -> None:
    document = learning.report({0: one(0, 4, 10), 1: one(1000, 6, 12)})
    found = document["held_out_instances"]
    assert isinstance(found, dict)
    assert found["base"]["pass1"] == 0.25 and found["base"]["n"] == 40
    assert found["paired_difference"]["mean"] == pytest.approx(0.3)
    assert found["by_seed"]["1"]["r01"] == 0.6
