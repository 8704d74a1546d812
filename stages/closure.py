"""closure [--write]: the code that each stage depends on, derived from its imports, compared with dvc.yaml.

A module counts with everything that it imports inside assay/ and stages/, directly or not; a package inside assay/ counts as a whole
folder, so that one entry stands for its files. Read from the syntax trees: nothing is imported. What a stage finds by a path (task
folders, data) is named in dvc.yaml by hand and left as it is.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

_OURS = ("assay", "stages")


def closure(root: Path, module: str) -> list[str]:
    """Paths, relative to the root and sorted, of all code that a module needs."""
    seen: set[Path] = set()
    waiting = [_file(root, module)]
    while waiting:
        path = waiting.pop()
        if path is None or path in seen:
            continue
        seen.add(path)
        waiting += [_file(root, name) for name in _imports(path)]
        package = path.parent / "__init__.py"
        waiting += [package] if package.is_file() else []
        if _folder(root, path):
            waiting += sorted(path.parent.rglob("*.py"))
    return sorted({(_folder(root, path) or path.relative_to(root)).as_posix() for path in seen})


def _folder(root: Path, path: Path) -> Path | None:
    """The package inside assay/ that a file belongs to, which stands for all its files."""
    parts = path.relative_to(root).parts
    return Path(*parts[:2]) if parts[0] == "assay" and len(parts) > 2 else None


def _file(root: Path, name: str) -> Path | None:
    """The file of a module by name, or of the module that holds the name."""
    parts = name.split(".")
    if parts[0] not in _OURS:
        return None
    for length in (len(parts), len(parts) - 1):
        base = root.joinpath(*parts[:length])
        if base.with_suffix(".py").is_file():
            return base.with_suffix(".py")
        if (base / "__init__.py").is_file():
            return base / "__init__.py"
    return None


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("assay."):
            yield f"{node.value}.__init__"


def _stages(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, stage in document["stages"].items():
        yield name, stage.get("do", stage)


def compare(root: Path, *, write: bool = False) -> list[str]:
    """What dvc.yaml has otherwise than the code says, a line each; with `write` it is mended."""
    yaml = YAML()
    yaml.width = 150
    yaml.indent(mapping=2, sequence=4, offset=2)
    path = root / "dvc.yaml"
    document = yaml.load(path.read_text(encoding="utf-8"))
    faults: list[str] = []
    for name, stage in _stages(document):
        module = stage["cmd"].split()[2]
        wanted = closure(root, module)
        deps = list(stage["deps"])
        found = [entry for entry in deps if entry.split("/")[0] in _OURS]
        faults += [f"dvc.yaml: {name}: deps lack {entry}" for entry in wanted if entry not in found]
        faults += [f"dvc.yaml: {name}: deps have {entry}, which {module} doesn't need" for entry in found if entry not in wanted]
        stage["deps"] = [*wanted, *(entry for entry in deps if entry not in found)]
    if write:
        with path.open("w", encoding="utf-8", newline="\n") as file:
            yaml.dump(document, file)
    return faults


if __name__ == "__main__":
    _write = "--write" in sys.argv[1:]
    _faults = compare(Path.cwd(), write=_write)
    if _faults and not _write:
        print("\n".join(_faults), file=sys.stderr)
        print("closure: mend dvc.yaml with: python -m stages.closure --write", file=sys.stderr)
        raise SystemExit(1)
