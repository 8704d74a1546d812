"""The system call filter: an allow-list as a classic BPF program, written by hand.

A call that stands nowhere answers ENOSYS (`clone3` too, so that the C library falls back to `clone`, whose flags can be read).
`clone` must make a thread that shares descriptors; `kill` and `tgkill` reach only the caller; `prctl` only names; `ioctl` only
asks about terminals and descriptors; `fcntl` names no owner who gets signals; `open` truncates only what it opens for writing;
`fallocate` takes no more than the file's size; `socketpair` only AF_UNIX; `sendto` names no address; `prlimit64` only the caller.
Not covered: what a pointer points to.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import os

from . import kernel
from .syscalls import ALLOWED, AUDIT, DENIED, FATAL, IGNORED, NUMBERS, UNSUPPORTED

_LOAD, _EQUAL, _AT_LEAST, _MASK, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_KILL, _ALLOW, _ERRNO = 0x80000000, 0x7FFF0000, 0x00050000
_EPERM, _ENOSYS, _ENOTTY = _ERRNO | errno.EPERM, _ERRNO | errno.ENOSYS, _ERRNO | errno.ENOTTY
_ENOTSUP, _SUCCESS = _ERRNO | errno.ENOTSUP, _ERRNO | 0
_NUMBER, _ARCH = 0, 4
_CLONE_THREAD, _CLONE_FILES, _CLONE_NAMESPACES = 0x00010000, 0x00000400, 0x7E020080
_IOCTLS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
_PRCTLS = (15, 16, 0x53564D41)
_FCNTLS = (*range(8), 9, 11, 16, 36, 37, 38, 1025, *range(1027, 1041))
"""all but those that name an owner, his signal, a lease or a folder to be told of"""
_CLOSE_ON_EXEC = 4

_Step = tuple[int, int, int, int]


def _argument(index: int) -> _Step:
    return (_LOAD, 0, 0, 16 + 8 * index)


def _one_of(index: int, values: tuple[int, ...], otherwise: int) -> list[_Step]:
    steps = [_argument(index)]
    for value in values:
        steps += [(_EQUAL, 0, 1, value), (_RETURN, 0, 0, _ALLOW)]
    return [*steps, (_RETURN, 0, 0, otherwise)]


def _opening(index: int) -> list[_Step]:
    """Landlock before its third version doesn't see that opening a file only for reading can truncate it."""
    return [
        _argument(index),
        (_MASK, 0, 4, os.O_TRUNC),
        (_MASK, 0, 1, os.O_WRONLY),
        (_MASK, 1, 2, os.O_RDWR),  # both bits together open for neither
        (_MASK, 1, 0, os.O_RDWR),
        (_RETURN, 0, 0, _EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _checked(own_pid: int) -> dict[str, list[_Step]]:
    threads = [
        _argument(0),
        (_MASK, 0, 1, _CLONE_NAMESPACES),
        (_RETURN, 0, 0, _KILL),
        (_MASK, 0, 2, _CLONE_THREAD),
        (_MASK, 0, 1, _CLONE_FILES),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _EPERM),
    ]
    no_address = [
        _argument(4),
        (_EQUAL, 0, 3, 0),
        (_LOAD, 0, 0, 16 + 8 * 4 + 4),
        (_EQUAL, 0, 1, 0),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _EPERM),
    ]
    return {
        "clone": threads,
        "clone3": [(_RETURN, 0, 0, _ENOSYS)],
        "fcntl": _one_of(1, _FCNTLS, _EPERM),
        "open": _opening(1),
        "openat": _opening(2),
        "fallocate": _one_of(1, (0,), _ENOTSUP),
        "close_range": _one_of(2, (0, _CLOSE_ON_EXEC), _EPERM),
        "kill": _one_of(0, (own_pid,), _EPERM),
        "tgkill": _one_of(0, (own_pid,), _EPERM),
        "prlimit64": _one_of(0, (0, own_pid), _EPERM),
        "prctl": _one_of(0, _PRCTLS, _EPERM),
        "ioctl": _one_of(1, _IOCTLS, _ENOTTY),
        "socketpair": _one_of(0, (1,), _EPERM),
        "sendto": no_address,
    }


def build(machine: str, own_pid: int, truncate: bool = True) -> list[_Step]:
    """The program for one machine and one process, as (code, jump if true, jump if false, constant).

    Args:
        machine: a key of `NUMBERS`.
        own_pid: the process's number in its own namespace.
        truncate: whether files may be cut by their paths, which Landlock before its third version doesn't see.
    """
    numbers = NUMBERS[machine]
    steps: list[_Step] = [(_LOAD, 0, 0, _ARCH), (_EQUAL, 1, 0, AUDIT[machine]), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, _NUMBER)]
    if machine == "x86_64":
        steps += [(_AT_LEAST, 0, 1, 0x40000000), (_RETURN, 0, 0, _KILL)]
    if not truncate:
        steps += [(_EQUAL, 0, 1, numbers["truncate"]), (_RETURN, 0, 0, _EPERM)]
    lists = ((ALLOWED, _ALLOW), (IGNORED, _SUCCESS), (DENIED, _EPERM), (UNSUPPORTED, _ENOTSUP), (FATAL, _KILL))
    for names, answer in lists:
        for name in names:
            if name in numbers:
                steps += [(_EQUAL, 0, 1, numbers[name]), (_RETURN, 0, 0, answer)]
    for name, body in _checked(own_pid).items():
        if name in numbers:
            steps += [(_EQUAL, 0, len(body), numbers[name]), *body]
    return [*steps, (_RETURN, 0, 0, _ENOSYS)]


class _Filter(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint16), ("jt", ctypes.c_uint8), ("jf", ctypes.c_uint8), ("k", ctypes.c_uint32)]


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_uint16), ("steps", ctypes.POINTER(_Filter))]


@functools.lru_cache(maxsize=1)
def prepared(own_pid: int, truncate: bool) -> _Program:
    """The program as the kernel takes it. In its own process namespace every child is number 1, so a zygote can make it beforehand."""
    steps = build(kernel.machine, own_pid, truncate)
    array = (_Filter * len(steps))(*(_Filter(*step) for step in steps))
    return _Program(len(steps), array)


def install(truncate: bool = True) -> None:
    """Filter this process for good; `no_new_privileges` must be set before."""
    kernel.set_filter(ctypes.byref(prepared(os.getpid(), truncate)))
