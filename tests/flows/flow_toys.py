"""A toy graph, the flow as a command, and waiting; what the tests of this folder share."""

import os
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 120.0

# calls.log has a line for each command that ran.
GRAPH = """\
stages:
  make:
    foreach:
      r00: {text: zero}
      r01: {text: one}
    do:
      cmd: echo ${key} >> calls.log; echo ${item.text} | cat in.txt - > ${key}.txt
      deps:
        - in.txt
      outs:
        - ${key}.txt
  join:
    cmd: echo join >> calls.log; cat r00.txt r01.txt > join.txt
    deps: [r00.txt, r01.txt]
    outs: [join.txt]
"""


@dataclass(frozen=True)
class Flow:
    """What a flow's process left."""

    code: int
    text: str

    def endings(self) -> dict[str, str]:
        """From the summary: stage -> how it ended."""
        cells = [[cell.strip() for cell in line.split("│")] for line in self.text.splitlines() if line.startswith("│")]
        return {cell[1]: cell[2] for cell in cells}


def command(root: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "flows.round", "--root", str(root), *arguments]


def environment(folder: Path, api_url: str | None) -> dict[str, str]:
    """The test's own, with nothing of Prefect or DVC from outside."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PREFECT_", "DVC_"))}
    clean |= {"DVC_SITE_CACHE_DIR": str(folder / "site"), "DVC_GLOBAL_CONFIG_DIR": str(folder / "global")}
    clean |= {"PYTHONPATH": str(REPOSITORY), "NO_COLOR": "1", "COLUMNS": "120", "NO_PROXY": "127.0.0.1", "SHELL": "/bin/sh"}
    return clean if api_url is None else clean | {"PREFECT_API_URL": api_url, "PREFECT_HOME": str(folder / "prefect")}


def wait_until(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            pytest.fail(f"waited in vain until {what}")
        time.sleep(0.05)


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that only waits to be reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/health", timeout=5):
            return True
    except (urllib.error.URLError, OSError):
        return False
