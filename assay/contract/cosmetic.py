"""A cosmetic rewrite: the same program with other local names, no comments and another layout."""

from __future__ import annotations

import ast


def rewrite(source: str) -> str:
    """Rename what functions bind locally, drop comments and docstrings, and lay the code out anew.

    Names of functions, classes and modules and keyword arguments stay: they are the program's interface.
    """
    tree = ast.parse(source)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            _rename(node)
    return "# laid out anew\n\n" + ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def _rename(function: ast.FunctionDef) -> None:
    arguments = {arg.arg for arg in ast.walk(function.args) if isinstance(arg, ast.arg)}
    inner = [node for node in ast.walk(function) if isinstance(node, ast.FunctionDef | ast.Lambda) and node is not function]
    if inner:
        return
    bound = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    declared = {name for node in ast.walk(function) if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}
    fresh = {name: f"v{at}_{len(name)}" for at, name in enumerate(sorted(bound - arguments - declared))}
    for node in ast.walk(function):
        if isinstance(node, ast.Name):
            node.id = fresh.get(node.id, node.id)
    if ast.get_docstring(function) is not None and len(function.body) > 1:
        function.body = function.body[1:]
