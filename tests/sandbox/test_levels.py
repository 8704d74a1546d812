"""Levels and layers: what is reported is what is in force, and nothing is let go silently."""

from __future__ import annotations

import os

import pytest

from assay.errors import SandboxFault
from assay.protocol import Returns
from assay.sandbox import host, open_sandbox
from assay.sandbox.inside import seccomp, syscalls
from assay.sandbox.probe import probe
from tests.sandbox.conftest import program


@pytest.mark.parametrize(
    ("layers", "level"),
    [
        ((), "none"),
        (("cgroup",), "none"),
        (host.LAYERS, "A"),
        (host.LAYERS[:4], "B"),
        (("landlock", "seccomp"), "C"),
        (("uid", "landlock", "seccomp", "cgroup"), "C"),
        (("namespaces", "landlock", "seccomp"), "C"),
        (("namespaces", "uid", "seccomp"), "D"),
        (("namespaces", "uid", "landlock"), "D"),
        (("seccomp",), "D"),
    ],
)
def test_level_of_layers(layers: tuple[str, ...], level: str) -> None:
    assert host.level(layers) == level


def test_a_level_out_of_reach_is_one_clear_line() -> None:
    with pytest.raises(SandboxFault, match=r"^this host reaches sandbox level [CDn].* and B is required \(.*\)$") as caught:
        open_sandbox(require="B", without=("namespaces",))
    assert "\n" not in str(caught.value)
    with pytest.raises(SandboxFault, match="level D|level none"):
        open_sandbox(without=("landlock",))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"require": "E"}, "unknown sandbox level"),
        ({"without": ("wall",)}, "unknown layer"),
        ({"workers": 0}, "at least one worker"),
    ],
)
def test_nonsense_is_refused(options: dict[str, object], words: str) -> None:
    with pytest.raises(SandboxFault, match=words):
        open_sandbox(**options)  # type: ignore[arg-type]


def test_without_namespaces_it_still_holds() -> None:
    with open_sandbox(require="none", without=("namespaces",)) as pool:
        if not pool.isolation.startswith("C"):
            pytest.skip(f"this host only reaches {pool.isolation} without namespaces")
        assert "namespaces" not in pool.isolation
        assert [result for result in probe(pool) if not result.passed] == []


@pytest.mark.parametrize("layer", host.LAYERS)
def test_each_layer_can_be_left_out(layer: str) -> None:
    with open_sandbox(require="none", without=(layer,)) as pool:
        assert layer not in pool.isolation
        source = "import numpy as np, statistics\ndef f():\n    __import__('sci' + 'py.linalg')\n    return statistics.mean([1.0, 3.0])"
        reply = pool.run(program(source))
        assert reply.answers() == (2.0,)
        assert reply.isolation == pool.isolation


def test_bare_limits_hold_and_end_the_tree() -> None:
    source = "import os, time\ndef f():\n    if os.fork() == 0:\n        os.setsid()\n        time.sleep(600)\n    return 1.0"
    with open_sandbox(require="none", without=host.LAYERS) as pool:
        assert pool.isolation == "none: rlimits"
        assert pool.run(program(source)).answers() == (1.0,)
        from assay.sandbox.probe import descendants

        assert descendants(pool) == []


def _answer(machine: str, name: str, arguments: tuple[int, ...] = (), truncate: bool = True) -> int:
    """Interpret the filter as the kernel does."""
    number = syscalls.NUMBERS[machine][name]
    words = {0: number, 4: syscalls.AUDIT[machine]}
    for index in range(6):
        value = arguments[index] if index < len(arguments) else 0
        words |= {16 + 8 * index: value & 0xFFFFFFFF, 20 + 8 * index: value >> 32}
    steps, at, held = seccomp.build(machine, 77, truncate), 0, 0
    while True:
        code, if_true, if_false, constant = steps[at]
        if code == 0x06:
            return constant
        if code == 0x20:
            held, jump = words[constant], 0
        else:
            holds = {0x15: held == constant, 0x35: held >= constant, 0x45: bool(held & constant)}[code]
            jump = if_true if holds else if_false
        at += 1 + jump


