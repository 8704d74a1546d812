"""Finding tasks: a sorted scan of `<root>/<domain>/<task>/task.yaml`, and the one dynamic import of Assay.

A folder under the root is a domain when it holds `verifier.py`; a folder under a domain is a task when it holds `task.yaml`. Nothing
is registered anywhere else. What a task's modules must offer is written in `assay.protocol`; that they keep it is tested by `assay.contract`.
"""

from __future__ import annotations

import difflib
import functools
import importlib.util
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, Literal

import pydantic
import yaml

from assay.errors import TaskError, UnknownTask
from assay.protocol import Difficulty, Limits

MIB = 1 << 20


class LimitsSpec(pydantic.BaseModel):
    """`limits` of task.yaml, for each process of a candidate."""

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)
    cpu_seconds: float = pydantic.Field(default=10.0, gt=0)
    wall_seconds: float = pydantic.Field(default=40.0, gt=0)
    memory_mb: int = pydantic.Field(default=1024, gt=0)

    def limits(self) -> Limits:
        """As the sandbox takes them."""
        return Limits(cpu_seconds=self.cpu_seconds, wall_seconds=self.wall_seconds, memory_bytes=self.memory_mb * MIB)


Band = tuple[Annotated[float, pydantic.Field(ge=0, le=1)], Annotated[float, pydantic.Field(ge=0, le=1)]]


class TaskSpec(pydantic.BaseModel):
    """task.yaml: every number of a task and no other place for them."""

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)
    id: str
    title: str
    kind: Literal["solution", "patch"]
    contract: dict[str, Any]
    """the callable and whatever the domain's verifier wants to know of it"""
    modes: list[Literal["smoke", "full"]] = ["full"]
    difficulties: dict[str, dict[str, Any]] = pydantic.Field(min_length=1)
    """levels, easiest first; `generate` gets the mapping of its level"""
    limits: LimitsSpec = LimitsSpec()
    thresholds: dict[str, float] = {}
    pass_score: float = pydantic.Field(default=1.0, gt=0, le=1)
    """a verdict passes when every gate is met and the score is at least this"""
    reference: dict[Literal["smoke", "full"], Band]
    """the band of the reference's score in each mode"""
    eval_only: bool = False
    """never attempted for training: a held-out task"""
    shared_files: list[str] = []
    """names of files that may be the same on the public and the private side: inputs that a candidate is told anyway"""


@dataclass(frozen=True)
class Task:
    """One task folder."""

    task_id: str
    domain: str
    folder: Path
    spec: TaskSpec

    @property
    def domain_folder(self) -> Path:
        """The folder with the three modules of the domain."""
        return self.folder.parent

    @property
    def limits(self) -> Limits:
        """What one process of a candidate may use."""
        return self.spec.limits.limits()

    def difficulty(self, name: str) -> Difficulty:
        """A level by name; raises TaskError for one that task.yaml doesn't have."""
        if name not in self.spec.difficulties:
            raise TaskError(
                f"task {self.task_id}: difficulty must be one of {', '.join(self.spec.difficulties)}, received {name!r}"
            )
        return Difficulty(name=name, axes=self.spec.difficulties[name])

    def module(self, name: str) -> ModuleType:
        """The task's own module `name`.py, loaded once."""
        return load(self.folder / f"{name}.py")

    def verifier(self) -> ModuleType:
        """The domain's terminal verifier."""
        return load(self.domain_folder / "verifier.py")


@functools.cache
def load(path: Path) -> ModuleType:
    """Import a file of a task folder under a name of its own.

    Raises:
        TaskError: the file is missing or raised while it was loaded.
    """
    if not path.is_file():
        raise TaskError(f"{path}: expected a Python module, received nothing")
    name = f"{path.parent.name}_{path.stem}_{sha256(str(path.resolve()).encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise TaskError(f"{path}: can't be imported: {type(error).__name__}: {error}") from error
    return module


def scan(root: Path) -> Mapping[str, Task]:
    """Every task under a root, by id in sorted order.

    Raises:
        TaskError: no such root, a broken task.yaml, an id that isn't its folder's name, or one id twice.
    """
    if not root.is_dir():
        raise TaskError(f"{root}: expected the folder of the tasks, received nothing")
    tasks: dict[str, Task] = {}
    for path in sorted(root.glob("*/*/task.yaml")):
        task = _read(path)
        if task.task_id in tasks:
            raise TaskError(f"{path}: the id {task.task_id} stands in {tasks[task.task_id].folder} already")
        tasks[task.task_id] = task
    return dict(sorted(tasks.items()))


def _read(path: Path) -> Task:
    folder = path.parent
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
        spec = TaskSpec.model_validate(document)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise TaskError(f"{path}: expected YAML, received {' '.join(str(error).split())}") from error
    except pydantic.ValidationError as error:
        raise TaskError(f"{path}: {first_fault(error)}") from error
    if spec.id != folder.name:
        raise TaskError(f"{path}: id must be the folder's name {folder.name!r}, received {spec.id!r}")
    if set(spec.reference) != set(spec.modes):
        raise TaskError(
            f"{path}: reference must give a band for each of {', '.join(spec.modes)}, received {', '.join(spec.reference)}"
        )
    if not (folder.parent / "verifier.py").is_file():
        raise TaskError(f"{folder.parent}: expected the domain's verifier.py, received nothing")
    return Task(task_id=spec.id, domain=folder.parent.name, folder=folder, spec=spec)


def first_fault(error: pydantic.ValidationError) -> str:
    """The first complaint of a validation as one line: where, what, received; and how many more there are."""
    faults = error.errors()
    fault = faults[0]
    where = ".".join(str(part) for part in fault["loc"]) or "the whole file"
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return f"{where}: {fault['msg']}, received {fault['input']!r}{more}"


def find(tasks: Mapping[str, Task], task_id: str) -> Task:
    """A task by id; raises UnknownTask with the nearest ids."""
    if task_id in tasks:
        return tasks[task_id]
    near = difflib.get_close_matches(task_id, tasks, n=3, cutoff=0.4) or [name for name in tasks if task_id in name]
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(tasks) or 'none'}"
    raise UnknownTask(f"no task has the id {task_id!r}: {hint}")
