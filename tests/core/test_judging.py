"""Verdicts: three ends, no failure of ours is a score, identical submissions are judged once."""

from __future__ import annotations

import dataclasses
import textwrap
import threading
from pathlib import Path

import pytest

from assay import catalog, instances, judging
from assay.errors import AssayError, SandboxFault
from assay.judging import Job
from assay.protocol import Program, Reply
from assay.records import Verdict
from assay.store import Store

VERIFIER = """
from assay.protocol import Call, CandidateFault, Judgement, Program, Returns
from assay.records import Gate

def verify(problem, submission, run, mode):
    if submission == "bug":
        raise KeyError("a bug of the judge")
    if submission == "leaves":
        raise SystemExit(0)
    if submission == "too good":
        return Judgement(score=1.5, gates=(), metrics={})
    reply = run(Program(source=submission, calls=(Call("f", (), Returns("float")),)))
    (value,) = reply.answers()
    gate = Gate("big", value > 0, value, 0.0)
    return Judgement(score=min(value, 1.0) if value > 0 else 1.0, gates=(gate,), metrics={"value": value, "odd": float("nan")})
"""
GENERATE = """
from assay.protocol import Draft
def generate(seed, difficulty, public, private):
    (private / "x.json").write_text(str(seed))
    return Draft(prompt=f"Problem {seed}", family="one")
"""
TASK = """
id: toy
title: Toy
kind: solution
contract: {}
difficulties: {easy: {}}
reference: {full: [1, 1]}
"""


class FakeSandbox:
    """Answers what the source says; "dead" is a sandbox that fails, "flaky" one that fails once."""

    workers = 2
    isolation = "A: nothing is real"

    def __init__(self) -> None:
        self.runs: list[str] = []
        self._lock = threading.Lock()

    def run(self, program: Program) -> Reply:
        with self._lock:
            self.runs.append(program.source)
            count = self.runs.count(program.source)
        if program.source == "dead" or (program.source == "flaky" and count == 1):
            raise SandboxFault("gone")
        if program.source == "crash":
            return Reply((), "crashed", "it crashed", "", "", 0.0, 0.0, self.isolation)
        return Reply((float(program.source) if program.source != "flaky" else 1.0,), "", "", "", "", 0.0, 0.0, self.isolation)

    def close(self) -> None:
        pass


@pytest.fixture
def jobs(tmp_path: Path):
    folder = tmp_path / "tasks" / "domain" / "toy"
    folder.mkdir(parents=True)
    (folder.parent / "verifier.py").write_text(textwrap.dedent(VERIFIER))
    (folder / "task.yaml").write_text(TASK)
    (folder / "generate.py").write_text(GENERATE)
    (folder / "judge.py").write_text("")
    task = catalog.scan(tmp_path / "tasks")["toy"]
    row = instances.make(task, seed=1, difficulty="easy", split="train", folder=tmp_path / "made")
    problem = instances.problem(task, seed=1, difficulty="easy", folder=tmp_path / "made")

    def make(*submissions: str | None) -> list[Job]:
        return [Job(f"a{at}", task, problem, row.content_sha, text) for at, text in enumerate(submissions)]

    return make


def one(job: Job, sandbox: FakeSandbox) -> Verdict:
    return judging.judge(job, sandbox)


def test_the_three_ends(jobs) -> None:
    scored, failed_gate, none, crash, dead, bug = (
        one(job, FakeSandbox()) for job in jobs("1.0", "-1.0", None, "crash", "dead", "bug")
    )
    assert (scored.outcome, scored.score, scored.passed, scored.failure_mode) == ("scored", 1.0, True, "")
    assert (failed_gate.outcome, failed_gate.score, failed_gate.passed, failed_gate.failure_mode) == (
        "scored",
        0.0,
        False,
        "gate_failed",
    )
    assert (none.outcome, none.failure_mode) == ("candidate_fault", "no_code")
    assert (crash.outcome, crash.failure_mode, crash.notes) == ("candidate_fault", "crashed", ("it crashed",))
    assert (dead.outcome, dead.failure_mode, len(dead.events)) == ("harness_fault", "harness", 3)
    assert (bug.outcome, len(bug.events)) == ("harness_fault", 1)
    assert "a bug of the judge" in bug.events[0]


