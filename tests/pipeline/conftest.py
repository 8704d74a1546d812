"""A finished campaign on the real graph with a model made on the spot, made once and copied for each test."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from filelock import FileLock

from assay.models import tiny

ROOT = Path(__file__).resolve().parents[2]
TASKS = """tasks:
  p01_expressions: {domain: primer, shared: tasks/primer/composing, difficulty: easy, train: 3, eval: 2}
  p03_held_out: {domain: primer, shared: tasks/primer/composing, difficulty: easy, train: 0, eval: 2}
  t01_kalman_filter: {domain: cps, shared: tasks/cps/arrays.py, difficulty: easy, train: 1, eval: 1}
"""


@dataclass(frozen=True)
class Workspace:
    """A checkout with its data."""

    home: Path

    def run(self, *command: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a Python module here, as make does."""
        ended = subprocess.run(
            [sys.executable, "-m", *command], cwd=self.home, env=self.environment(), capture_output=True, text=True, timeout=1500
        )
        assert not check or ended.returncode == 0, f"{command}\n{ended.stdout[-3000:]}\n{ended.stderr[-3000:]}"
        return ended

    def environment(self) -> dict[str, str]:
        """The environment of a run: this checkout's code before the installed one."""
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        quiet = {"DVC_NO_ANALYTICS": "1", "OMP_WAIT_POLICY": "PASSIVE", "HF_HUB_OFFLINE": "1"}
        return {**os.environ, **quiet, "PATH": path, "PYTHONPATH": str(self.home)}

    def repro(self, *arguments: str) -> list[str]:
        """`dvc repro`; which stages ran."""
        return re.findall(r"Running stage '([^']+)'", self.run("dvc", "repro", *arguments).stdout)

    def git(self, *arguments: str) -> str:
        """Run git here."""
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"]
        return subprocess.run(["git", *identity, *arguments], cwd=self.home, check=True, capture_output=True, text=True).stdout

    def change(self, file: str, old: str, new: str) -> None:
        """Replace text that must be there."""
        path = self.home / file
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{file} has no {old!r}"
        path.write_text(text.replace(old, new, 1), encoding="utf-8")


def checkout(home: Path, model: Path) -> Workspace:
    """A clone of what stands here, with a small campaign in params.yaml, committed."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    for name in listed.stdout.splitlines():
        source = ROOT / name
        if source.is_file() and name != "dvc.lock":
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, home / name)
    space = Workspace(home)
    text = (home / "params.yaml").read_text(encoding="utf-8")
    text = re.sub(r"tasks:\n(  .*\n)+", TASKS, text)
    text = text.replace("source: embedded", f"source: {model}").replace("workers: 2", "workers: 1")
    text = re.sub(r"max_new_tokens: \d+", "max_new_tokens: 8", text)
    text = re.sub(r"attempts: \d+", "attempts: 2", text).replace("limit: 8", "limit: 2")
    (home / "params.yaml").write_text(text, encoding="utf-8")
    space.git("init", "-q", "-b", "main")
    space.git("add", "-A")
    space.git("commit", "-qm", "start")
    return space


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model in a folder, the same bytes for each worker."""
    folder = _shared(tmp_path_factory) / "model"
    with FileLock(f"{folder}.lock"):
        if not folder.is_dir():
            draft = folder.with_name("model.draft")
            tiny.make(draft, context=8192)
            draft.rename(folder)
    return folder


def _shared(factory: pytest.TempPathFactory) -> Path:
    base = factory.getbasetemp()
    return base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base


@pytest.fixture(scope="session")
def finished(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """The campaign after one `dvc repro`, committed with its dvc.lock; never changed by a test."""
    home = _shared(tmp_path_factory) / "finished"
    with FileLock(f"{home}.lock"):
        if not home.is_dir():
            draft = home.with_name("finished.draft")
            shutil.rmtree(draft, ignore_errors=True)
            draft.mkdir()
            space = checkout(draft, model)
            space.repro()
            space.git("add", "-A")
            space.git("commit", "-qm", "the campaign")
            draft.rename(home)
    return Workspace(home)


@pytest.fixture
def space(finished: Workspace, tmp_path: Path) -> Workspace:
    """A copy of the finished campaign for one test."""
    home = tmp_path / "space"
    shutil.copytree(finished.home, home, symlinks=True)
    return Workspace(home)
