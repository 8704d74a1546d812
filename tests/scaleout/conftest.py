"""One cluster for all tests that don't end it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from assay import judging, scaleout
from assay.judging import Job
from assay.records import Verdict
from assay.sandbox import open_sandbox
from assay.scaleout import Cluster
from tests.scaleout import made


@pytest.fixture(scope="package")
def cluster() -> Iterator[Cluster]:
    """Two workers on this host."""
    with scaleout.open_cluster(require="none", workers=2) as opened:
        yield opened


@pytest.fixture(scope="package")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> list[Job]:
    """Sixty rows."""
    return made.jobs(tmp_path_factory.mktemp("instances"), seeds=3, variants=2)


@pytest.fixture(scope="package")
def expected(jobs: list[Job]) -> list[Verdict]:
    """What this process says of them."""
    with open_sandbox(require="none", workers=2) as sandbox:
        return judging.judge_all(jobs, sandbox)
