"""The contract of a task folder, run over every folder found: there is no list to forget."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assay import catalog
from assay.contract import check
from assay.protocol import Sandbox
from assay.sandbox import open_sandbox

TASKS = catalog.scan(Path(__file__).resolve().parents[2] / "tasks")
GROUPS = ("generation", "secrecy", "reference", "cosmetic", "rewrites", "cheats")


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with open_sandbox(require="C", workers=2) as opened:
        yield opened


def test_folders_are_found() -> None:
    assert {"p01_expressions", "p02_sequences", "p03_held_out", "t01_kalman_filter"} <= set(TASKS)


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("task_id", list(TASKS))
def test_the_contract_holds(task_id: str, group: str, sandbox: Sandbox) -> None:
    seeds = (0,) if TASKS[task_id].domain == "cps" else (0, 1, 2)
    findings = check(TASKS[task_id], sandbox, seeds=seeds, groups={group})
    assert len(findings) > 3, "the files must be there and something must have been checked"
    assert [f"{finding.name}: {finding.detail}" for finding in findings if not finding.passed] == []
