"""Behavioural descriptors of a submission: from its syntax tree what kind of algorithm it is, and from its run what it was good at.

    family     the first of FAMILIES of which the code calls something; recursion where a loop's body carries a name on; else direct
    size_bin   log2 of the number of syntax nodes, in six bins: below 2^6, then one a doubling, 2^10 and more
    style      loop, or vectorised where no `for`, `while` or comprehension stands
    skill      mean of the judge's `<regime>_score` metrics, in five bins of 0 .. 1, whatever the gates say
    spread     the best regime's less the worst's, in four bins of 0 .. 1: a specialist's is large

Read from the code and from what the judge measured, never from what its author says: comments, docstrings and the names of its own
functions play no part. Not covered: dead code, which counts; times, which no verdict holds since they differ from run to run.
"""

from __future__ import annotations

import ast
import math
import warnings
from collections.abc import Mapping

FAMILIES = {
    "neural net": {"Module", "Linear", "Sequential", "MLPRegressor", "MLPClassifier", "backward"},
    "tree ensemble": {
        "GradientBoostingClassifier",
        "GradientBoostingRegressor",
        "HistGradientBoostingClassifier",
        "RandomForestClassifier",
        "RandomForestRegressor",
    },
    "fft": {"fft", "rfft", "ifft", "irfft", "fftfreq", "welch", "periodogram", "stft"},
    "least squares": {"lstsq", "svd", "svdvals", "pinv", "least_squares", "Ridge", "LinearRegression"},
}
SOLVERS = {"inv", "solve", "cholesky", "qr", "cho_factor", "cho_solve", "solve_triangular", "solveh_banded", "solve_discrete_are"}
LOOPS = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
SMALLEST_BIN, LARGEST_BIN = 5, 10
SKILL_BINS, SPREAD_BINS = 5, 4
REGIME = "_score"
NEUTRAL: dict[str, str | int] = {"family": "direct", "size_bin": 0, "style": "vectorised"}
"""of a source that doesn't parse, or is nested too deeply to be read"""


def describe(source: str, metrics: Mapping[str, float | int | None]) -> dict[str, str | int]:
    """Descriptors of a submission.

    Args:
        source: its code; where it can't be read the descriptors of the code are NEUTRAL.
        metrics: of its verdict; without any, as after a fault, skill and spread are 0.
    """
    return {**of_code(source), **of_run(metrics)}


def of_code(source: str) -> dict[str, str | int]:
    """Family, size and style."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return dict(NEUTRAL)
    size = int(math.log2(len(nodes)))
    return {
        "family": family(nodes),
        "size_bin": min(max(size, SMALLEST_BIN), LARGEST_BIN) - SMALLEST_BIN,
        "style": "loop" if any(isinstance(node, LOOPS) for node in nodes) else "vectorised",
    }


def of_run(metrics: Mapping[str, float | int | None]) -> dict[str, int]:
    """Skill and spread; a regime without a finite number counts as 0."""
    scores = [_share(value) for name, value in metrics.items() if name.endswith(REGIME)] or [0.0]
    mean = sum(scores) / len(scores)
    return {"skill": _bin(mean, SKILL_BINS), "spread": _bin(max(scores) - min(scores), SPREAD_BINS)}


def _share(value: float | int | None) -> float:
    return min(max(float(value), 0.0), 1.0) if value is not None and math.isfinite(value) else 0.0


def _bin(share: float, count: int) -> int:
    return min(int(share * count + 1e-9), count - 1)  # 0.6 * 5 falls just below 3


def family(nodes: list[ast.AST]) -> str:
    """The kind of algorithm; for a recursion over time, whether it solves equations on the way."""
    own = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    called = {_name(node.func) for node in nodes if isinstance(node, ast.Call)} - own
    bases = {_name(base) for node in nodes if isinstance(node, ast.ClassDef) for base in node.bases}
    for name, marks in FAMILIES.items():
        if marks & (called | bases):
            return name
    solves = bool(SOLVERS & called)
    if any(isinstance(node, ast.For | ast.While) and _carries(node) for node in nodes):
        return "recursion with solves" if solves else "recursion"
    return "solve" if solves else "direct"


def _name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _carries(loop: ast.For | ast.While) -> bool:
    """Whether the body reads a name, or an attribute, before it assigns it: a state that goes from one pass to the next."""
    seen: set[str] = set()
    assigned: set[str] = set()
    for statement in loop.body:
        inside = list(ast.walk(statement))
        seen |= {_name(node) for node in inside if isinstance(getattr(node, "ctx", None), ast.Load)} - assigned
        if isinstance(statement, ast.AugAssign):
            seen.add(_name(statement.target))
        assigned |= {_name(node) for node in inside if isinstance(getattr(node, "ctx", None), ast.Store)}
    return bool((seen & assigned) - {""})
