"""Lays a program into a memory file for the child: eight bytes of length, a JSON header, raw array bytes.

A value is a tree of JSON: scalars as they are, lists as ["l", ...], tuples as ["t", ...], dicts as ["d", [key, value], ...], arrays as
["a", dtype, shape, offset, length]. Nothing but the program's own inputs goes in. Not covered: object arrays and other classes.
"""

from __future__ import annotations

import json
import os
import secrets
from typing import Any

import numpy as np

from assay.protocol import Call, Program, Returns, Value

_DTYPES = ("bool", "int64", "float32", "float64")
_ALIGNED = 16


class Raw:
    """Raw bytes behind a header, each part aligned."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.length = 0

    def add(self, data: bytes) -> list[int]:
        """Append bytes; their [offset, length]."""
        place = [self.length, len(data)]
        padding = -len(data) % _ALIGNED
        self.parts.append(data + b"\0" * padding)
        self.length += len(data) + padding
        return place

    def memory(self, head: dict[str, Any]) -> bytes:
        """The whole memory file."""
        text = json.dumps(head).encode()
        return b"".join([len(text).to_bytes(8, "little"), text, *self.parts])


def _tree(value: Value | np.generic, raw: Raw) -> Any:
    if isinstance(value, np.ndarray):
        if value.dtype.name not in _DTYPES:
            raise TypeError(f"an input array is {value.dtype}; expected one of {', '.join(_DTYPES)}")
        return [
            "a",
            value.dtype.newbyteorder("<").str,
            list(value.shape),
            *raw.add(value.astype(value.dtype.newbyteorder("<")).tobytes()),
        ]
    if isinstance(value, np.generic):
        return _tree(value.item(), raw)
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise TypeError("a dict among the inputs has a key that isn't text")
        return ["d", *([key, _tree(item, raw)] for key, item in value.items())]
    if isinstance(value, list | tuple):
        return ["l" if isinstance(value, list) else "t", *(_tree(item, raw) for item in value)]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"an input is {type(value).__name__}; expected plain data or an array")


def _contract(returns: Returns) -> dict[str, Any]:
    return {
        "kind": returns.kind,
        "shape": None if returns.shape is None else list(returns.shape),
        "dtype": returns.dtype,
        "items": [_contract(item) for item in returns.items],
        "names": list(returns.names),
        "at_most": returns.at_most,
        "finite": returns.finite,
    }


def checked_path(path: str) -> str:
    """The path, when it stays in the work folder; ValueError otherwise. As text: pathlib interns every part, for each program anew."""
    if not path or path.startswith("/") or ".." in path.split("/"):
        raise ValueError(f"a file's path must stay in the work folder: {path!r}")
    return path


def encode(program: Program) -> bytes:
    """The bytes of the memory file, fresh random seeds included.

    Raises:
        TypeError: an input is of a class that can't be handed over.
        ValueError: a public file's path leaves the work folder, or the files don't fit into it.
    """
    needed = sum(-(-len(data) // 4096) * 4096 for data in program.files.values())
    if needed > program.limits.file_bytes:
        raise ValueError(f"the public files need {needed} bytes and the work folder has {program.limits.file_bytes}")
    raw = Raw()
    calls = [
        {
            "function": call.function,
            "arguments": _tree(tuple(call.arguments), raw),
            "keywords": _tree(dict(call.keywords), raw),
            "returns": _contract(call.returns),
            "later": call.later is not None,
        }
        for call in program.calls
    ]
    files = {checked_path(path): raw.add(data) for path, data in program.files.items()}
    head = {"source": program.source, "calls": calls, "files": files, "seed": secrets.randbits(62)}
    return raw.memory(head)


def encode_later(call: Call, arguments: tuple[Value, ...]) -> bytes:
    """The message with the inputs of a later call, as `inside/job.py` hears it.

    Raises:
        TypeError: an input is of a class that can't be handed over.
    """
    raw = Raw()
    body = raw.memory({"arguments": _tree(tuple(arguments), raw), "keywords": _tree(dict(call.keywords), raw)})
    return len(body).to_bytes(8, "little") + body


def memory_file(data: bytes) -> int:
    """A descriptor of a new memory file with these bytes."""
    number = os.memfd_create("job", os.MFD_CLOEXEC)
    view = memoryview(data)
    while view:
        view = view[os.write(number, view) :]
    return number
