"""Behavioural descriptors of a submission, from its syntax tree: what kind of algorithm it is, how long, and how it runs over time.

    family     the first of FAMILIES of which the code calls something; recursion where a loop's body carries a name on; else direct
    size_bin   log2 of the number of syntax nodes, in six bins: below 2^6, then one a doubling, 2^10 and more
    style      loop, or vectorised where no `for`, `while` or comprehension stands

Read from the code and never from what its author says of it: comments, docstrings and the names of its own functions play no part.
Not covered: what runs (dead code counts), measured times.
"""

from __future__ import annotations

import ast
import math
import warnings

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
NEUTRAL: dict[str, str | int] = {"family": "direct", "size_bin": 0, "style": "vectorised"}
"""of a source that doesn't parse, or is nested too deeply to be read"""


def describe(source: str) -> dict[str, str | int]:
    """Descriptors of a submission; NEUTRAL where it can't be read."""
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
