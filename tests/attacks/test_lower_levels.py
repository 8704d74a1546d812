"""Part of the catalogue without namespaces, and as an ordinary user: what isn't about time limits ends as it must there too.

Each fight is a process of its own (`skirmish`), so that another user can run it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from assay.sandbox import host
from tests.attacks.arena import BREACH, CANDIDATES, catalogue
from tests.sandbox.test_levels import _answer

ROOT = Path(__file__).resolve().parents[2]
AS_USER = """
aside=$(mktemp -d) || exit 1
if [ -n "$1" ]; then
    mount --bind "$2" "$aside" && mount -t tmpfs -o mode=755 none "$1" && mkdir -p "$2" && mount --move "$aside" "$2" || exit 1
fi
rmdir "$aside"
shift 2
exec setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/tmp "$@"
"""
"""in a mount namespace of its own, where the closed folder above Python is replaced by an open one that holds nothing but Python"""

Fought = dict[str, Any]
ALLOW = 0x7FFF0000


def _result(command: list[str], names: list[str], without: list[str]) -> Fought:
    """What a fight tells; its temporary folder is ours, so that nothing stays on the host whatever happens."""
    asked = json.dumps({"names": names, "without": without})
    folder = tempfile.mkdtemp()
    Path(folder).chmod(0o1777)
    try:
        done = subprocess.run(
            [*command, sys.executable, "-B", "-m", "tests.attacks.skirmish", asked],
            cwd=ROOT,
            env=os.environ | {"TMPDIR": folder},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        found: Fought = json.loads(done.stdout.splitlines()[-1])
        return found | {"left": [path.name for path in Path(folder).iterdir()]}
    finally:
        subprocess.run(["rm", "-rf", folder], check=True)  # shutil.rmtree fails on what some candidates leave


def _closed_above(path: Path) -> str:
    """The topmost folder above a path that others may not enter."""
    return next((str(folder) for folder in reversed(path.parents) if not folder.stat().st_mode & 1), "")


def as_user(names: list[str], without: list[str]) -> Fought:
    """Fight as an ordinary user; skips where this can't be arranged."""
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    if not all(map(shutil.which, ("setpriv", "unshare", "mount"))):
        pytest.skip("needs setpriv, unshare and mount")
    prefix = Path(sys.base_prefix).resolve()
    closed = _closed_above(prefix)
    if _closed_above(ROOT / "assay") or (closed and _closed_above(Path(sys.prefix) / "lib")):
        pytest.skip("an ordinary user can't read the checkout or Python")
    command = ["unshare", "--mount", "--propagation", "private", "sh", "-c", AS_USER, "sh", closed, str(prefix)]
    probe = subprocess.run([*command, sys.executable, "-c", "import numpy, scipy"], cwd="/", capture_output=True, text=True)
    if probe.returncode:
        pytest.skip(f"an ordinary user can't run Python here: {probe.stderr.strip()[-200:]}")
    return _result(command, names, without)


def as_ourselves(names: list[str], without: list[str]) -> Fought:
    """Fight as the user that runs the tests."""
    return _result([], names, without)


ONCE_WEAK = [
    "leftovers/closed_folders",
    "leftovers/deep_folders",
    "resources/disk_closed_folder",
    "resources/disk_descriptors",
    "resources/threads_small",
]
"""attacks that once got through without namespaces, or did so for an ordinary user"""
QUICK = [c for c in catalogue(CANDIDATES) if c.limits.wall_seconds > 5 and c.limits.cpu_seconds > 5]
FAST = [c.name for c in QUICK if "C" in c.levels]
SAMPLE = sorted({*FAST[1::2], *ONCE_WEAK})


ALIVE = [
    "escape/exec",
    "escape/leave_root",
    "escape/network",
    "leaks/proc",
    "resources/daemon",
    "resources/fork",
    "resources/subprocess",
    "resources/threads_small",
]
"""attacks that do no harm when they succeed"""


def _holds(found: Fought, level: str, least: int) -> None:
    if found["isolation"][0] != level:
        pytest.skip(f"this host only reaches {found['isolation']} so")
    assert found["wrong"] == {}
    assert found["honest"]
    assert found["left"] == []
    assert found["judged"] >= least


def test_where_no_layer_is_in_force_attacks_succeed() -> None:
    found = as_ourselves(ALIVE, list(host.LAYERS))
    assert found["isolation"].startswith("none")
    assert found["judged"] == len(ALIVE)
    dead = [name for name in ALIVE if not any(BREACH in line for line in found["wrong"].get(name, []))]
    assert dead == [], "an attack that breaks nothing here proves nothing elsewhere"
    assert found["left"] == []


def test_without_namespaces_the_rest_holds() -> None:
    _holds(as_ourselves(sorted({*FAST, *ONCE_WEAK}), ["namespaces"]), "C", 64)


def test_as_an_ordinary_user_it_holds() -> None:
    _holds(as_user([c.name for c in QUICK[::2]], []), "B", 64)


def test_as_an_ordinary_user_without_namespaces_it_holds() -> None:
    _holds(as_user(SAMPLE, ["namespaces"]), "C", 32)


@pytest.mark.parametrize("command", [8, 10, 15])
def test_the_filter_lets_no_descriptor_signal_another_process(command: int) -> None:
    assert _answer("x86_64", "fcntl", (5, command, 1)) != ALLOW
