"""The training pool: which attempts teach, and why each of the others doesn't.

Positives are attempts that passed, the best `top_k` of an instance, at most `family_cap` of a family, near-duplicates dropped (equal
syntax trees once names and constants' spelling are normalised). Corrections are verified repairs that beat their parents. Lessons of
earlier rounds return with `decay ** (rounds ago)` of their number, drawn by seed. No lesson comes from an evaluation instance.
Every row left out is counted by its reason.
"""

from __future__ import annotations

import ast
import collections
import dataclasses
import random
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from assay import canonical
from assay.records import Attempt, Instance, Lesson, Message, Reward, Verdict

Count = Callable[[Sequence[Message]], tuple[int, int]]
"""tokens of a conversation, and how many of them carry loss"""


@dataclass(frozen=True)
class Rules:
    """How the pool is made."""

    top_k: int
    """positives an instance, 1 and up"""
    family_cap: int
    """new positives a family of a task, 1 and up; lessons that return from an earlier round aren't counted"""
    decay: float
    """share of a pool that returns one round later, 0 .. 1"""
    corrections: bool
    """whether verified corrections teach"""
    max_tokens: int
    """longest conversation that is trained on"""
    seed: int
    """draws which earlier lessons return"""


@dataclass(frozen=True)
class Candidate:
    """One attempt with everything that decides on it."""

    attempt: Attempt
    verdict: Verdict
    reward: Reward | None
    """None for a harness fault"""
    instance: Instance
    beats_parent: bool = False
    """for a correction: whether it was verified to be better"""


@dataclass(frozen=True)
class Pool:
    """The lessons, and how many rows were left out for each reason."""

    lessons: tuple[Lesson, ...]
    left_out: dict[str, int]


def make(candidates: Iterable[Candidate], earlier: Sequence[Lesson], rules: Rules, count: Count, round_name: str) -> Pool:
    """Choose the lessons of a round.

    Args:
        candidates: the round's attempts and corrections.
        earlier: the lessons of the round before, which hold what it took over itself.
        rules: the numbers.
        count: tokens of a conversation, from the model's tokenizer.
        round_name: names the lessons.
    """
    left: collections.Counter[str] = collections.Counter()
    fresh = _fresh(candidates, rules, count, round_name, left)
    seen = {_twin_key(lesson.instance_id, lesson.messages[-1].content) for lesson in fresh}
    returning = []
    for lesson in _decayed(earlier, rules, left):
        if _twin_key(lesson.instance_id, lesson.messages[-1].content) in seen:
            left["near-duplicate of a newer lesson"] += 1
            continue
        name = f"{round_name}/{lesson.attempt_id}"
        returning.append(
            dataclasses.replace(lesson, lesson_id=name, why=f"earlier round: {lesson.why.removeprefix('earlier round: ')}")
        )
    return Pool(lessons=tuple(sorted([*fresh, *returning], key=lambda row: row.lesson_id)), left_out=dict(sorted(left.items())))


def _fresh(
    candidates: Iterable[Candidate], rules: Rules, count: Count, round_name: str, left: collections.Counter[str]
) -> list[Lesson]:
    lessons: list[Lesson] = []
    per_instance: collections.Counter[str] = collections.Counter()
    per_family: collections.Counter[str] = collections.Counter()
    seen: set[str] = set()
    for candidate in sorted(candidates, key=_rank):
        why_not = _refused(candidate, rules)
        family = f"{candidate.instance.task_id}/{candidate.instance.family}"
        twin = _twin_key(candidate.attempt.instance_id, candidate.attempt.submission or "") if why_not is None else ""
        if why_not is None and twin in seen:
            why_not = "near-duplicate of a better one"
        if why_not is None and per_instance[candidate.attempt.instance_id] >= rules.top_k:
            why_not = "beyond top_k of its instance"
        if why_not is None and per_family[family] >= rules.family_cap:
            why_not = "beyond family_cap of its family"
        lesson = _lesson(candidate, count, round_name) if why_not is None else None
        if lesson is not None and lesson.tokens > rules.max_tokens:
            why_not, lesson = "longer than max_tokens", None
        if lesson is None:
            left[why_not or "unknown"] += 1
            continue
        lessons.append(lesson)
        per_instance[candidate.attempt.instance_id] += 1
        per_family[family] += 1
        seen.add(twin)
    return lessons


def _rank(candidate: Candidate) -> tuple[float, str]:
    """Best first; among equals by a draw that depends on the attempt's id alone, so that no task comes first by its name."""
    total = candidate.reward.total if candidate.reward else 0.0
    return (-total, canonical.sha(candidate.attempt.attempt_id))


def _refused(candidate: Candidate, rules: Rules) -> str | None:
    if candidate.verdict.outcome == "harness_fault":
        return "harness fault"
    if candidate.instance.split != "train":
        return "evaluation instance"
    if candidate.attempt.source == "correction":
        if not rules.corrections:
            return "corrections are switched off"
        if not candidate.beats_parent:
            return "correction that doesn't beat its parent"
    elif candidate.reward is None or candidate.reward.total <= 0:
        return "score 0"
    return None if candidate.verdict.passed else "not passed"


def _lesson(candidate: Candidate, count: Count, round_name: str) -> Lesson:
    attempt = candidate.attempt
    assert attempt.submission is not None
    answer = Message("assistant", f"```python\n{attempt.submission.strip()}\n```")
    messages = (*attempt.messages, answer)
    tokens, trained = count(messages)
    corrected = attempt.source == "correction"
    total = candidate.reward.total if candidate.reward else 0.0
    why = f"correction: beat {attempt.parent_id}" if corrected else f"passed with total reward {total:.3f}"
    return Lesson(
        lesson_id=f"{round_name}/{attempt.attempt_id}",
        attempt_id=attempt.attempt_id,
        instance_id=attempt.instance_id,
        kind="correction" if corrected else "positive",
        messages=messages,
        weight=1.0,
        why=why,
        tokens=tokens,
        trained_tokens=trained,
    )


def _decayed(earlier: Sequence[Lesson], rules: Rules, left: collections.Counter[str]) -> list[Lesson]:
    keep = round(len(earlier) * rules.decay)
    ordered = sorted(earlier, key=lambda row: row.lesson_id)
    chosen = random.Random(canonical.seed("decay", rules.seed)).sample(ordered, keep)
    left["earlier lesson not drawn"] += len(earlier) - keep
    return chosen


def _twin_key(instance_id: str, code: str) -> str:
    return canonical.sha([instance_id, normalized(code)])


def normalized(code: str) -> str:
    """Code with its layout, comments, docstrings and names taken away, so that only its shape and constants tell it from another.

    Names are numbered in the order of their appearance, builtins too: max(a, b) and min(a, b) are twins. Code that doesn't parse stays.
    """
    text = code.strip().removeprefix("```python\n").removesuffix("```")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.dump(_Normalizer().visit(ast.parse(text)), annotate_fields=False)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text


class _Normalizer(ast.NodeTransformer):
    """Renames what the code itself binds, in order of appearance, and drops docstrings."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def _name(self, name: str) -> str:
        return self._names.setdefault(name, f"n{len(self._names)}")

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg(arg=self._name(node.arg), annotation=None)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(id=self._name(node.id), ctx=node.ctx)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        body = node.body[1:] if ast.get_docstring(node) is not None and len(node.body) > 1 else node.body
        node.body, node.returns, node.name = body, None, self._name(node.name)
        return self.generic_visit(node)
