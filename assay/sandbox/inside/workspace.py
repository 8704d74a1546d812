"""Runs a script or a module of a tree of files as `python` would, then hands over the files that were asked for, as raw bytes.

Frames: VALUE 0 without a body when the script has ended, then one VALUE or ABSENT an artifact, then DONE. How a script leaves
(`sys.exit(3)`) and what it prints decides nothing; only an exception and a missing artifact do. This runs beside the candidate's
code: nothing that it sends is believed, see assay/sandbox/workspace.py.
"""

from __future__ import annotations

import os
import runpy
import stat
import sys
import traceback
from typing import Any

from . import wire
from .faults import Fault, fault_of, send

_CHUNK = 1 << 20
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_open, _read, _fstat, _realpath, _close, _exists = os.open, os.read, os.fstat, os.path.realpath, os.close, os.path.lexists


def _say(error: BaseException) -> None:
    try:
        if not isinstance(error, SystemExit):
            traceback.print_exception(error)
        elif error.code is not None and not isinstance(error.code, int):
            print(error.code, file=sys.stderr)
    except BaseException:  # a candidate may have replaced stderr: what is printed decides nothing
        return


def _run(what: dict[str, Any], folder: str, files: dict[str, str]) -> None:
    target = what["target"]
    path = os.path.join(folder, target)  # noqa: PTH118
    sys.argv = [path if what["kind"] == "script" else target, *what["arguments"]]
    sys.path.insert(0, os.path.dirname(path) if what["kind"] == "script" else folder)  # noqa: PTH120
    try:
        if what["kind"] == "script":
            runpy.run_path(path, run_name="__main__")
        else:
            runpy.run_module(target, run_name="__main__", alter_sys=True)
    except SystemExit as error:
        _say(error)
    except BaseException as error:
        otherwise = "import_error" if isinstance(error, ImportError) else "exception"
        fault = fault_of(error, "syntax_error" if isinstance(error, SyntaxError) else otherwise, files)
        _say(error)
        raise fault from error


def _content(path: str, at_most: int, optional: bool) -> bytes | None:
    if not _exists(path):
        if optional:
            return None
        raise Fault("early_exit")
    if _realpath(path) != path:
        raise Fault("forbidden")
    try:
        number = _open(path, _FLAGS)
    except OSError as error:
        raise Fault("forbidden") from error
    try:
        status = _fstat(number)
        if not stat.S_ISREG(status.st_mode):
            raise Fault("forbidden")
        if status.st_size > at_most:
            raise Fault("output_limit")
        parts, left = list[bytes](), at_most
        while left >= 0 and (part := _read(number, min(_CHUNK, left + 1))):
            parts.append(part)
            left -= len(part)
        if left < 0:
            raise Fault("output_limit")
        return b"".join(parts)
    finally:
        _close(number)


def serve(head: dict[str, Any], result: int, folder: str, at: list[int]) -> None:
    """Run the script and send its artifacts; the files are laid already.

    Raises:
        Fault: it raised, or an artifact isn't as it should be; `at` says at which frame.
    """
    folder = os.path.realpath(folder)
    # At most 40 bytes travel, so a file is named by its number.
    names = {os.path.join(folder, path): str(index) for index, path in enumerate(head["files"])}  # noqa: PTH118
    _run(head["run"], folder, names)
    send(result, wire.VALUE, 0, b"")
    for index, (path, at_most, optional) in enumerate(head["artifacts"], 1):
        at[0] = index
        data = _content(f"{folder}/{path}", at_most, optional)
        send(result, wire.ABSENT if data is None else wire.VALUE, index, data or b"")
    at[0] += 1
