"""Process groups and their end; without Prefect and DVC."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from flows.errors import StoppedError, WorkspaceError
from flows.processes import LINE_CHARACTERS, TAIL_LINES, Finished, Supervisor
from flows.workspace import workspace_lock
from tests.flows.flow_toys import PATIENCE_SECONDS, is_alive, wait_until


def start(supervisor: Supervisor, script: str, cwd: Path, on_line: Callable[[str], None] = lambda _line: None) -> Finished:
    return supervisor.run(["/bin/sh", "-c", script], cwd=cwd, environment=os.environ, on_line=on_line)


def test_lines_stream_and_the_tail_is_kept(tmp_path: Path) -> None:
    lines: list[str] = []
    script = (
        f"for i in $(seq 40); do echo $i; done; head -c {2 * LINE_CHARACTERS} /dev/zero | tr '\\0' x; echo; echo end >&2; exit 3"
    )
    finished = start(Supervisor(workers=1), script, tmp_path, lines.append)
    assert finished.exit_code == 3
    assert lines[:2] == ["1", "2"]
    assert lines[-2:] == ["x" * LINE_CHARACTERS, "end"]
    assert finished.tail == tuple(lines[-TAIL_LINES:])


def test_what_a_command_leaves_behind_ends_with_it(tmp_path: Path) -> None:
    finished = start(Supervisor(workers=1, grace_seconds=0.5), "sleep 600 & echo $!", tmp_path)
    assert finished.exit_code == 0
    assert not is_alive(int(finished.tail[0]))


def test_a_reader_that_raises_ends_the_command(tmp_path: Path) -> None:
    def refuse(line: str) -> None:
        (tmp_path / "pid").write_text(line)
        raise ValueError(line)

    with pytest.raises(ValueError):
        start(Supervisor(workers=1, grace_seconds=0.5), "echo $$; sleep 600", tmp_path, refuse)
    assert not is_alive(int((tmp_path / "pid").read_text()))


def test_stop_kills_those_who_ignore_sigterm_and_starts_no_more(tmp_path: Path) -> None:
    supervisor, lines, ends = Supervisor(workers=1, grace_seconds=0.5), list[str](), list[str]()
    stubborn = (
        f'{sys.executable} -c "import os, signal, time; signal.signal(15, 1); print(os.getpid(), flush=True); time.sleep(600)"'
    )

    def run(script: str) -> None:
        try:
            start(supervisor, script, tmp_path, lines.append)
        except StoppedError as error:
            ends.append(str(error))

    threads = [threading.Thread(target=run, args=(script,)) for script in (stubborn, "touch never")]
    threads[0].start()
    wait_until(lambda: bool(lines), "the stubborn command runs")
    threads[1].start()  # waits for the one place
    supervisor.stop()
    for thread in threads:
        thread.join(PATIENCE_SECONDS)
    assert not is_alive(int(lines[0]))
    assert sorted(end.split(":")[0] for end in ends) == ["not started", "stopped while it ran"]
    assert not (tmp_path / "never").exists()


def test_the_workspace_stays_locked_while_a_stage_outlives_its_flow(tmp_path: Path) -> None:
    with workspace_lock(tmp_path) as lock:
        orphan = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, pass_fds=(lock,))
    try:
        with pytest.raises(WorkspaceError, match=f"pid {os.getpid()}"), workspace_lock(tmp_path):
            pass
    finally:
        orphan.communicate(b"\n", timeout=PATIENCE_SECONDS)
    with workspace_lock(tmp_path):
        pass


def test_no_more_than_workers_run_at_a_time(tmp_path: Path) -> None:
    supervisor, running, most, guard = Supervisor(workers=2), [0], [0], threading.Lock()

    def on_line(line: str) -> None:
        with guard:
            running[0] += 1 if line == "begin" else -1
            most[0] = max(most[0], running[0])

    threads = [
        threading.Thread(target=start, args=(supervisor, "echo begin; sleep 0.1; echo end", tmp_path, on_line)) for _ in range(5)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_SECONDS)
    assert running == [0]
    assert 1 <= most[0] <= 2
