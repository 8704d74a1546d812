"""How the child reports that something went wrong: one frame with an index into a closed list, a line and a builtin class's name.

References that are needed late are taken before the candidate's code runs. Not covered: trust, see `serve`.
"""

from __future__ import annotations

import builtins
import errno
import os
import types
from collections.abc import Mapping

from . import wire

_write = os.write
_name_of = type.__dict__["__name__"].__get__
_builtin = dict(vars(builtins))
_NO_MEMORY = "DefaultCPUAllocator: can't allocate memory"
"""in torch's RuntimeError where others raise MemoryError"""
_NO_SPACE = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
_REFUSED = (errno.EPERM, errno.EACCES, errno.ENOENT, errno.ENOSYS)
_LIBRARY = os.path.dirname(os.__file__)  # noqa: PTH120
_FORKS = tuple(f"{_LIBRARY}/{path}" for path in ("multiprocessing/", "subprocess.py", "concurrent/futures/process.py"))
_FORK_NAMES = {"fork", "forkpty", "posix_spawn", "posix_spawnp"}


class Fault(Exception):
    """The program failed.

    Args:
        mode: one of `wire.FAULTS`.
        name: of a class.
        asked: the kind that was asked, or which file it was.
        line: in the candidate's code, 0 where there is none.
        reason: an index into `wire.REASONS`.
    """

    def __init__(self, mode: str, *, name: str = "", asked: str = "", line: int = 0, reason: int = wire.NO_REASON) -> None:
        super().__init__(mode)
        self.mode, self.name, self.asked, self.line, self.reason = mode, name, asked, line, reason


def class_name(kind: type) -> str:
    """The name that a class was made with, whatever its metaclass says."""
    name: str = _name_of(kind)
    return name


def send(result: int, kind: int, call: int, body: bytes) -> None:
    """Write one frame."""
    data = memoryview(wire.FRAME.pack(wire.MAGIC, kind, call, len(body)) + body)
    while data:
        data = data[_write(result, data) :]


def send_fault(result: int, call: int, fault: Fault) -> None:
    """Write the frame of a fault."""
    line = min(fault.line, 0xFFFFFFFF)
    name, asked = fault.name.encode()[:40], fault.asked.encode()[:40]
    send(result, wire.FAULT, call, wire.FAULT_BODY.pack(wire.FAULTS.index(fault.mode), fault.reason, line, name, asked))


def _place(error: BaseException, files: Mapping[str, str]) -> tuple[str, int]:
    if isinstance(error, SyntaxError) and error.filename is not None and error.filename in files and type(error.lineno) is int:
        return files[error.filename], error.lineno
    which, line, trace = "", 0, error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if name in files:
            which, line = files[name], trace.tb_lineno
        trace = trace.tb_next
    return which, line


def _reason(error: BaseException, files: Mapping[str, str]) -> int:
    """Whether a process was wanted: below the candidate's last frame a library that starts some was refused, or a fork was."""
    if not isinstance(error, OSError) or error.errno not in _REFUSED:
        return wire.NO_REASON
    wanted, last, trace = False, None, error.__traceback__
    while trace is not None:
        last = trace.tb_frame.f_code
        wanted = last.co_filename not in files and (wanted or last.co_filename.startswith(_FORKS))
        trace = trace.tb_next
    named = isinstance(last, types.CodeType) and error.errno == errno.EPERM and not _FORK_NAMES.isdisjoint(last.co_names)
    return wire.NO_PROCESSES if wanted or named else wire.NO_REASON


def _says(error: BaseException, text: str) -> bool:
    return len(error.args) == 1 and type(error.args[0]) is str and text in error.args[0]


def fault_of(error: BaseException, otherwise: str, files: Mapping[str, str]) -> Fault:
    """The fault that an exception is.

    Args:
        error: what was raised.
        otherwise: the mode, unless the exception says more.
        files: the candidate's files, as code objects name them -> what `asked` says of them.
    """
    kind = type(error)
    name = class_name(kind)
    name = name if _builtin.get(name) is kind else ""
    which, line = _place(error, files)
    if isinstance(error, SystemExit):
        otherwise = "early_exit"
    elif isinstance(error, MemoryError) or (kind is RuntimeError and _says(error, _NO_MEMORY)):
        otherwise = "memory_limit"
    elif isinstance(error, OSError) and error.errno in _NO_SPACE:
        otherwise = "output_limit"
    return Fault(otherwise, name=name, asked=which, line=line, reason=_reason(error, files))
