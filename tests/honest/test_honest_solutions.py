"""Honest but odd solutions score as the plain one; one that needs processes is told why it failed."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator

import pytest

from assay.protocol import Reply
from assay.records import Verdict
from assay.sandbox import open_sandbox
from tests.attacks import arena
from tests.attacks.arena import HONEST, Arena, catalogue

REFUSED = HONEST.parent / "refused"
ALL = [dataclasses.replace(candidate, knows_weights=True) for candidate in catalogue(HONEST)]
WANTS_PROCESSES = catalogue(REFUSED)
Ends = dict[str, tuple[Verdict, list[Reply]]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Arena:
    return arena.make(tmp_path_factory.mktemp("arena"))


@pytest.fixture(scope="module")
def ends(made: Arena) -> Iterator[Ends]:
    with open_sandbox(require="none", workers=2) as pool:
        yield made.judge([*ALL, *WANTS_PROCESSES], pool)


def _end(verdict: Verdict) -> tuple[object, ...]:
    return verdict.outcome, verdict.score, verdict.passed, verdict.failure_mode, verdict.metrics, verdict.gates, verdict.events


def test_there_are_many() -> None:
    assert len(ALL) >= 26
    assert b"\r\n" in (HONEST / "crlf.py").read_bytes()
    assert b"\n" not in (HONEST / "old_mac.py").read_bytes()
    assert (HONEST / "byte_order_mark.py").read_bytes().startswith(b"\xef\xbb\xbf")
    assert b"\n\t" in (HONEST / "tabs.py").read_bytes()


@pytest.mark.parametrize("candidate", ALL, ids=lambda candidate: candidate.name)
def test_it_scores_as_the_plain_one(ends: Ends, candidate: arena.Candidate) -> None:
    verdict, replies = ends[candidate.name]
    assert verdict.notes == (), "its author was told of a failure"
    assert _end(verdict) == _end(ends["plain"][0])
    assert verdict.score == 1.0
    assert len(replies) == 2, "the twin ran too"


@pytest.mark.parametrize("candidate", WANTS_PROCESSES, ids=lambda candidate: candidate.name)
def test_one_that_wants_processes_is_a_candidate_fault(ends: Ends, candidate: arena.Candidate) -> None:
    verdict, _ = ends[candidate.name]
    assert (verdict.outcome, verdict.score, verdict.failure_mode) == ("candidate_fault", 0.0, "exception")
    assert re.fullmatch(r"call 0 raised (Permission|FileNotFound)Error at line \d+.*", verdict.notes[0])


@pytest.mark.parametrize("candidate", WANTS_PROCESSES, ids=lambda candidate: candidate.name)
def test_one_that_wants_processes_is_told_why(ends: Ends, candidate: arena.Candidate) -> None:
    assert ends[candidate.name][0].notes[0].endswith(": new processes aren't allowed here")


def test_what_they_print_is_kept_from_the_verdict(ends: Ends) -> None:
    verdict, replies = ends["prints"]
    assert all("score: 1.0" in reply.stdout and "done \ufffd" in reply.stdout for reply in replies)
    assert "progress 50%" in replies[0].stderr
    assert "score: 1.0" not in repr(verdict)
