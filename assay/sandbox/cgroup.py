"""Control groups, version 1 or 2, where this process may make them: a cap on memory and on threads a worker.

A group is made once for a zygote, which joins it before it forks. A group whose owner died is removed at the next start. On many
hosts (containers without delegation, version 2 without an enabled controller) nothing can be made: then the layer is absent and said to be.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import time
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")
_PREFIX = "assay-"
_TASKS = 512
_count = itertools.count()


def _own_paths() -> dict[str, str]:
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return {}
    return {names or "unified": path for _, names, path in (line.split(":", 2) for line in lines)}


def _folder(controller: str) -> Path | None:
    for names, path in _own_paths().items():
        if controller in names.split(","):
            for folder in (_ROOT / names / path.lstrip("/"), _ROOT / names):
                if (folder / "cgroup.procs").exists():
                    return folder
        if names == "unified" and (_ROOT / "cgroup.controllers").exists():
            folder = _ROOT / path.lstrip("/")
            if (folder / "cgroup.procs").exists():
                return folder
    return None


class Group:
    """One zygote's groups.

    Raises:
        OSError: this host lets us make none.
    """

    def __init__(self) -> None:
        name = f"{_PREFIX}{os.getpid()}-{next(_count)}"
        self.folders: dict[str, Path] = {}
        self.limit = 0
        try:
            for controller in ("memory", "pids"):
                parent = _folder(controller)
                if parent is not None:
                    self.folders[controller] = parent / name
                    self.folders[controller].mkdir(exist_ok=True)
            if "memory" not in self.folders:
                raise OSError("no memory controller")
            self.set_memory(1 << 33)
            if "pids" in self.folders:
                (self.folders["pids"] / "pids.max").write_text(str(_TASKS))
        except OSError:
            self.remove()
            raise

    def set_memory(self, limit: int) -> None:
        """Cap resident memory, page cache and tmpfs included, in bytes."""
        if limit == self.limit:
            return
        folder = self.folders["memory"]
        old = (folder / "memory.limit_in_bytes").exists()
        (folder / ("memory.limit_in_bytes" if old else "memory.max")).write_text(str(limit))
        self.limit = limit

    def join(self, pid: int) -> None:
        """Put a process into the groups."""
        for folder in set(self.folders.values()):
            (folder / "cgroup.procs").write_text(str(pid))

    def kills(self) -> int:
        """How many processes the kernel has ended here for want of memory."""
        for name in ("memory.oom_control", "memory.events"):
            path = os.path.join(self.folders["memory"], name)  # noqa: PTH118 - as text, see jobs.checked_path
            with contextlib.suppress(OSError, ValueError), open(path) as file:
                for line in file:
                    if line.startswith("oom_kill "):
                        return int(line.split()[1])
        return 0

    def remove(self) -> None:
        """Remove the groups; their processes must be gone."""
        for folder in set(self.folders.values()):
            for _ in range(50):
                try:
                    folder.rmdir()
                    break
                except FileNotFoundError:
                    break
                except OSError:
                    time.sleep(0.02)


def sweep() -> None:
    """Remove groups whose owner is gone."""
    for parent in {_folder("memory"), _folder("pids")} - {None}:
        assert parent is not None
        for folder in parent.glob(f"{_PREFIX}*"):
            owner = folder.name.removeprefix(_PREFIX).split("-")[0]
            if owner.isdigit() and not Path(f"/proc/{owner}").exists():
                with contextlib.suppress(OSError):
                    folder.rmdir()


@functools.lru_cache(maxsize=1)
def available() -> bool:
    """Whether groups can be made here and their limits written."""
    try:
        sweep()
        Group().remove()
    except OSError:
        return False
    return True
