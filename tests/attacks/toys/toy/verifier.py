"""Judges `f(x) = weights . x` in the shape that the problem's contract asks, with the determinism twin.

    score = 1 when every answer is right within 1e-9 and the twin gives bit for bit the same ones, else 0

The weights are private. An open problem tells them to the candidate, in the public file weights.json.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from assay import canonical
from assay.protocol import Call, CandidateFault, Judgement, Mode, Problem, Program, Returns, Run, Value
from assay.records import Gate

LARGE = (1024, 2048)
"""four answers of this shape are exactly the default cap on answers"""
_TOLERANCE = 1e-9
_FLOAT, _FOUR = Returns("float"), Returns("array", (4,))
CONTRACTS = {
    "float": _FLOAT,
    "int": Returns("int"),
    "text": Returns("text", at_most=100),
    "array": _FOUR,
    "int array": dataclasses.replace(_FOUR, dtype="int64"),
    "floats": Returns("floats", (4,)),
    "ints": Returns("ints", (4,)),
    "tuple": Returns("tuple", items=(_FLOAT, _FOUR)),
    "record": Returns("record", items=(_FLOAT, _FOUR), names=("sum", "parts")),
    "callable": Returns("callable"),
    "large": Returns("array", LARGE),
}


def _truth(asks: str, weights: np.ndarray[Any, Any], x: np.ndarray[Any, Any]) -> list[Value]:
    total, parts = float(weights @ x), weights * x
    right: dict[str, Value] = {
        "float": total,
        "int": int(total),
        "text": str(int(total)),
        "int array": parts.astype(np.int64),
        "ints": parts.astype(np.int64),
        "tuple": (total, parts),
        "record": {"sum": total, "parts": parts},
    }
    if asks == "callable":
        return [None, total]
    if asks == "large":
        return [np.full(LARGE, total)]
    return [right.get(asks, parts)]


def _same(one: Any, other: Any, tolerance: float = 0.0) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[name], other[name], tolerance) for name in one)
    if isinstance(one, list | tuple) and type(one) is type(other):
        return len(one) == len(other) and all(_same(*pair, tolerance) for pair in zip(one, other, strict=True))
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        if one.dtype != other.dtype or one.shape != other.shape:
            return False
    elif type(one) is not type(other):
        return False
    elif not isinstance(one, float):
        return bool(one == other)
    with np.errstate(over="ignore"):  # huge answers may overflow: they differ then by infinity
        return bool((np.abs(np.subtract(one, other)) <= tolerance * np.maximum(1.0, np.abs(other))).all())


def _calls(asks: str, x: np.ndarray[Any, Any], number: int) -> list[Call]:
    first = Call("f", (x,), CONTRACTS[asks])
    return [first, Call(f"@{number}", (), _FLOAT)] if asks == "callable" else [first]


def verify(problem: Problem, submission: str, run: Run, mode: Mode) -> Judgement:
    """Judge one submission: three hidden inputs and the first once more, then the twin in the reverse order."""
    asks = problem.contract["asks"]
    hidden = canonical.loads((problem.private / "hidden.json").read_text())
    weights, inputs = np.array(hidden["weights"]), [np.array(x) for x in hidden["inputs"]]
    inputs.append(inputs[0])
    files = {path.name: path.read_bytes() for path in problem.public.iterdir()}

    def answers(order: list[np.ndarray[Any, Any]], *, twin: bool) -> list[list[Value]]:
        calls: list[Call] = []
        for x in order:
            calls += _calls(asks, x, len(calls))
        program = Program(submission, tuple(calls), problem.limits, files, twin)
        values = run(program).answers()
        width = len(values) // len(order)
        return [list(values[at : at + width]) for at in range(0, len(values), width)]

    first = answers(inputs, twin=False)
    if not _same(first[0], first[-1]):
        raise CandidateFault("nondeterministic", "the same input was answered otherwise")
    right = sum(_same(got, _truth(asks, weights, x), _TOLERANCE) for got, x in zip(first, inputs, strict=True))
    gate = Gate("right", right == len(inputs), float(right), float(len(inputs)))
    if not gate.passed:
        return Judgement(0.0, (gate,), {"right": right}, failure_mode="wrong_answer")
    twin = answers(inputs[::-1], twin=True)[::-1]
    if not _same(first, twin):
        raise CandidateFault("nondeterministic", "the twin answered otherwise")
    return Judgement(1.0, (gate,), {"right": right})
