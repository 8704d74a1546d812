"""Landlock: which files this process may read and write, by the ABI that the kernel has.

Read paths give reading and listing; the work folder gives everything but devices, sockets and programs; named devices give reading
and writing. From ABI 4 no TCP, from ABI 6 no signals and abstract sockets to the outside. Not covered: `stat`, `chmod` and other
calls that Landlock doesn't know (the system call filter denies or ignores those that change something).
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable
from pathlib import Path

from . import kernel
from .syscalls import NUMBERS

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_MAKE_DEVICES_AND_SOCKETS = 1 << 6 | 1 << 9 | 1 << 10 | 1 << 11
_REFER, _TRUNCATE, _IOCTL = 1 << 13, 1 << 14, 1 << 15
_READ = _READ_FILE | _READ_DIR
SEES_TRUNCATION = 3
"""the first version that knows the right to cut a file"""
_FILE_ONLY = _WRITE_FILE | _READ_FILE | _TRUNCATE


class _Ruleset(ctypes.Structure):
    _fields_ = [("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64)]


class _Rule(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32)]


def abi() -> int:
    """The kernel's Landlock version.

    Raises:
        OSError: the kernel has none.
    """
    return kernel.call("landlock", NUMBERS[kernel.machine]["landlock_create_ruleset"], None, 0, 1)


def _handled(version: int) -> int:
    files = (1 << 13) - 1
    return (
        files
        | (_REFER if version >= 2 else 0)
        | (_TRUNCATE if version >= SEES_TRUNCATION else 0)
        | (_IOCTL if version >= 5 else 0)
    )


def _add(ruleset: int, path: str, allowed: int) -> None:
    try:
        folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what isn't there needs no rule
    if not Path(path).is_dir():
        allowed &= _FILE_ONLY
    rule = _Rule(allowed, folder)
    kernel.call("landlock_add_rule", NUMBERS[kernel.machine]["landlock_add_rule"], ruleset, 1, ctypes.byref(rule), 0)
    os.close(folder)


def restrict(*, read: Iterable[str], devices: Iterable[str], work: str) -> None:
    """Confine this process for good; `no_new_privileges` must be set before."""
    version = abi()
    handled = _handled(version)
    rules = _Ruleset(handled, 3 if version >= 4 else 0, 3 if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset = kernel.call(
        "landlock_create_ruleset", NUMBERS[kernel.machine]["landlock_create_ruleset"], ctypes.byref(rules), size, 0
    )
    for path in read:
        _add(ruleset, path, _READ)
    for path in devices:
        _add(ruleset, path, handled & _FILE_ONLY)
    _add(ruleset, work, handled & ~(_MAKE_DEVICES_AND_SOCKETS | _EXECUTE | _IOCTL))
    kernel.call("landlock_restrict_self", NUMBERS[kernel.machine]["landlock_restrict_self"], ruleset, 0)
    os.close(ruleset)
