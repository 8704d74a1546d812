"""Each candidate of the catalogue, judged in the real sandbox: it scores 0, ends as its head says, and the host stays as it was.

Not covered: holes in the kernel, and what one can learn from the time that things take.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from assay.protocol import Reply
from assay.records import Verdict
from assay.sandbox import host, open_sandbox
from assay.sandbox.probe import descendants
from tests.attacks import arena, skirmish
from tests.attacks.arena import CANDIDATES, Arena, Candidate, catalogue, complaints
from tests.attacks.traces import Traces, traces

ALL = catalogue(CANDIDATES)
FAMILIES = {"resources", "escape", "spoofing", "lying", "leaks", "nondeterminism", "leftovers", "judge"}


@dataclass(frozen=True)
class Battle:
    """All verdicts of one sandbox, and the host before and after it."""

    made: Arena
    isolation: str
    ends: dict[str, tuple[Verdict, list[Reply]]]
    before: Traces
    after: Traces
    running: list[int]


def fight(folder: Path, candidates: list[Candidate]) -> Battle:
    """Judge candidates, an honest one before and behind them, and look at the host before and after."""
    made = arena.make(folder)
    control = [skirmish.control(made, name) for name in ("control/first", "control/last")]
    before = traces(())
    with open_sandbox(require="none", workers=2) as pool:
        first = made.judge(control[:1], pool)
        ends = made.judge(candidates, pool) | first | made.judge(control[1:], pool)
        running = descendants(pool)
        uids = [host.uid_for(zygote.plan.number) for slot in pool.slots for zygote in slot.zygotes.values()]
    return Battle(made, pool.isolation, ends, before, traces(uids), running)


@pytest.fixture(scope="module")
def battle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Battle]:
    with open_sandbox(require="none") as pool:
        if pool.isolation[0] not in "ABC":
            pytest.skip(f"this host only reaches {pool.isolation}")
    yield fight(tmp_path_factory.mktemp("arena"), ALL)


def test_the_catalogue_is_whole() -> None:
    assert len(ALL) >= 64
    assert {candidate.family for candidate in ALL} == FAMILIES
    assert all(candidate.must for candidate in ALL)
    assert len({candidate.source for candidate in ALL}) == len(ALL)


@pytest.mark.parametrize("candidate", ALL, ids=lambda candidate: candidate.name)
def test_an_attack_scores_nothing_and_ends_as_it_must(battle: Battle, candidate: Candidate) -> None:
    if battle.isolation[0] not in candidate.levels:
        pytest.skip(f"meant for the levels {candidate.levels}")
    assert complaints(candidate, *battle.ends[candidate.name], battle.made.token) == []


def test_honest_work_is_scored_before_and_behind_them(battle: Battle) -> None:
    ends = [battle.ends[f"control/{name}"][0] for name in ("first", "last")]
    assert [(verdict.outcome, verdict.score, verdict.events) for verdict in ends] == [("scored", 1.0, ())] * 2


def test_what_was_hidden_was_really_there(battle: Battle) -> None:
    hidden = battle.made.problems["secret"].private / "hidden.json"
    assert battle.made.token in hidden.read_text()
    assert not list(battle.made.problems["secret"].public.iterdir())


def test_the_host_is_as_it_was(battle: Battle) -> None:
    assert battle.running == []
    assert battle.after.new_since(battle.before) == {}


ODD_SOURCES = {
    "empty": "",
    "null byte": "\0",
    "nested minus": "x = " + "-" * 100_000 + "1",
    "long chain": "def g():\n    a" + ".b" * 100_000,
    "deep brackets": "x = " + "(" * 5_000 + ")" * 5_000,
    "long sum": "x = " + "+".join(["1"] * 200_000),
    "blank lines": "\n" * 1_000_000,
    "half a character": "x = '\ud800'",
}
"""submissions that are hard to read, each with a function behind it that answers wrongly"""


@pytest.mark.parametrize("name", ODD_SOURCES)
def test_a_source_that_is_hard_to_read_is_the_candidates_fault(tmp_path: Path, name: str) -> None:
    source = ODD_SOURCES[name] + "\n\ndef f(x):\n    return 0.0\n"
    candidate = Candidate(name, source, frozenset({"syntax_error", "wrong_answer"}), "float", arena.ROOMY, "", False, "ABC")
    made = arena.make(tmp_path)
    with open_sandbox(require="none") as pool:
        assert complaints(candidate, *made.judge([candidate], pool)[name], made.token) == []
