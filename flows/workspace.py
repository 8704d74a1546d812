"""The workspace that a flow runs in: its environment, its lock, and the server that it reports to.

Nothing here imports Prefect or DVC: Prefect reads its settings at import, so `prepare_environment` has to come first.
"""

import fcntl
import os
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flows.errors import ServerError, WorkspaceError

LOCK_FILE = Path(".cache") / "flow.lock"
SERVER_ANSWER_SECONDS = 10.0

# Without these Prefect and DVC call home, which is unwanted anywhere and an error in the log where there is no network.
QUIET = {
    "DO_NOT_TRACK": "1",
    "DVC_NO_ANALYTICS": "1",
    "PREFECT_CLOUD_ENABLE_ORCHESTRATION_TELEMETRY": "false",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
    "PREFECT_TELEMETRY_ENABLE_RESOURCE_METRICS": "false",
}
# The ephemeral server: a first start migrates its database, which takes longer than Prefect's 20 s on a busy machine.
EPHEMERAL = {
    "PREFECT_SERVER_ALLOW_EPHEMERAL_MODE": "true",
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "90",
}


def prepare_environment(root: Path) -> None:
    """Sets what Prefect and DVC read from the environment; a value that is there already stays.

    Args:
        root: The workspace. Without PREFECT_API_URL, Prefect keeps its database in `.cache/prefect` below it.
    """
    settings = dict(QUIET)
    if not os.environ.get("PREFECT_API_URL"):
        settings |= EPHEMERAL | {"PREFECT_HOME": str(root / ".cache" / "prefect")}
    for name, value in settings.items():
        os.environ.setdefault(name, value)


def stage_environment() -> dict[str, str]:
    """The environment of a stage's process: ours, with telemetry off and Python's output unbuffered, so that lines stream."""
    return os.environ | {"DVC_NO_ANALYTICS": "1", "PYTHONUNBUFFERED": "1"}


def require_workspace(root: Path) -> None:
    """Refuses a folder that is no DVC project with a graph.

    Raises:
        WorkspaceError: `.dvc` or `dvc.yaml` is missing.
    """
    for name in (".dvc", "dvc.yaml"):
        if not (root / name).exists():
            raise WorkspaceError(f"{root} is no workspace: expected {name} in it (see --root)")


def require_server() -> None:
    """Checks that the server of PREFECT_API_URL answers, if one is named.

    Raises:
        ServerError: Nothing answers there.
    """
    url = os.environ.get("PREFECT_API_URL")
    if not url:
        return
    try:
        with urllib.request.urlopen(f"{url.rstrip('/')}/health", timeout=SERVER_ANSWER_SECONDS):
            return
    except urllib.error.HTTPError:
        return  # it answers; whether it lets us in is for Prefect to say
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise ServerError(
            f"no Prefect server answers at PREFECT_API_URL={url} ({reason}): start it with `prefect server start`, "
            "or unset PREFECT_API_URL to run with a temporary one"
        ) from error


@contextmanager
def workspace_lock(root: Path) -> Iterator[int]:
    """Holds the workspace for one flow.

    The lock belongs to the open file, not to the process. Stages inherit the descriptor, so a flow killed with SIGKILL leaves
    the workspace locked until the last stage that it started has ended: no second writer starts beside an orphan.

    Args:
        root: The workspace.

    Yields:
        The descriptor that holds the lock.

    Raises:
        WorkspaceError: Another flow, or a stage that one left behind, holds it.
    """
    path = root / LOCK_FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.pread(descriptor, 100, 0).decode(errors="replace").strip() or "unknown"
            raise WorkspaceError(f"another flow (pid {holder}), or a stage that it left, is at work in {root}") from error
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield descriptor
    finally:
        os.close(descriptor)
