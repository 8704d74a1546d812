"""The flow as a user runs it: how stages end, and how the flow ends."""

import os
import signal
import socket
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from flows.workspace import workspace_lock
from tests.flows.flow_toys import GRAPH, PATIENCE_SECONDS, Flow, command, environment, is_alive, wait_until

Workspace = Callable[..., Path]
Run = Callable[..., Flow]

BROKEN = (
    GRAPH
    + """\
  broken:
    cmd: echo first; echo the reason >&2; exit 7
    deps: [r00.txt]
    outs: [broken.txt]
  after:
    cmd: cp broken.txt after.txt
    deps: [broken.txt]
    outs: [after.txt]
"""
)
# `hold` leaves an entry of a living process in DVC's lock of paths: `held` is busy until that process is gone.
HOLD = """\
import json, pathlib, subprocess
holder = subprocess.Popen(["sleep", "2"], start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
path = pathlib.Path(".dvc/tmp/rwlock")
entries = json.loads(path.read_text())
entries["write"][str(pathlib.Path("held.txt").resolve())] = {"pid": holder.pid, "cmd": "another"}
path.write_text(json.dumps(entries))
pathlib.Path("hold.txt").touch()
"""
HELD = """\
  hold:
    cmd: python3 hold.py
    deps: [r01.txt]
    outs: [hold.txt]
  held:
    cmd: cp hold.txt held.txt
    deps: [hold.txt]
    outs: [held.txt]
"""
LONG = (
    GRAPH
    + """\
  long:
    cmd: test -e go || { echo $$ > shell.pid; sleep 600 & echo $! > sleep.pid; wait; }; touch long.txt
    deps: [join.txt]
    outs: [long.txt]
"""
)


def calls(root: Path) -> list[str]:
    return sorted((root / "calls.log").read_text().split())


def test_stages_complete_and_then_are_cached_or_restored(
    make_workspace: Workspace, run_flow: Run, server: str, shared: Path
) -> None:
    root = make_workspace()
    copy_database(shared / "server", root / ".cache" / "prefect")
    first = run_flow(root, api_url=None)  # with a temporary server
    assert first.code == 0, first.text
    assert first.endings() == {"make@r00": "Completed", "make@r01": "Completed", "join": "Completed"}
    assert "Failed to send" not in first.text

    (root / "r00.txt").unlink()
    (root / "join.txt").unlink()
    second = run_flow(root, "--workers", "2", api_url=server)
    assert second.code == 0, second.text
    assert second.endings() == {"make@r00": "Restored", "make@r01": "Cached", "join": "Restored"}
    assert "Stage 'make@r00' is cached" in second.text
    assert "Stage 'make@r01'" not in second.text  # for this one no process started
    assert (root / "join.txt").read_text() == "in\nzero\nin\none\n"
    assert calls(root) == ["join", "r00", "r01"]


def test_failing_stage_fails_the_flow_and_a_busy_one_is_tried_again(
    make_workspace: Workspace, run_flow: Run, server: str
) -> None:
    root = make_workspace(BROKEN + HELD)
    (root / "hold.py").write_text(HOLD)
    ended = run_flow(root, api_url=server)
    assert ended.code == 1, ended.text
    assert ended.endings() == {
        "make@r00": "Completed",
        "make@r01": "Completed",
        "join": "Completed",
        "broken": "Failed",
        "after": "Not run",
        "hold": "Completed",
        "held": "Completed",
    }
    assert "Retry 1/" in ended.text
    report = ended.text[ended.text.rindex("flows.round: stage 'broken' failed: its command exited with 7") :]
    assert "\n  | first\n" in report
    assert "\n  | the reason\n" in report
    assert "Traceback" not in ended.text


def test_sigterm_leaves_nothing_running_and_the_next_flow_resumes(
    make_workspace: Workspace, run_flow: Run, server: str, shared: Path
) -> None:
    root = make_workspace(LONG)
    log = root / "flow.log"
    with log.open("w") as output:
        process = subprocess.Popen(command(root), env=environment(shared, server), stdout=output, stderr=subprocess.STDOUT)
    try:
        wait_until(lambda: process.poll() is not None or has_text(root / "sleep.pid"), "the long stage runs")
        pids = [int((root / name).read_text()) for name in ("shell.pid", "sleep.pid")]
        assert all(map(is_alive, pids))
        refused = run_flow(root, api_url=server)
        assert refused.code == 2
        assert refused.text == f"flows.round: another flow (pid {process.pid}), or a stage that it left, is at work in {root}\n"
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=PATIENCE_SECONDS) == 143, log.read_text()
    finally:
        process.kill()
        process.wait()
    assert not any(map(is_alive, pids))
    ended = Flow(143, log.read_text())
    assert ended.endings() == {"make@r00": "Completed", "make@r01": "Completed", "join": "Completed", "long": "Stopped"}

    (root / "go").touch()
    again = run_flow(root, api_url=server)
    assert again.code == 0, again.text
    assert again.endings() == {"make@r00": "Cached", "make@r01": "Cached", "join": "Cached", "long": "Completed"}
    assert calls(root) == ["join", "r00", "r01"]


@pytest.mark.slow
def test_ctrl_c_in_a_terminal_ends_a_flow_with_a_temporary_server(make_workspace: Workspace, shared: Path) -> None:
    root = make_workspace(LONG)
    log = root / "flow.log"
    with log.open("w") as output:
        # As in a terminal: the signal goes to the flow's whole process group, and so to the server that it started.
        process = subprocess.Popen(
            command(root), env=environment(shared, None), stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
    try:
        wait_until(lambda: process.poll() is not None or has_text(root / "sleep.pid"), "the long stage runs")
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(timeout=PATIENCE_SECONDS) == 130, log.read_text()
    finally:
        process.kill()
        process.wait()
    assert not is_alive(int((root / "sleep.pid").read_text()))
    assert "Traceback" not in log.read_text()


def copy_database(source: Path, target: Path) -> None:
    """Spares a temporary server the migrations of a new database; `source` may be in use."""
    target.mkdir(parents=True)
    with closing(sqlite3.connect(source / "prefect.db")) as old, closing(sqlite3.connect(target / "prefect.db")) as new:
        old.backup(new)


def has_text(path: Path) -> bool:
    return path.exists() and path.read_text().strip() != ""


def test_a_locked_workspace_is_refused_at_once(make_workspace: Workspace, run_flow: Run) -> None:
    root = make_workspace()
    with workspace_lock(root):
        refused = run_flow(root, api_url=None)
    assert refused.code == 2
    assert refused.text.startswith(f"flows.round: another flow (pid {os.getpid()})")
    assert refused.text.count("\n") == 1
    assert not (root / ".cache" / "prefect").exists()


def test_a_server_that_does_not_answer_is_one_line(make_workspace: Workspace, run_flow: Run) -> None:
    root = make_workspace()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound but not listening: connections are refused
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/api"
        ended = run_flow(root, api_url=url)
    assert ended.code == 2
    assert ended.text.startswith(f"flows.round: no Prefect server answers at PREFECT_API_URL={url}")
    assert ended.text.count("\n") == 1


def test_a_folder_without_a_graph_is_one_line(tmp_path: Path, run_flow: Run) -> None:
    ended = run_flow(tmp_path, api_url=None)
    assert ended.code == 2
    assert ended.text == f"flows.round: {tmp_path} is no workspace: expected .dvc in it (see --root)\n"