ALLOW, KILL, EPERM, ENOSYS = 0x7FFF0000, 0x80000000, 0x00050001, 0x00050026
SUCCESS, ENOTSUP = 0x00050000, 0x0005005F


@pytest.mark.parametrize("machine", syscalls.NUMBERS)
def test_the_filter_answers_as_listed(machine: str) -> None:
    lists = {ALLOW: syscalls.ALLOWED, SUCCESS: syscalls.IGNORED, EPERM: syscalls.DENIED, ENOTSUP: syscalls.UNSUPPORTED}
    for expected, names in (*lists.items(), (KILL, syscalls.FATAL)):
        assert {_answer(machine, name) for name in names if name in syscalls.NUMBERS[machine]} == {expected}
    assert _answer(machine, "clone3") == ENOSYS
    assert _answer(machine, "clone", (0x3D0F00,)) == ALLOW
    assert _answer(machine, "clone", (17,)) == EPERM
    assert _answer(machine, "clone", (0x3D0F00 & ~0x400,)) == EPERM, "a thread with descriptors of its own"
    assert _answer(machine, "clone", (0x10000 | 0x10000000,)) == KILL
    assert [_answer(machine, "kill", (pid, 9)) for pid in (77, 78, (1 << 32) - 1)] == [ALLOW, EPERM, EPERM]
    assert [_answer(machine, "prlimit64", (pid,)) for pid in (0, 77, 1)] == [ALLOW, ALLOW, EPERM]
    assert [_answer(machine, "prctl", (option,)) for option in (15, 4, 22)] == [ALLOW, EPERM, EPERM]
    assert [_answer(machine, "ioctl", (0, request)) for request in (0x5401, 0x5412)] == [ALLOW, 0x00050019]
    assert [_answer(machine, "socketpair", (family,)) for family in (1, 2)] == [ALLOW, EPERM]
    assert [_answer(machine, "sendto", (0, 0, 0, 0, address)) for address in (0, 8, 1 << 32)] == [ALLOW, EPERM, EPERM]


@pytest.mark.parametrize("machine", syscalls.NUMBERS)
def test_the_filter_looks_at_descriptors_and_files(machine: str) -> None:
    assert {_answer(machine, "fcntl", (5, command, 1)) for command in (8, 10, 15, 1024, 1026)} == {EPERM}
    assert {_answer(machine, "fcntl", (5, command, 1)) for command in (0, 1, 2, 3, 4, 6, 7, 37, 1030, 1031)} == {ALLOW}
    flags = {os.O_RDONLY: ALLOW, os.O_TRUNC: EPERM, os.O_TRUNC | 3: EPERM, os.O_TRUNC | 1: ALLOW, os.O_TRUNC | 2: ALLOW, 3: ALLOW}
    for index, name in enumerate(("open", "openat"), 1):
        if name in syscalls.NUMBERS[machine]:
            assert {flag: _answer(machine, name, (7,) * index + (flag,)) for flag in flags} == flags
    assert [_answer(machine, "fallocate", (5, mode)) for mode in (0, 1)] == [ALLOW, ENOTSUP]
    assert [_answer(machine, "close_range", (5, 9, flag)) for flag in (0, 2, 4)] == [ALLOW, EPERM, ALLOW]
    assert _answer(machine, "truncate", truncate=False) == EPERM


def test_the_lists_are_closed_and_disjoint() -> None:
    lists = (
        syscalls.ALLOWED,
        syscalls.IGNORED,
        syscalls.DENIED,
        syscalls.UNSUPPORTED,
        syscalls.FATAL,
        syscalls.CHECKED,
    )
    names = [name for part in lists for name in part]
    assert len(names) == len(set(names))
    for numbers in syscalls.NUMBERS.values():
        assert set(numbers) <= set(names)
        assert len(set(numbers.values())) == len(numbers)


def test_kinds_of_zygotes_serve_by_source() -> None:
    assert host.kind_for("import scipy") == "scipy"
    assert host.kind_for("import numpy") == "numpy"
    assert Returns("float").finite
