"""Reads the frames that came back, on our side: every length, tag, dimension and byte count is checked against the contract.

Nothing is unpickled, evaluated or compared by code of the candidate. What doesn't read as an honest child's frames is `forbidden`.
A fault's line is built here from an index into a closed list, a class name of a closed list, a line number and a call number.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from assay.protocol import Program, Returns, Value
from assay.records import FailureMode
from assay.sandbox.inside import wire

_BUILTIN_CLASSES = {name for name, value in vars(builtins).items() if isinstance(value, type)}
EXCEPTIONS = {name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, BaseException)}
_CLASSES = _BUILTIN_CLASSES | {"NoneType", "ndarray", "generator", "function", "deque", "Counter", "OrderedDict", "defaultdict"}
_CLASSES |= {name for name, value in vars(np).items() if isinstance(value, type) and issubclass(value, np.generic)}
_CLASSES |= {"MaskedArray", "matrix", "Fraction", "Decimal", "tensor", "Tensor"}
_LISTS = {"floats": (wire.FLOATS, "<f8"), "ints": (wire.INTEGERS, "<i8"), "bools": (wire.BOOLS, "|b1")}
_ARRAYS = {"float64": _LISTS["floats"], "int64": _LISTS["ints"], "bool": _LISTS["bools"]}


@dataclass(frozen=True)
class Answers:
    """What the frames say."""

    values: tuple[Value, ...]
    """one a call that was answered"""
    fault: FailureMode
    """empty where none came"""
    detail: str
    """one line"""
    finished: bool
    """whether the closing frame came after the last answer"""


class Malformed(Exception):
    """The bytes aren't what an honest child writes."""


class _Refused(Exception):
    def __init__(self, mode: FailureMode, note: str) -> None:
        super().__init__(note)
        self.mode = mode


class Reader:
    """Walks over bytes that nobody vouches for.

    Raises:
        Malformed: more is asked than there is, or it's something else.
    """

    def __init__(self, data: memoryview) -> None:
        self.data, self.at = data, 0

    def take(self, length: int) -> memoryview:
        """The next bytes."""
        if length > len(self.data) - self.at:
            raise Malformed("cut short")
        self.at += length
        return self.data[self.at - length : self.at]

    def leaf(self, tag: int) -> tuple[tuple[int, ...], memoryview]:
        """The shape and the raw bytes of a leaf with this tag."""
        got, count, length = wire.LEAF.unpack(self.take(wire.LEAF.size))
        if got != tag or count > wire.MAX_DIMENSIONS:
            raise Malformed("another tag than contracted")
        shape = tuple(wire.DIMENSION.unpack(self.take(wire.DIMENSION.size))[0] for _ in range(count))
        return shape, self.take(length)


def _array(reader: Reader, returns: Returns, rule: tuple[int, str], one: bool) -> np.ndarray[Any, Any]:
    tag, dtype = rule
    shape, raw = reader.leaf(tag)
    if math.prod(shape) * np.dtype(dtype).itemsize != len(raw):
        raise Malformed("an array's bytes don't fit its shape")
    fits = shape == tuple(returns.shape) if returns.shape is not None else math.prod(shape) <= returns.at_most
    if not fits or (one and len(shape) != 1):
        raise _Refused("wrong_shape", "another shape than contracted")
    if dtype == "|b1" and len(raw) and int(np.frombuffer(raw, np.uint8).max()) > 1:
        raise Malformed("a truth value that is neither 0 nor 1")
    try:
        array = np.frombuffer(raw, dtype=dtype).reshape(shape).copy()
    except (ValueError, OverflowError):  # no bytes, and dimensions that no array has
        raise Malformed("dimensions out of range") from None
    if dtype == "<f8" and returns.finite and not np.isfinite(array).all():
        raise _Refused("not_finite", "a value that isn't finite")
    return array


def _scalar(reader: Reader, returns: Returns) -> Value:
    tags = {"float": wire.FLOAT, "int": wire.INTEGER, "bool": wire.BOOL, "text": wire.TEXT}
    shape, raw = reader.leaf(tags[returns.kind])
    sizes = {"float": (8, 8), "int": (1, wire.MAX_INTEGER_BYTES), "bool": (1, 1), "text": (0, returns.at_most)}
    low, high = sizes[returns.kind]
    if shape or not low <= len(raw) <= high:
        raise Malformed("a scalar of another size")
    if returns.kind == "float":
        number = float(np.frombuffer(raw, "<f8")[0])
        if returns.finite and not math.isfinite(number):
            raise _Refused("not_finite", "a value that isn't finite")
        return number
    if returns.kind == "int":
        return int.from_bytes(raw, "little", signed=True)
    if returns.kind == "bool":
        return bool(raw[0])
    try:
        return bytes(raw).decode()
    except UnicodeDecodeError:
        raise Malformed("text that isn't UTF-8") from None


