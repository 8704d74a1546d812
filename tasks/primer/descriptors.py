"""Behavioural descriptors of a primer submission, from its syntax tree alone: never from names' meaning, comments or docstrings.

    style        how it repeats: expression, branch, comprehension, loop, recursion, array
    size         floor(log2(number of syntax nodes)), 0 .. 12
    functions    functions defined, 1 .. 4 and more

A source that doesn't parse, or is nested too deeply to be read, has none. Not covered: what it does when run, which the probes measure.
"""

from __future__ import annotations

import ast
import math
import warnings

STYLES = ("expression", "branch", "comprehension", "loop", "recursion", "array")
LARGEST = 12


def describe(source: str) -> dict[str, str | int] | None:
    """The descriptors of a submission; None when it doesn't parse."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = _bare(ast.parse(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    nodes = list(ast.walk(tree))
    functions = sum(isinstance(node, ast.FunctionDef | ast.Lambda) for node in nodes)
    return {
        "style": style(nodes),
        "size": min(LARGEST, int(math.log2(len(nodes)))),
        "functions": max(1, min(4, functions)),
    }


def _bare(tree: ast.Module) -> ast.Module:
    """The tree without docstrings."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef) and body and isinstance(body[0], ast.Expr):
            value = body[0].value
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                node.body = body[1:]
    return tree


def style(nodes: list[ast.AST]) -> str:
    """The heaviest way of repeating that a tree uses."""
    if any(isinstance(node, ast.Import | ast.ImportFrom) and "numpy" in _modules(node) for node in nodes):
        return "array"
    if any(isinstance(node, ast.FunctionDef) and _calls_itself(node) for node in nodes):
        return "recursion"
    if any(isinstance(node, ast.For | ast.While) for node in nodes):
        return "loop"
    if any(isinstance(node, ast.comprehension) for node in nodes):
        return "comprehension"
    return "branch" if any(isinstance(node, ast.If | ast.IfExp) for node in nodes) else "expression"


def _modules(node: ast.Import | ast.ImportFrom) -> set[str]:
    names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
    return {name.split(".")[0] for name in names}


def _calls_itself(function: ast.FunctionDef) -> bool:
    calls = (node.func for node in ast.walk(function) if isinstance(node, ast.Call))
    return any(isinstance(name, ast.Name) and name.id == function.name for name in calls)
