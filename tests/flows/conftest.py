"""Toy workspaces, one Prefect server for the session, and the flow as a command."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.flows.flow_toys import GRAPH, PATIENCE_SECONDS, Flow, answers, command, environment, wait_until


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for what all workspaces share."""
    return tmp_path_factory.mktemp("flows")


@pytest.fixture(scope="session")
def template(shared: Path) -> Path:
    """An empty DVC project."""
    root = shared / "template"
    root.mkdir()
    call = [sys.executable, "-m", "dvc", "init", "--no-scm", "-q"]
    subprocess.run(call, cwd=root, env=environment(shared, None), check=True, timeout=PATIENCE_SECONDS)
    (root / ".dvc" / "config").write_text("[core]\n    no_scm = true\n    analytics = false\n    check_update = false\n")
    (root / "in.txt").write_text("in\n")
    return root


@pytest.fixture
def make_workspace(template: Path, tmp_path: Path) -> Callable[[str], Path]:
    """A DVC project with a graph."""

    def make(graph: str = GRAPH) -> Path:
        root = tmp_path / "workspace"
        shutil.copytree(template, root)
        (root / "dvc.yaml").write_text(graph)
        return root

    return make


@pytest.fixture(scope="session")
def server(shared: Path) -> Iterator[str]:
    """The API address of one Prefect server for all tests."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    quiet = {"PREFECT_SERVER_ANALYTICS_ENABLED": "false", "DO_NOT_TRACK": "1", "PREFECT_HOME": str(shared / "server")}
    call = [sys.executable, "-m", "prefect", "server", "start", "--no-ui", "--host", "127.0.0.1", "--port", str(port)]
    with (shared / "server.log").open("w") as log:
        process = subprocess.Popen(
            call, env=environment(shared, None) | quiet, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )
    url = f"http://127.0.0.1:{port}/api"
    try:
        wait_until(lambda: process.poll() is not None or answers(url), "the Prefect server answers")
        assert process.poll() is None, (shared / "server.log").read_text()
        yield url
    finally:
        process.terminate()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.fixture
def run_flow(shared: Path) -> Callable[..., Flow]:
    """Runs the flow to its end."""

    def run(root: Path, *arguments: str, api_url: str | None) -> Flow:
        ended = subprocess.run(
            command(root, *arguments),
            env=environment(shared, api_url),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE_SECONDS,
        )
        return Flow(ended.returncode, ended.stdout)

    return run