def _value(reader: Reader, returns: Returns) -> Value:
    kind = returns.kind
    if kind == "array":
        return _array(reader, returns, _ARRAYS[returns.dtype], False)
    if kind in _LISTS:
        return _array(reader, returns, _LISTS[kind], True)
    if kind == "tuple":
        return tuple(_value(reader, item) for item in returns.items)
    if kind == "record":
        return {name: _value(reader, item) for name, item in zip(returns.names, returns.items, strict=True)}
    if kind == "callable":
        shape, raw = reader.leaf(wire.CALLABLE)
        if shape or len(raw):
            raise Malformed("a callable with bytes")
        return None
    return _scalar(reader, returns)


def known_text(field: bytes, known: Collection[str]) -> str:
    """The text of a field, when it is one of those that we know; else empty."""
    name = field.rstrip(b"\0").decode("ascii", "replace")
    return name if name in known else ""


def explained(mode: str, reason: int) -> str:
    """What is added to the line that tells of an exception."""
    known = {"output_limit": "the work folder is full", "memory_limit": "no memory is left"}
    said = known.get(mode) or wire.REASONS[reason]
    return f": {said}" if said else ""


def _detail(mode: str, call: int, program: Program, line: int, parts: tuple[bytes, bytes], reason: int) -> str:
    lines = program.source.count("\n") + program.source.count("\r") + 1
    where = f" at line {line}" if 0 < line <= lines else ""
    if mode in ("syntax_error", "import_error"):
        name = known_text(parts[0], EXCEPTIONS) or "an exception of its own class"
        return f"loading the solution raised {name}{where}{explained(mode, reason)}"
    what = f"call {call}" if call < len(program.calls) else "the program"
    if mode == "missing_function":
        return f"{what} found no callable of the contracted name"
    if mode == "input_changed":
        return f"{what} changed its inputs"
    if mode in ("wrong_type", "wrong_shape", "not_finite"):
        asked = known_text(
            parts[1], {"float", "int", "bool", "text", "floats", "ints", "bools", "array", "tuple", "record", "callable"}
        )
        got = known_text(parts[0], _CLASSES) or "an object of another class"
        size = {"wrong_type": "", "wrong_shape": " of another size", "not_finite": " that isn't finite"}[mode]
        return f"{what} returned {got}{size} where {asked or 'another kind'} is asked"
    name = known_text(parts[0], EXCEPTIONS) or "an exception of its own class"
    return f"{what} raised {name}{where}{explained(mode, reason)}"


def _fault(body: memoryview, call: int, program: Program) -> tuple[FailureMode, str]:
    if len(body) != wire.FAULT_BODY.size:
        raise Malformed("a fault of another size")
    index, reason, line, name, asked = wire.FAULT_BODY.unpack(body)
    if index >= len(wire.FAULTS) or reason >= len(wire.REASONS):
        raise Malformed("an unknown fault")
    mode = wire.FAULTS[index]
    return cast(FailureMode, mode), _detail(mode, call, program, line, (name, asked), reason)


def one(reader: Reader, program: Program, values: list[Value]) -> tuple[FailureMode, str] | None:
    """Read the next frame: a value is put behind the others; a fault and the closing frame are told as (mode, line).

    Raises:
        Malformed: it isn't what an honest child writes, or there is only a part of it.
    """
    magic, kind, call, length = wire.FRAME.unpack(reader.take(wire.FRAME.size))
    if magic != wire.MAGIC or call != len(values):
        raise Malformed("a frame out of order")
    body = reader.take(length)
    if kind == wire.FAULT:
        return _fault(body, call, program)
    if kind == wire.DONE and call == len(program.calls) and not length:
        return "", "done"
    if kind != wire.VALUE or call >= len(program.calls):
        raise Malformed("a frame of another kind")
    inner = Reader(body)
    try:
        value = _value(inner, program.calls[call].returns)
    except _Refused as error:
        return error.mode, f"call {call} returned {error}"
    if inner.at != len(body):
        raise Malformed("bytes behind a value")
    values.append(value)
    return None


def read(data: bytes | bytearray, program: Program, *, cut: bool) -> Answers:
    """Read all frames.

    Args:
        data: what came through the result pipe.
        program: whose contracts hold.
        cut: the process was ended by force, so the last frame may be incomplete.
    """
    reader, values = Reader(memoryview(data)), list[Value]()
    try:
        while reader.at < len(data):
            end = one(reader, program, values)
            if end is not None:
                if reader.at < len(data):
                    raise Malformed("bytes behind the last frame")
                return Answers(tuple(values), end[0], "" if end[1] == "done" else end[1], end[1] == "done")
    except Malformed:
        if not cut:
            return Answers(tuple(values), "forbidden", "the result channel holds what no honest run writes", False)
    return Answers(tuple(values), "", "", False)
