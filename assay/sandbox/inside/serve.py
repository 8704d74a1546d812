"""Loads one submission, makes the calls and writes the answers: the last trusted code before the candidate's.

It runs in the candidate's process and can be bent by it; nothing here decides anything. Whatever a candidate does to it ends as a
fault or as values, and both are checked on our side. References that it needs late are taken before the candidate's code runs.
"""

from __future__ import annotations

import builtins
import errno
import os
import sys
import types
from collections.abc import Callable
from typing import Any

from . import wire
from .answers import Refused, encode
from .job import Job, fingerprint

NAME = "solution"
FILE = "solution.py"
_write = os.write
_name_of: Callable[[type], str] = type.__dict__["__name__"].__get__
_builtin = dict(vars(builtins))
_NO_SPACE = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)


class _Fault(Exception):
    def __init__(self, mode: str, *, name: str = "", asked: str = "", line: int = 0) -> None:
        super().__init__(mode)
        self.mode, self.name, self.asked, self.line = mode, name, asked, line


def _send(result: int, kind: int, call: int, body: bytes) -> None:
    data = memoryview(wire.FRAME.pack(wire.MAGIC, kind, call, len(body)) + body)
    while data:
        data = data[_write(result, data) :]


def _line(error: BaseException) -> int:
    if isinstance(error, SyntaxError) and error.filename == FILE and type(error.lineno) is int:
        return error.lineno
    line, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == FILE:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _fault_of(error: BaseException, otherwise: str) -> _Fault:
    kind = type(error)
    name = _name_of(kind)
    name = name if _builtin.get(name) is kind else ""
    line = _line(error)
    if isinstance(error, SystemExit):
        return _Fault("early_exit", name=name, line=line)
    if isinstance(error, MemoryError):
        return _Fault("memory_limit", name=name, line=line)
    if isinstance(error, OSError) and error.errno in _NO_SPACE:
        return _Fault("output_limit", name=name, line=line)
    return _Fault(otherwise, name=name, line=line)


def _compile(source: str) -> types.CodeType:
    try:
        return compile(source.removeprefix("\ufeff"), FILE, "exec", dont_inherit=True)
    except MemoryError as error:
        raise _Fault("syntax_error", name="MemoryError") from error
    except (SyntaxError, ValueError, RecursionError, OverflowError) as error:
        raise _Fault("syntax_error", name=_name_of(type(error)), line=_line(error)) from error


def _load(source: str, folder: str) -> types.ModuleType:
    code = _compile(source)
    module = types.ModuleType(NAME)
    module.__file__ = os.path.join(folder, FILE)  # noqa: PTH118
    sys.modules[NAME] = module
    try:
        exec(code, module.__dict__)
    except BaseException as error:
        raise _fault_of(error, "import_error") from error
    return module


def _lay_files(job: Job) -> None:
    for path, place in job.head["files"].items():
        folder = os.path.dirname(path)  # noqa: PTH120
        if folder:
            os.makedirs(folder, exist_ok=True)  # noqa: PTH103
        with open(path, "wb") as file:
            file.write(job.bytes_at(place))


def _seed(seed: int) -> None:
    import random

    import numpy as np

    random.seed(seed)
    np.random.seed(seed & 0xFFFFFFFF)


def _answer(function: Any, job: Job, call: dict[str, Any]) -> tuple[Any, bytes]:
    arguments = job.load(call["arguments"])
    keywords = job.load(call["keywords"])
    before = fingerprint((arguments, keywords))
    given = (tuple(arguments), dict(keywords))
    try:
        value = function(*given[0], **given[1])
    except BaseException as error:
        raise _fault_of(error, "exception") from error
    if fingerprint((tuple(given[0]), dict(given[1]))) != before:
        raise _Fault("input_changed")
    try:
        return value, encode(value, call["returns"])
    except Refused as error:
        raise _Fault(error.mode, name=_name_of(error.got), asked=error.asked) from error


def _serve(job: Job, result: int, folder: str, at: list[int]) -> None:
    module = _load(job.head["source"], folder)
    kept: dict[str, Any] = {}
    for index, call in enumerate(job.head["calls"]):
        at[0] = index
        name = call["function"]
        function = kept.get(name) if name.startswith("@") else module.__dict__.get(name)
        if not callable(function):
            raise _Fault("missing_function")
        value, body = _answer(function, job, call)
        if call["returns"]["kind"] == "callable":
            kept[f"@{index}"] = value
        _send(result, wire.VALUE, index, body)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:  # a candidate may have replaced or closed it: nothing of ours is lost
            continue


def serve(job_number: int, result: int) -> None:
    """Serve one program in the current folder and end the process."""
    job, folder, at = Job(job_number), os.getcwd(), [0]  # noqa: PTH109
    os.close(job_number)
    _seed(job.head["seed"])
    sys.path.append(folder)
    try:
        try:
            _lay_files(job)
            _serve(job, result, folder, at)
            _flush()
            _send(result, wire.DONE, len(job.head["calls"]), b"")
        except _Fault as fault:
            _flush()
            body = wire.FAULT_BODY.pack(
                wire.FAULTS.index(fault.mode), min(fault.line, 0xFFFFFFFF), fault.name.encode()[:40], fault.asked.encode()[:40]
            )
            _send(result, wire.FAULT, at[0], body)
        except MemoryError:  # between two calls: the answer didn't fit
            _send(result, wire.FAULT, at[0], wire.FAULT_BODY.pack(wire.FAULTS.index("memory_limit"), 0, b"MemoryError", b""))
    finally:
        os._exit(0)
