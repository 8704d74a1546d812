"""The pool, corrections, rewards and the estimates."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import correction, evaluation, pool, review, rewards
from assay.errors import InputError
from assay.evaluation import Trial
from assay.pool import Candidate, Rules
from assay.records import Attempt, Gate, Instance, Lesson, Message, Reward, Verdict

RULES = Rules(top_k=2, family_cap=3, decay=0.5, corrections=True, max_tokens=100, seed=0)


def attempt(name: str, instance: str = "i0", code: str | None = None, **changes: object) -> Attempt:
    code = code if code is not None else f"def f(x):\n    return x + {sum(map(ord, name))}\n"
    messages = (Message("system", "s"), Message("user", instance))
    row = Attempt(name, instance, "r00", 0, "model", None, "m", 0, messages, "text", 3, "stop", code, "fenced")
    return dataclasses.replace(row, **changes)


def verdict(name: str, passed: bool = True, **changes: object) -> Verdict:
    mode = "" if passed else "wrong_answer"
    row = Verdict(name, "scored", float(passed), passed, mode, (), "{}", (), (), "A", "s")
    return dataclasses.replace(row, **changes)


def candidate(
    name: str, instance: str = "i0", passed: bool = True, split: str = "train", family: str = "fam", **changes: object
) -> Candidate:
    score = 1.0 if passed else 0.0
    return Candidate(
        attempt=attempt(name, instance, **changes),
        verdict=verdict(name, passed),
        reward=Reward(name, score, None, None, None, None, score),
        instance=Instance(instance, "t", "d", family, 0, "easy", split, instance, "sha"),  # type: ignore[arg-type]
    )


def count(messages: object) -> tuple[int, int]:
    return 10, 4


def made(candidates: list[Candidate], earlier: list[Lesson] | None = None, rules: Rules = RULES) -> pool.Pool:
    return pool.make(candidates, earlier or [], rules, count, "r00")


def test_every_row_is_in_or_counted() -> None:
    rows = [
        *(candidate(f"a{number}") for number in range(4)),
        candidate("failed", passed=False),
        candidate("held", "i9", split="eval"),
        dataclasses.replace(candidate("ours", "i1"), verdict=verdict("ours", False, outcome="harness_fault"), reward=None),
    ]
    result = made(rows)
    assert len(result.lessons) == 2
    assert result.left_out == {
        "beyond top_k of its instance": 2,
        "earlier lesson not drawn": 0,
        "evaluation instance": 1,
        "harness fault": 1,
        "score 0": 1,
    }
    assert len(result.lessons) + sum(result.left_out.values()) == len(rows)
    assert all(lesson.trained_tokens == 4 and lesson.messages[-1].role == "assistant" for lesson in result.lessons)


def test_a_near_duplicate_teaches_once() -> None:
    twins = [
        candidate("a", code="def f(x):\n    return x + 1\n"),
        candidate("b", code="def f(y):\n    # the same\n    return y + 1\n"),
        candidate("c", code='def f(x):\n    """Doc."""\n    return (x + 1)\n'),
    ]
    result = made(twins)
    assert len(result.lessons) == 1 and result.left_out["near-duplicate of a better one"] == 2
    assert pool.normalized("def f(x):\n    return x + 1") != pool.normalized("def f(x):\n    return x - 1")
    assert pool.normalized("not python (") == "not python ("


@pytest.mark.parametrize(
    "code", ["def f(x):\n    return " + "-" * 6000 + "x\n", "def f(x):\n    return " + "not " * 7000 + "x\n", "x = '\\d'\n"]
)
def test_code_that_is_hard_to_parse_stops_nothing(code: str) -> None:
    assert pool.normalized(code)
    assert made([candidate("a", code=code), candidate("b", passed=False, code=code)]).left_out["score 0"] == 1


def test_a_family_is_capped_and_order_does_not_matter() -> None:
    rows = [candidate(f"a{number}", f"i{number}") for number in range(6)]
    assert made(rows) == made(rows[::-1])
    assert len(made(rows).lessons) == 3


def test_a_long_conversation_is_left_out() -> None:
    result = pool.make([candidate("a")], [], RULES, lambda _: (101, 4), "r00")
    assert result.lessons == () and result.left_out["longer than max_tokens"] == 1


def test_earlier_lessons_return_by_half_and_drawn() -> None:
    earlier = list(made([candidate(f"a{n}", f"i{n}", family=f"f{n}") for n in range(8)]).lessons)
    result = pool.make([candidate("new", "j", family="other")], earlier, RULES, count, "r01")
    returned = [lesson for lesson in result.lessons if lesson.why.startswith("earlier round: ")]
    assert len(returned) == 4 and result.left_out["earlier lesson not drawn"] == 4
    assert {lesson.lesson_id.split("/")[0] for lesson in result.lessons} == {"r01"}
    drawn = [pool.make([], earlier, dataclasses.replace(RULES, seed=seed), count, "r01").lessons for seed in range(5)]
    assert len(set(drawn)) > 1, "the seed draws them, not their order"


def test_a_correction_teaches_only_when_it_beats_its_parent() -> None:
    parent = candidate("p", passed=False)
    child = candidate("c", source="correction", parent_id="p", messages=correction.conversation(parent.attempt, parent.verdict))
    assert made([parent, child]).left_out["correction that doesn't beat its parent"] == 1
    lesson = made([parent, dataclasses.replace(child, beats_parent=True)]).lessons[0]
    assert lesson.kind == "correction" and [message.role for message in lesson.messages] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
    ]


def test_feedback_says_what_failed() -> None:
    failed = verdict("p", False, notes=("3 of 9 cases are right",), gates=(Gate("cases", False, 0.3, 1.0),))
    text = correction.conversation(attempt("p"), failed)[-1].content
    assert "3 of 9 cases are right" in text and "the gate cases isn't met" in text and "{feedback}" not in text


def test_corrections_go_to_unsolved_instances_once_each() -> None:
    rows = [attempt("a", "i0"), attempt("b", "i0"), attempt("c", "i1"), attempt("d", "i2"), attempt("e", "i3", submission=None)]
    verdicts = [verdict(row.attempt_id, passed=row.attempt_id == "c") for row in rows]
    verdicts[3] = verdict("d", False, outcome="harness_fault")
    chosen = correction.choose(rows, verdicts, 10, 0)
    assert [row.instance_id for row, _ in chosen] == ["i0"]
    assert correction.choose(rows, verdicts, 0, 0) == []


def test_a_correction_must_beat_by_the_margin() -> None:
    assert correction.beats(verdict("c"), verdict("p", False), 0.5)
    assert not correction.beats(verdict("c", False, score=0.4), verdict("p", False), 0.5)
    assert not correction.beats(verdict("c", outcome="harness_fault"), verdict("p", False), 0.5)


@given(st.floats(0, 1), st.none() | st.floats(0, 1))
def test_a_failing_attempt_earns_nothing(score: float, normalized: float | None) -> None:
    value = rewards.combined(score, normalized)
    assert 0 <= value <= 1
    assert score > 0 or value == 0
    if normalized is None:
        assert value == score


def test_a_harness_fault_has_no_reward() -> None:
    with pytest.raises(ValueError, match="a harness fault has no reward"):
        rewards.reward(verdict("a", False, outcome="harness_fault"), review.null_review("a", "none"))


def trials(rate: float, seed: int, clusters: int = 12, each: int = 10) -> list[Trial]:
    rng = np.random.default_rng(seed)
    return [
        Trial(f"i{cluster}-{number}", 0, f"c{cluster}", bool(rng.random() < rate), 0.0)
        for cluster in range(clusters)
        for number in range(each)
    ]


def test_the_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    inside = 0
    for seed in range(60):
        found = evaluation.pass_rate(trials(0.3, seed))
        assert found is not None
        inside += found.low <= 0.3 <= found.high
    assert inside >= 48


def test_clusters_widen_the_interval() -> None:
    rows = [Trial(f"i{number}", 0, f"c{number // 10}", number // 10 % 2 == 0, 1.0) for number in range(100)]
    together, apart = (
        evaluation.pass_rate(rows),
        evaluation.pass_rate([dataclasses.replace(row, cluster=row.instance_id) for row in rows]),
    )
    assert together is not None and apart is not None
    assert together.high - together.low > 2 * (apart.high - apart.low)


def test_a_pair_is_the_same_instance_and_draw() -> None:
    before, after = trials(0.2, 1), [dataclasses.replace(row, passed=True) for row in trials(0.2, 1)]
    found = evaluation.paired_difference(before, after[::-1])
    rate = evaluation.pass_rate(before)
    assert found is not None and rate is not None
    assert found.mean == pytest.approx(1 - rate.mean)
    lost = evaluation.paired_difference(before, after[:50])
    assert lost is not None and lost.n == 50, "a harness fault loses its pair and nothing else"
    asked = [(row.instance_id, row.draw) for row in before]
    evaluation.same_questions(asked, asked[::-1])
    with pytest.raises(InputError, match="the same instances"):
        evaluation.same_questions(asked, asked[:-1])
    assert evaluation.paired_difference([], after) is None
    assert evaluation.pass_rate([]) is None
