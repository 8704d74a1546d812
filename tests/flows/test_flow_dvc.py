"""Reading the graph, and what DVC's output says; without Prefect."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import flows.dvc
from flows.dvc import Ending, OutputReader, Standing, read_graph, repro_command
from flows.errors import BusyError, GraphError
from tests.flows.flow_toys import PATIENCE_SECONDS, environment

Workspace = Callable[..., Path]


@pytest.fixture(autouse=True)
def dvc_folders(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DVC_SITE_CACHE_DIR", "DVC_GLOBAL_CONFIG_DIR"):
        monkeypatch.setenv(name, environment(shared, None)[name])


def standings(root: Path, *targets: str) -> dict[str, Standing]:
    return {stage.address: stage.standing for stage in read_graph(root, targets).stages}


def run(call: list[str], root: Path, shared: Path) -> tuple[int, list[str]]:
    ended = subprocess.run(
        call,
        cwd=root,
        env=environment(shared, None),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE_SECONDS,
    )
    return ended.returncode, ended.stdout.splitlines()


def read(stage: str, lines: list[str]) -> OutputReader:
    reader = OutputReader(stage)
    for line in lines:
        reader.read(line)
    return reader


def test_graph_and_standings_follow_the_workspace(make_workspace: Workspace, shared: Path) -> None:
    root = make_workspace()
    graph = read_graph(root)
    assert {stage.address: stage.upstream for stage in graph.stages} == {
        "make@r00": (),
        "make@r01": (),
        "join": ("make@r00", "make@r01"),
    }
    assert graph.stages[-1].address == "join"
    assert graph.summary() == "3 stages: 0 clean, 0 restorable, 3 dirty"
    assert list(standings(root, "*@r01")) == ["make@r01"]
    assert list(standings(root, "make")) == ["make@r00", "make@r01"]

    code, lines = run([sys.executable, "-m", "dvc", "repro"], root, shared)
    assert code == 0, lines
    assert set(standings(root).values()) == {Standing.CLEAN}

    (root / "r00.txt").unlink()
    assert standings(root) == {"make@r00": Standing.RESTORABLE, "make@r01": Standing.CLEAN, "join": Standing.RESTORABLE}
    code, lines = run(repro_command("make@r00"), root, shared)
    assert (code, read("make@r00", lines).ending) == (0, Ending.RESTORED)
    code, lines = run(repro_command("make@r00"), root, shared)
    assert (code, read("make@r00", lines).ending) == (0, Ending.CACHED)

    (root / "in.txt").write_text("other\n")
    assert standings(root)["make@r00"] is Standing.DIRTY
    assert run([sys.executable, "-m", "dvc", "repro"], root, shared)[0] == 0
    (root / "in.txt").write_text("in\n")  # as at first: the run cache knows it
    assert standings(root)["make@r00"] is Standing.RESTORABLE


@pytest.mark.parametrize("target", ["nothing", "*@r77", "make@r77"])
def test_unknown_target_is_named(make_workspace: Workspace, target: str) -> None:
    with pytest.raises(GraphError) as caught:
        read_graph(make_workspace(), [target])
    assert target in str(caught.value)
    assert "\n" not in str(caught.value)


def test_broken_yaml_is_one_line(make_workspace: Workspace) -> None:
    with pytest.raises(GraphError, match=r"dvc\.yaml") as caught:
        read_graph(make_workspace("stages: {make: {cmd: }"))
    assert "\n" not in str(caught.value)


def test_a_stage_that_another_process_holds_is_busy_and_then_is_not(
    make_workspace: Workspace, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_workspace()
    assert run(repro_command("make@r00"), root, shared)[0] == 0
    (root / "r00.txt").unlink()
    monkeypatch.setattr(flows.dvc, "READ_ATTEMPTS", 2)
    monkeypatch.setattr(flows.dvc, "READ_PAUSE_SECONDS", 0.0)
    holder = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        held = {"read": {}, "write": {str(root / "r00.txt"): {"pid": holder.pid, "cmd": "another"}}}
        (root / ".dvc" / "tmp").mkdir(exist_ok=True)
        (root / ".dvc" / "tmp" / "rwlock").write_text(json.dumps(held))
        code, lines = run(repro_command("make@r00"), root, shared)
        assert code != 0
        assert read("make@r00", lines).busy, lines
        with pytest.raises(BusyError, match="is busy"):
            read_graph(root)
    finally:
        holder.communicate(b"\n", timeout=PATIENCE_SECONDS)
    assert standings(root)["make@r00"] is Standing.RESTORABLE  # the process is gone, and so is its lock


def test_output_of_a_stage_is_not_taken_for_dvcs_own() -> None:
    lines = ["Running stage 'a':", "> run", "Stage 'a' didn't change, skipping", "the device is busy, it is being blocked by: x"]
    reader = read("a", [*lines, "ERROR: failed to reproduce 'a': failed to run: run, exited with 3"])
    assert (reader.ending, reader.busy, reader.exit_code) == (Ending.COMPLETED, False, 3)
