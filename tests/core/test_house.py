"""The rules of the house: which part imports which, how long a file is, and that dvc.yaml names the code that its stages need."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from stages import closure, settings

ROOT = Path(__file__).resolve().parents[2]
ALLOWED = {
    "assay": {"assay"},
    "stages": {"assay", "stages"},
    "flows": {"flows"},
    "tasks": {"assay", "tasks"},
}
OURS = {"assay", "stages", "flows", "tasks", "benchmarks", "tests"}
NEVER_IN_ASSAY = {"dvc", "prefect", "argparse"}


def files(part: str) -> list[Path]:
    return sorted((ROOT / part).rglob("*.py"))


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module.split(".")[0]


@pytest.mark.parametrize("part", sorted(ALLOWED))
def test_imports_run_one_way(part: str) -> None:
    found = [path for path in files(part) if "cheats" not in path.parts]
    assert len(found) > 3
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}" for path in found for name in imports(path) if name in OURS - ALLOWED[part]
    ]
    assert wrong == []


def test_the_machinery_knows_no_dvc_no_prefect_and_no_settings() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in files("assay")
        for name in imports(path)
        if name in NEVER_IN_ASSAY and "cli" not in path.parts
    ]
    assert wrong == []
    assert [str(path) for path in files("assay") if "params.yaml" in _code(path)] == []


def _code(path: Path) -> str:
    """A file without its docstrings and comments."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value = ast.Constant(value=None)
    return ast.unparse(tree)


def test_dvc_is_imported_by_one_module() -> None:
    assert [path.name for part in ("flows", "stages") for path in files(part) if "dvc" in set(imports(path))] in ([], ["dvc.py"])


def test_no_file_is_longer_than_400_lines() -> None:
    parts = ("assay", "stages", "flows", "tasks", "tests", "benchmarks")
    long = {
        str(path.relative_to(ROOT)): count
        for part in parts
        for path in files(part)
        if (count := len(path.read_text().splitlines())) > 400
    }
    assert long == {}


def test_deps_are_the_import_closures() -> None:
    assert closure.compare(ROOT) == []


def test_a_closure_holds_what_is_imported_indirectly() -> None:
    found = closure.closure(ROOT, "stages.judge")
    assert {
        "assay/tables.py",
        "assay/judging.py",
        "assay/sandbox",
        "stages/hearing.py",
        "stages/judge.py",
        "assay/errors.py",
    } <= set(found)
    assert "assay/models" not in found and "assay/training.py" not in found


def test_no_name_that_says_nothing() -> None:
    empty = {"utils", "helpers", "common", "manager", "base"}
    assert [str(path) for part in ("assay", "stages", "flows", "tasks") for path in files(part) if path.stem in empty] == []


def task_imports(path: Path, seen: set[Path]) -> set[Path]:
    """The files under tasks/ that a file needs, directly or not, itself included."""
    if path in seen:
        return seen
    seen.add(path)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("tasks"):
            base = ROOT.joinpath(*node.module.split("."))
            for found in [base.with_suffix(".py"), *(base / f"{alias.name}.py" for alias in node.names)]:
                if found.is_file():
                    task_imports(found, seen)
    return seen


def test_what_a_generator_needs_is_a_dep_of_its_stage() -> None:
    for task_id, chosen in settings.read(ROOT / "params.yaml").tasks.items():
        own, shared = ROOT / "tasks" / chosen.domain / task_id, ROOT / chosen.shared
        needed = task_imports(own / "generate.py", set())
        outside = [path for path in needed if not (path.is_relative_to(own) or path == shared or path.is_relative_to(shared))]
        assert outside == [], f"{task_id}: dvc.yaml's generate depends on its folder and on {chosen.shared} only"
