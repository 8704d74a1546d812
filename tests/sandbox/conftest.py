"""One sandbox for the whole folder, and short ways to write a program."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from assay.protocol import Call, Limits, Program, Reply, Returns, Value
from assay.sandbox import Pool, open_sandbox

ROOMY = Limits(cpu_seconds=20.0, wall_seconds=60.0)
NUMBER = Returns("float")


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Pool]:
    with open_sandbox(require="none", workers=2) as pool:
        yield pool


@pytest.fixture
def isolated(sandbox: Pool) -> Pool:
    """The sandbox where this host can isolate at all."""
    if sandbox.isolation[0] not in "ABC":
        pytest.skip(f"this host only reaches {sandbox.isolation}")
    return sandbox


Ask = Callable[..., Reply]


def program(source: str, *arguments: Value, returns: Returns = NUMBER, limits: Limits = ROOMY, twin: bool = False) -> Program:
    """One call of `f`."""
    return Program(source, (Call("f", arguments, returns),), limits, twin=twin)


@pytest.fixture
def ask(sandbox: Pool) -> Ask:
    return lambda source, *arguments, **options: sandbox.run(program(source, *arguments, **options))
