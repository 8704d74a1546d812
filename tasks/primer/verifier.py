"""Judges a one-function submission: all hidden cases right in one process, and the same answers in another.

    score = 1 when every case is right, else 0          (a constant that is right on some cases scores exactly 0)

The second process (the determinism twin: other seeds, other clock) gets the cases in reverse order, so that an answer which
depends on the call before differs too; it isn't started for an answer that is wrong already. `adapt` turns a file of reference,
rewrites or cheats into a submission: such a file holds one function a family under its canonical name and arguments, and the
instance's own function is appended. A file with `any_family` answers for every family. A file with neither is handed over as it is.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Sequence
from typing import Any

from assay import canonical
from assay.protocol import CandidateFault, Judgement, Mode, Problem, Program, Reply, Run
from assay.records import Gate
from tasks.primer import cases, probes
from tasks.primer.composing import steps


def verify(problem: Problem, submission: str, run: Run, mode: Mode) -> Judgement:
    """Judge one submission.

    Args:
        problem: the instance.
        submission: Python source that defines the instance's function.
        run: our side of the sandbox.
        mode: only `full` exists here.

    Returns:
        Score 1 or 0, the gate `cases` (share of right cases) and the probes as metrics.

    Raises:
        CandidateFault: a call failed, or the twin answered otherwise.
    """
    judge = problem.judge
    book = judge.book(problem)
    calls = judge.calls(book)
    values = run(Program(source=submission, calls=calls, limits=problem.limits)).answers()
    right = judge.right(problem, book, values)
    share, bound = sum(right) / len(right), problem.thresholds["share"]
    gate = Gate(name="cases", passed=share >= bound, value=share, bound=bound)
    metrics: dict[str, float | int | None] = {"cases": len(right), "share_right": share, **dict.fromkeys(probes.NAMES)}
    notes = (f"{sum(right)} of {len(right)} hidden cases are right",)
    if not gate.passed:
        return Judgement(score=0.0, gates=(gate,), metrics=metrics, notes=notes, failure_mode="wrong_answer")
    twin = run(Program(source=submission, calls=calls[::-1] + probes.calls(book), limits=problem.limits, twin=True))
    _same(problem, values, _first(twin, len(calls))[::-1])
    metrics |= probes.measure(book, twin.values[len(calls) :])
    return Judgement(score=1.0, gates=(gate,), metrics=metrics, notes=notes)


def _first(reply: Reply, count: int) -> Sequence[Any]:
    """The answers to the hidden cases; a probe that failed after them is no fault."""
    return reply.answers() if len(reply.values) < count else reply.values[:count]


def _same(problem: Problem, first: Sequence[Any], second: Sequence[Any]) -> None:
    agreement = problem.thresholds["agreement"]
    pairs = zip(first, second, strict=True)
    differ = sum(not cases.close(b, a, relative=agreement, absolute=agreement) for a, b in pairs)
    if differ:
        raise CandidateFault("nondeterministic", f"{differ} of {len(first)} answers differ when the calls are made again")


def adapt(source: str, problem: Problem) -> str:
    """A file of reference, rewrites or cheats as a submission for one instance.

    Args:
        source: functions under canonical family names, or `any_family(*arguments)`.
        problem: the instance, whose recipe says how its function is made.

    Returns:
        The source with the instance's function appended; the source itself when it has neither.
    """
    recipe = canonical.loads((problem.private / "recipe.json").read_text(encoding="utf-8"))
    defined = _defined(source)
    names = ", ".join(recipe["arguments"])
    head = f"def {recipe['function']}({names}):"
    if recipe["function"] in defined:
        return source  # a submission already, whatever its other functions are called
    if recipe["family"] in defined:
        return "\n\n".join([source, *_composed(recipe, head)]) + "\n"
    if "any_family" in defined:
        return f"{source}\n\n{head}\n    return any_family({names})\n"
    return source


def _defined(source: str) -> set[str]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def _composed(recipe: dict[str, Any], head: str) -> list[str]:
    """Source of the steps' functions and of the instance's function."""
    given = dict(zip(recipe["order"], recipe["arguments"], strict=True)) | {k: repr(v) for k, v in recipe["fixed"].items()}
    keywords = ", ".join(f"{name}={text}" for name, text in sorted(given.items()))
    body = [head]
    if guard := recipe["guard"]:
        what = given[guard["argument"]]
        body += [
            f"    if {f'len({what})' if guard['list'] else what} < {guard['bound']!r}:",
            f"        return {guard['value']!r}",
        ]
    body.append(f"    result = {recipe['family']}({keywords})")
    functions = [steps.STEPS[step["name"]].function for step in recipe["steps"]]
    for function, step in zip(functions, recipe["steps"], strict=True):
        body.append(f"    result = {', '.join([f'{function.__name__}(result', *map(repr, step['parameters'])])})")
    return [*map(inspect.getsource, functions), "\n".join([*body, "    return result"])]
