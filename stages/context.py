"""What every stage needs: the root, the settings, the places of the tables, and one way to end with a clear line."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay import catalog, tables
from assay.catalog import Task
from assay.errors import AssayError, SettingsError
from assay.records import Instance
from stages import settings as settings_of
from stages.settings import Settings

BASE = "base"


@dataclass(frozen=True)
class Context:
    """One run of one stage."""

    root: Path
    settings: Settings
    name: str
    """the argument: a round or a task"""

    @property
    def previous(self) -> str:
        """The round before this one."""
        return self.settings.rounds[self.name].previous

    @property
    def cache(self) -> Path:
        """Where expensive results are kept below the stages."""
        return self.root / ".cache" / "assay"

    def round_folder(self, name: str | None = None) -> Path:
        """The tables of a round; of this one without an argument."""
        return self.root / "data" / "rounds" / (name or self.name)

    def instances_folder(self, task_id: str) -> Path:
        """The instances of a task."""
        return self.root / "data" / "instances" / task_id

    def tasks(self) -> Mapping[str, Task]:
        """The tasks that the settings name.

        Raises:
            SettingsError: a task that no folder has, in another domain, or a held-out task with training instances.
        """
        found = catalog.scan(self.root / "tasks")
        named: dict[str, Task] = {}
        for task_id, wanted in self.settings.tasks.items():
            task = catalog.find(found, task_id)
            where = f"params.yaml: tasks.{task_id}"
            if task.domain != wanted.domain:
                raise SettingsError(f"{where}.domain: expected {task.domain}, received {wanted.domain}")
            if not (self.root / wanted.shared).exists():
                raise SettingsError(f"{where}.shared: expected a file or folder under {self.root}, received {wanted.shared!r}")
            if task.spec.eval_only and wanted.train:
                raise SettingsError(f"{where}.train: the task is held out, expected 0, received {wanted.train}")
            task.difficulty(wanted.difficulty)
            named[task_id] = task
        return named

    def instances(self) -> list[Instance]:
        """All instances of all tasks of the settings, in the order of their ids."""
        rows: list[Instance] = []
        for task_id in self.settings.tasks:
            rows += tables.read(self.instances_folder(task_id) / "instances.parquet", Instance)
        return sorted(rows, key=lambda row: row.instance_id)


def say(line: str) -> None:
    """One line for whoever watches."""
    print(line, flush=True)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        print(f"{self.prog}: {message}", file=sys.stderr)
        raise SystemExit(2)


def main(
    stage: Callable[[Context], None], *, argument: str | None = None, choices: Callable[[Settings], Sequence[str]] | None = None
) -> None:
    """Run a stage as a program: read its argument and params.yaml, do it, and end with one clear line where that can't be done.

    Args:
        stage: the work.
        argument: what the one argument is called, or None where a stage has none.
        choices: which values the argument may have.
    """
    module = sys.modules[stage.__module__]
    parser = _Parser(prog=Path(sys.argv[0]).stem, description=(module.__doc__ or "").split("\n\n")[0])
    if argument:
        parser.add_argument(argument)
    name = str(getattr(parser.parse_args(), argument)) if argument else ""
    root = Path.cwd()
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    try:
        settings = settings_of.read(root / "params.yaml")
        if choices is not None and name not in choices(settings):
            raise SettingsError(f"{argument}: expected one of {', '.join(choices(settings))}, received {name!r}")
        stage(Context(root=root, settings=settings, name=name))
    except AssayError as error:
        raise SystemExit(_ended(parser.prog, error)) from None
    except OSError as error:
        raise SystemExit(_ended(parser.prog, error)) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def _ended(program: str, error: Exception) -> int:
    print(f"{program}: {' '.join(str(error).split())}", file=sys.stderr, flush=True)
    return 2


def rounds(settings: Settings) -> list[str]:
    """The rounds that may be named."""
    return list(settings.rounds)


def rounds_and_base(settings: Settings) -> list[str]:
    """The rounds that may be measured."""
    return [BASE, *settings.rounds]
