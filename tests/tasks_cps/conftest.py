"""Instances of t01, made once a session."""

from __future__ import annotations

import pytest

from tests.tasks_cps import in_process


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """problem(seed, difficulty), made once."""
    folder, known = tmp_path_factory.mktemp("cps"), {}

    def problem(seed: int, difficulty: str):
        key = (seed, difficulty)
        if key not in known:
            known[key] = in_process.problem(seed, difficulty, folder)
        return known[key]

    return problem