def test_a_judge_that_leaves_is_our_fault_and_ends_nothing(jobs) -> None:
    verdicts = judging.judge_all(jobs("leaves", "1.0"), FakeSandbox())
    assert [verdict.outcome for verdict in verdicts] == ["harness_fault", "scored"]
    assert verdicts[0].events == ("try 1: the judge raised SystemExit: 0",)


def test_an_engine_is_closed_when_its_caller_fails(jobs) -> None:
    closed = []

    def engine(waiting):
        try:
            for key, job in waiting.items():
                yield key, judging.judge(job, FakeSandbox())
        finally:
            closed.append(True)

    def fail(_: Verdict) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        judging.judge_with(engine, jobs("1.0", "0.5"), "A", on_done=fail)
    assert closed == [True]


def test_a_verdict_is_the_same_after_text(jobs) -> None:
    for verdict in judging.judge_all(jobs("1.0", "crash", "dead", None), FakeSandbox()):
        assert judging.loads(judging.dumps(verdict)) == verdict


def test_a_partial_score_below_the_pass_score_does_not_pass(jobs) -> None:
    verdict = one(jobs("0.5")[0], FakeSandbox())
    assert (verdict.outcome, verdict.score, verdict.passed) == ("scored", 0.5, False)


def test_a_score_out_of_range_is_our_fault(jobs) -> None:
    assert one(jobs("too good")[0], FakeSandbox()).outcome == "harness_fault"


def test_a_sandbox_that_fails_once_is_tried_again(jobs, caplog: pytest.LogCaptureFixture) -> None:
    verdict = one(jobs("flaky")[0], FakeSandbox())
    assert verdict.passed and verdict.events == ("the metric odd isn't finite",), "a retry that helped must not change the table"
    assert "try 1: the sandbox failed: gone" in caplog.text


def test_a_metric_that_is_not_finite_is_null_and_raises_a_flag(jobs) -> None:
    verdict = one(jobs("1.0")[0], FakeSandbox())
    assert verdict.metrics == '{"odd":null,"value":1.0}'
    assert verdict.events == ("the metric odd isn't finite",)


def test_identical_submissions_are_judged_once_and_never_again(jobs, tmp_path: Path) -> None:
    sandbox = FakeSandbox()
    wanted = jobs("1.0", "1.0", "0.25", "dead")
    with Store(tmp_path / "store.sqlite") as store:
        first = judging.judge_all(wanted, sandbox, store)
        assert sorted(sandbox.runs) == ["0.25", "1.0", "dead", "dead", "dead"]
        assert [verdict.attempt_id for verdict in first] == ["a0", "a1", "a2", "a3"]
        again = judging.judge_all(wanted, sandbox, store)
    assert sandbox.runs.count("dead") == 6, "a harness fault is never stored"
    assert sandbox.runs.count("1.0") == 1
    assert again == first


def test_the_key_changes_with_everything_that_matters(jobs, tmp_path: Path) -> None:
    job = jobs("1.0")[0]
    shas = {
        judging.judge_sha(job, "A: x"),
        judging.judge_sha(job, "C: x"),
        judging.judge_sha(dataclasses.replace(job, mode="smoke"), "A: x"),
        judging.judge_sha(dataclasses.replace(job, content_sha="other"), "A: x"),
    }
    assert len(shas) == 4
    assert judging.judge_sha(job, "A: x") == judging.judge_sha(job, "A: x")


def test_ends_that_do_not_add_up_are_said(jobs) -> None:
    verdicts = judging.judge_all(jobs("1.0", "crash", "dead"), FakeSandbox())
    assert str(judging.tally(3, verdicts)) == "requested 3 = scored 1 + candidate faults 1 + harness faults 1"
    with pytest.raises(AssayError, match="don't add up"):
        judging.tally(4, verdicts)
