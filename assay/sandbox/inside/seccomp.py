"""The system call filter: an allow-list as a classic BPF program, written by hand.

A call that stands nowhere answers ENOSYS (`clone3` too, so that the C library falls back to `clone`, whose flags can be read).
`clone` must make a thread; `kill` and `tgkill` reach only the caller; `prctl` only names; `ioctl` only asks about terminals and
descriptors; `socketpair` only AF_UNIX; `sendto` names no address; `prlimit64` only the caller. Not covered: what a pointer points to.
"""

from __future__ import annotations

import ctypes
import errno
import os

from . import kernel
from .syscalls import ALLOWED, AUDIT, DENIED, FATAL, NUMBERS

_LOAD, _EQUAL, _AT_LEAST, _MASK, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_KILL, _ALLOW, _ERRNO = 0x80000000, 0x7FFF0000, 0x00050000
_EPERM, _ENOSYS, _ENOTTY = _ERRNO | errno.EPERM, _ERRNO | errno.ENOSYS, _ERRNO | errno.ENOTTY
_NUMBER, _ARCH = 0, 4
_CLONE_THREAD, _CLONE_NAMESPACES = 0x00010000, 0x7E020080
_IOCTLS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
_PRCTLS = (15, 16, 0x53564D41)

_Step = tuple[int, int, int, int]


def _argument(index: int) -> _Step:
    return (_LOAD, 0, 0, 16 + 8 * index)


def _one_of(index: int, values: tuple[int, ...], otherwise: int) -> list[_Step]:
    steps = [_argument(index)]
    for value in values:
        steps += [(_EQUAL, 0, 1, value), (_RETURN, 0, 0, _ALLOW)]
    return [*steps, (_RETURN, 0, 0, otherwise)]


def _checked(own_pid: int) -> dict[str, list[_Step]]:
    threads = [
        _argument(0),
        (_MASK, 0, 1, _CLONE_NAMESPACES),
        (_RETURN, 0, 0, _KILL),
        (_MASK, 0, 1, _CLONE_THREAD),
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
        "kill": _one_of(0, (own_pid,), _EPERM),
        "tgkill": _one_of(0, (own_pid,), _EPERM),
        "prlimit64": _one_of(0, (0, own_pid), _EPERM),
        "prctl": _one_of(0, _PRCTLS, _EPERM),
        "ioctl": _one_of(1, _IOCTLS, _ENOTTY),
        "socketpair": _one_of(0, (1,), _EPERM),
        "sendto": no_address,
    }


def build(machine: str, own_pid: int) -> list[_Step]:
    """The program for one machine and one process, as (code, jump if true, jump if false, constant)."""
    numbers = NUMBERS[machine]
    steps: list[_Step] = [(_LOAD, 0, 0, _ARCH), (_EQUAL, 1, 0, AUDIT[machine]), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, _NUMBER)]
    if machine == "x86_64":
        steps += [(_AT_LEAST, 0, 1, 0x40000000), (_RETURN, 0, 0, _KILL)]
    for names, answer in ((ALLOWED, _ALLOW), (DENIED, _EPERM), (FATAL, _KILL)):
        for name in names:
            if name in numbers:
                steps += [(_EQUAL, 0, 1, numbers[name]), (_RETURN, 0, 0, answer)]
    for name, body in _checked(own_pid).items():
        steps += [(_EQUAL, 0, len(body), numbers[name]), *body]
    return [*steps, (_RETURN, 0, 0, _ENOSYS)]


class _Filter(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint16), ("jt", ctypes.c_uint8), ("jf", ctypes.c_uint8), ("k", ctypes.c_uint32)]


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_uint16), ("steps", ctypes.POINTER(_Filter))]


def install() -> None:
    """Filter this process for good; `no_new_privileges` must be set before."""
    steps = build(kernel.machine, os.getpid())
    array = (_Filter * len(steps))(*(_Filter(*step) for step in steps))
    kernel.set_filter(ctypes.byref(_Program(len(steps), array)))
