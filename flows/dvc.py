"""The one module that talks to DVC.

The graph is *read* with DVC's Python API, under its lock, and stages are *run* as commands: one `Repo` shared by threads breaks,
and a command in a process group of its own can be ended for certain. The internals used here are those of DVC 3.67, which
pyproject.toml pins.

Not covered: stages of several rounds at once in one workspace by two flows (see `workspace.workspace_lock`), remotes, experiments.
"""

import re
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import chdir
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from flows.errors import BusyError, GraphError

READ_ATTEMPTS = 8
READ_PAUSE_SECONDS = 1.0

# DVC's own report of a lock that it did not get, as opposed to a stage that prints something similar.
_BUSY = re.compile(r"^ERROR: .*(is busy, it is being blocked by:|Unable to acquire lock)")
_EXIT_CODE = re.compile(r"^ERROR: failed to reproduce .* exited with (-?\d+)$")


class Standing(StrEnum):
    """How a stage stands before the flow: a forecast, except for CLEAN."""

    CLEAN = "clean"
    """Its command, dependencies and outputs are those of dvc.lock."""
    RESTORABLE = "restorable"
    """It changed, but the cache holds the outputs."""
    DIRTY = "dirty"
    """It has to run, as far as can be seen before its upstream stages have run."""


class Ending(StrEnum):
    """How a stage that did not fail ended."""

    CACHED = "Cached"
    """Nothing was done."""
    RESTORED = "Restored"
    """Its outputs came from the cache."""
    COMPLETED = "Completed"
    """Its command ran."""


@dataclass(frozen=True)
class Stage:
    """One stage of the graph."""

    address: str
    """As DVC writes it, such as `sample@r00`."""
    upstream: tuple[str, ...]
    """Addresses of the stages whose outputs it reads, sorted."""
    standing: Standing
    """How it stood when the graph was read."""


@dataclass(frozen=True)
class Graph:
    """The targets and everything that they need."""

    stages: tuple[Stage, ...]
    """In an order in which every stage comes after its upstream stages."""

    def summary(self) -> str:
        """One line that counts the standings."""
        counts = {standing: sum(stage.standing is standing for stage in self.stages) for standing in Standing}
        return f"{len(self.stages)} stages: " + ", ".join(f"{count} {standing}" for standing, count in counts.items())


def read_graph(root: Path, targets: Sequence[str] = ()) -> Graph:
    """Reads the graph and how its stages stand, once, under DVC's lock.

    Args:
        root: Folder with dvc.yaml.
        targets: Stages, groups (`sample`), patterns (`*@r01`) or dvc files; nothing means all of the root dvc.yaml.

    Returns:
        The targets and what they need.

    Raises:
        GraphError: The graph cannot be read, or a target is unknown.
        BusyError: Another DVC process kept its lock for longer than we wait.
    """
    from dvc.exceptions import DvcException
    from dvc.lock import LockError

    for attempt in range(1, READ_ATTEMPTS + 1):
        try:
            return _read_graph(root, targets or ("dvc.yaml",))
        except LockError as error:
            if attempt == READ_ATTEMPTS:
                raise BusyError(f"cannot read the graph of {root}: {_one_line(error)}") from error
            time.sleep(READ_PAUSE_SECONDS)
        except DvcException as error:
            raise GraphError(f"cannot read the graph of {root}: {_one_line(error)}") from error
    raise AssertionError("unreachable")


def repro_command(stage: str) -> list[str]:
    """The command that brings one stage, without its upstream stages, up to date.

    Args:
        stage: Its address.

    Returns:
        An argument list; `--wait-for-lock` has to stand before `repro`.
    """
    return [sys.executable, "-m", "dvc", "--wait-for-lock", "repro", "-s", stage]


class OutputReader:
    """Reads from the lines of `repro_command` what DVC did; a final class.

    Only what stands before the stage's own output counts for the ending: a stage may print anything.
    """

    def __init__(self, stage: str) -> None:
        self._markers = {
            f"Stage '{stage}' didn't change, skipping": Ending.CACHED,
            f"'{stage}' didn't change, skipping": Ending.CACHED,
            f"Stage '{stage}' is cached - skipping run, checking out outputs": Ending.RESTORED,
            f"Running stage '{stage}':": Ending.COMPLETED,
        }
        self._ending: Ending | None = None
        self.busy = False
        """Another process held what the stage needs."""
        self.exit_code: int | None = None
        """Of the stage's command, if DVC said that it failed: DVC itself exits with 255."""

    def read(self, line: str) -> None:
        """Takes one line, without its end."""
        if self._ending is None:
            self._ending = self._markers.get(line)
        if _BUSY.match(line):
            self.busy = True
        if match := _EXIT_CODE.match(line):
            self.exit_code = int(match[1])

    @property
    def ending(self) -> Ending:
        """How the stage ended, given that the command succeeded; without any marker DVC verified a data source."""
        return self._ending or Ending.COMPLETED


def _read_graph(root: Path, targets: Iterable[str]) -> Graph:
    from dvc.repo import Repo, lock_repo
    from dvc.repo.reproduce import collect_stages, get_active_graph, plan_repro

    # DVC resolves targets and writes addresses relative to the working directory.
    with chdir(root), Repo(str(root)) as repo, lock_repo(repo):
        # A pattern is a target of another kind for DVC: it matches names of stages, and not names of groups.
        stages = [stage for target in targets for stage in collect_stages(repo, [target], glob=_is_pattern(target))]
        if not stages:
            raise GraphError(f"no stage in {root} matches {', '.join(targets)}")
        graph = get_active_graph(repo.index.graph)
        return Graph(
            tuple(_read_stage(stage, repo, graph.successors) for stage in plan_repro(graph, list(dict.fromkeys(stages))))
        )


def _read_stage(stage: Any, repo: Any, upstream_of: Callable[[Any], Iterable[Any]]) -> Stage:
    upstream = list(upstream_of(stage))
    standing = Standing.DIRTY
    if not stage.changed():
        standing = Standing.CLEAN
    elif _is_restorable(stage, repo, upstream):
        standing = Standing.RESTORABLE
    return Stage(stage.addressing, tuple(sorted(other.addressing for other in upstream)), standing)


def _is_restorable(stage: Any, repo: Any, upstream: list[Any]) -> bool:
    """Whether the outputs are only missing from the workspace, or the run cache knows this command with these dependencies."""
    from dvc.dependency.base import DependencyDoesNotExistError
    from dvc.stage.cache import _can_hash

    if not stage.changed(allow_missing=True, upstream=upstream) and stage.outs_cached():
        return True
    try:
        stage.save_deps()  # in memory only
    except DependencyDoesNotExistError:
        return False
    known = repo.stage_cache._load(stage) if _can_hash(stage) else None
    return bool(known and repo.stage_cache._create_stage(known, wdir=stage.wdir).outs_cached())


def _is_pattern(target: str) -> bool:
    return any(character in target for character in "*?[")


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
