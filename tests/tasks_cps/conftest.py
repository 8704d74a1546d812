"""Instances of the domain's tasks, made once a session."""

from __future__ import annotations

import pytest

from tests.tasks_cps import in_process


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """problem(seed, difficulty, task_id="t01_kalman_filter"), made once."""
    folder, known = tmp_path_factory.mktemp("cps"), {}

    def problem(seed: int, difficulty: str, task_id: str = in_process.FOLDER.name):
        key = (seed, difficulty, task_id)
        if key not in known:
            known[key] = in_process.problem(seed, difficulty, folder, task_id)
        return known[key]

    return problem
