"""Loads one submission, makes the calls and writes the answers, or runs a workspace: the last trusted code before the candidate's.

It runs in the candidate's process and can be bent by it; nothing here decides anything. Whatever a candidate does to it ends as a
fault or as values, and both are checked on our side. References that it needs late are taken before the candidate's code runs.
"""

from __future__ import annotations

import os
import sys
import types
from typing import Any

from . import drop, wire, workspace
from .answers import Refused, encode
from .faults import Fault, class_name, fault_of, send, send_fault
from .job import Job, fingerprint, heard, laid

NAME = "solution"
FILE = "solution.py"
_FILES = {FILE: ""}


def _compile(source: str) -> types.CodeType:
    try:
        return compile(source.removeprefix("\ufeff"), FILE, "exec", dont_inherit=True)
    except MemoryError as error:
        raise Fault("syntax_error", name="MemoryError") from error
    except (SyntaxError, ValueError, RecursionError, OverflowError) as error:
        raise Fault("syntax_error", name=class_name(type(error)), line=fault_of(error, "syntax_error", _FILES).line) from error


def _load(source: str, folder: str) -> types.ModuleType:
    code = _compile(source)
    module = types.ModuleType(NAME)
    module.__file__ = os.path.join(folder, FILE)  # noqa: PTH118
    sys.modules[NAME] = module
    try:
        exec(code, module.__dict__)
    except BaseException as error:
        raise fault_of(error, "import_error", _FILES) from error
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
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(seed)


def _answer(function: Any, job: Job, call: dict[str, Any]) -> tuple[Any, bytes]:
    arguments = job.load(call["arguments"])
    keywords = job.load(call["keywords"])
    before = fingerprint((arguments, keywords))
    given = (tuple(arguments), dict(keywords))
    try:
        value = function(*given[0], **given[1])
    except BaseException as error:
        raise fault_of(error, "exception", _FILES) from error
    if fingerprint((tuple(given[0]), dict(given[1]))) != before:
        raise Fault("input_changed")
    try:
        return value, encode(value, call["returns"])
    except Refused as error:
        raise Fault(error.mode, name=class_name(error.got), asked=error.asked) from error


def _serve(job: Job, result: int, folder: str, at: list[int]) -> None:
    module = _load(job.head["source"], folder)
    kept: dict[str, Any] = {}
    for index, call in enumerate(job.head["calls"]):
        at[0] = index
        name = call["function"]
        function = kept.get(name) if name.startswith("@") else module.__dict__.get(name)
        if not callable(function):
            raise Fault("missing_function")
        if call["later"]:
            inputs = Job(heard(drop.MORE))
            value, body = _answer(function, inputs, call | inputs.head)
        else:
            value, body = _answer(function, job, call)
        if call["returns"]["kind"] == "callable":
            kept[f"@{index}"] = value
        send(result, wire.VALUE, index, body)
    at[0] = len(job.head["calls"])


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:  # a candidate may have replaced or closed it: nothing of ours is lost
            continue


def serve(job_number: int, result: int) -> None:
    """Serve one program in the current folder and end the process."""
    job, folder, at = Job(laid(job_number)), os.getcwd(), [0]  # noqa: PTH109
    os.close(job_number)
    _seed(job.head["seed"])
    try:
        try:
            _lay_files(job)
            if "run" in job.head:
                workspace.serve(job.head, result, folder, at)
            else:
                sys.path.append(folder)
                _serve(job, result, folder, at)
            _flush()
            send(result, wire.DONE, at[0], b"")
        except Fault as fault:
            _flush()
            send_fault(result, at[0], fault)
        except MemoryError:  # between two calls: the answer didn't fit
            send_fault(result, at[0], Fault("memory_limit", name="MemoryError"))
    finally:
        os._exit(0)
