"""Reads what our side asks for: a JSON header and raw array bytes, laid into one memory file by trusted code, or sent through a pipe
while the program runs, for calls whose inputs depend on answers.

An array is a fresh, writable, C-ordered copy. Not covered: checks of the header, which comes from our own process.
"""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

_read = os.read


def laid(number: int) -> bytearray:
    """The bytes of a memory file."""
    size = os.fstat(number).st_size
    data = bytearray(size)
    view, done = memoryview(data), 0
    while done < size:
        done += os.preadv(number, [view[done:]], done)
    return data


def _exactly(number: int, size: int) -> bytearray:
    data = bytearray()
    while len(data) < size:
        part = _read(number, size - len(data))
        if not part:
            raise EOFError("the other side has closed the pipe")
        data += part
    return data


def heard(number: int) -> bytearray:
    """The bytes of the next message of a pipe: eight bytes of length, then so many."""
    return _exactly(number, int.from_bytes(_exactly(number, 8), "little"))


class Job:
    """One program, or the inputs of a later call: `head` is the header, `load` makes the values of a call's inputs."""

    def __init__(self, data: bytearray) -> None:
        length = int.from_bytes(data[:8], "little")
        self.head: dict[str, Any] = json.loads(data[8 : 8 + length])
        self._raw = memoryview(data)[8 + length :]

    def bytes_at(self, place: list[int]) -> bytes:
        """The bytes of [offset, length]."""
        return bytes(self._raw[place[0] : place[0] + place[1]])

    def load(self, tree: Any) -> Any:
        """A value from its tagged tree; see assay/sandbox/jobs.py for the tags."""
        if not isinstance(tree, list):
            return tree
        tag, body = tree[0], tree[1:]
        if tag == "a":
            dtype, shape, offset, length = body
            return np.frombuffer(self._raw[offset : offset + length], dtype=dtype).reshape(shape).copy()
        if tag == "d":
            return {key: self.load(value) for key, value in body}
        if tag == "t":
            return tuple(self.load(value) for value in body)
        return [self.load(value) for value in body]


def fingerprint(value: Any) -> Any:
    """Something that is equal before and after a call exactly when the call left the value alone, byte by byte."""
    kind = type(value)
    if kind is np.ndarray:
        return (value.dtype.str, value.shape, value.tobytes()) if value.dtype != object else object()
    if kind in (list, tuple):
        return (kind, *map(fingerprint, value))
    if kind is dict:
        return (kind, *((key if type(key) is str else object(), fingerprint(item)) for key, item in value.items()))
    if kind is float:
        return (kind, value.hex())
    return (kind, value) if kind in (bool, int, str, type(None)) else object()
