"""Turns what a call returned into leaves, or refuses it: only exact types of the contract pass.

Not covered: trust. This runs beside the candidate's code, so our side checks everything once more.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import wire

_FLOATS = (np.float16, np.float32, np.float64, np.longdouble)
_INTEGERS = (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.longlong, np.ulonglong)
_LISTS = {"floats": ("fiu", wire.FLOATS, "<f8"), "ints": ("iu", wire.INTEGERS, "<i8"), "bools": ("b", wire.BOOLS, "|b1")}
_ELEMENT = {"floats": "float", "ints": "int", "bools": "bool"}
_ARRAYS = {"float64": _LISTS["floats"], "int64": _LISTS["ints"], "bool": _LISTS["bools"]}


class Refused(Exception):
    """The value isn't what the contract asks.

    Args:
        mode: a failure mode of `wire.FAULTS`.
        got: the class of what was found.
        asked: the kind that was asked.
    """

    def __init__(self, mode: str, got: type, asked: str) -> None:
        super().__init__(mode)
        self.mode, self.got, self.asked = mode, got, asked


def _leaf(tag: int, raw: bytes, shape: tuple[int, ...] = ()) -> bytes:
    return wire.LEAF.pack(tag, len(shape), len(raw)) + b"".join(map(wire.DIMENSION.pack, shape)) + raw


def _number(value: Any, asked: str) -> Any:
    kind = type(value)
    if kind is np.ndarray and value.ndim == 0 and value.dtype.kind in "fiub":
        value = value[()]
        kind = type(value)
    allowed: tuple[type, ...] = {
        "float": (float, int, *_FLOATS, *_INTEGERS),
        "int": (int, *_INTEGERS),
        "bool": (bool, np.bool_),
    }[asked]
    if not any(kind is one for one in allowed):
        raise Refused("wrong_type", kind, asked)
    return value


def _float(value: Any, finite: bool) -> float:
    number = _number(value, "float")
    try:
        result = float(number)
    except OverflowError:
        raise Refused("not_finite", type(value), "float") from None
    if finite and not np.isfinite(result):
        raise Refused("not_finite", type(value), "float")
    return result


def _array(value: Any, contract: dict[str, Any], asked: str, rule: tuple[str, int, str]) -> bytes:
    letters, tag, dtype = rule
    shape = contract["shape"]
    if value.dtype.kind not in letters:
        raise Refused("wrong_type", value.dtype.type, asked)
    fits = value.shape == tuple(shape) if shape is not None else value.size <= contract["at_most"]
    if not fits or value.ndim > wire.MAX_DIMENSIONS:
        raise Refused("wrong_shape", type(value), asked)
    if letters != "b" and contract["finite"] and not np.isfinite(value).all():
        raise Refused("not_finite", type(value), asked)
    if dtype == "<i8" and value.dtype.kind == "u" and value.size and int(value.max()) >= 1 << 63:
        raise Refused("wrong_type", value.dtype.type, asked)
    with np.errstate(all="ignore"):
        plain = np.ascontiguousarray(value, dtype=dtype)
    return _leaf(tag, plain.tobytes(), value.shape)


def _list(value: Any, contract: dict[str, Any]) -> bytes:
    asked = contract["kind"]
    if type(value) is np.ndarray:
        if value.ndim != 1:
            raise Refused("wrong_shape", np.ndarray, asked)
        return _array(value, contract, asked, _LISTS[asked])
    if type(value) not in (list, tuple):
        raise Refused("wrong_type", type(value), asked)
    length = len(value)
    if (contract["shape"] is not None and length != contract["shape"][0]) or length > max(contract["at_most"], 0):
        raise Refused("wrong_shape", type(value), asked)
    if asked == "floats":
        items: list[Any] = [_float(item, contract["finite"]) for item in value]
    else:
        items = [_number(item, _ELEMENT[asked]) for item in value]
    try:
        plain = np.array(items, dtype=_LISTS[asked][2])
    except OverflowError:
        raise Refused("wrong_type", int, asked) from None
    return _leaf(_LISTS[asked][1], plain.tobytes(), (length,))


def _text(value: Any, contract: dict[str, Any]) -> bytes:
    if type(value) is not str:
        raise Refused("wrong_type", type(value), "text")
    try:
        raw = value.encode()
    except UnicodeEncodeError:
        raise Refused("wrong_type", UnicodeEncodeError, "text") from None
    if len(raw) > contract["at_most"]:
        raise Refused("wrong_shape", str, "text")
    return _leaf(wire.TEXT, raw)


def _integer(value: Any) -> bytes:
    number = int(_number(value, "int"))
    length = number.bit_length() // 8 + 1
    if length > wire.MAX_INTEGER_BYTES:
        raise Refused("wrong_shape", int, "int")
    return _leaf(wire.INTEGER, number.to_bytes(length, "little", signed=True))


def encode(value: Any, contract: dict[str, Any]) -> bytes:
    """The leaves of one value.

    Raises:
        Refused: it isn't what the contract asks.
    """
    kind = contract["kind"]
    if kind == "float":
        return _leaf(wire.FLOAT, np.float64(_float(value, contract["finite"])).tobytes())
    if kind == "int":
        return _integer(value)
    if kind == "bool":
        return _leaf(wire.BOOL, b"\1" if _number(value, "bool") else b"\0")
    if kind == "text":
        return _text(value, contract)
    if kind in _LISTS:
        return _list(value, contract)
    if kind == "array":
        if type(value) is not np.ndarray:
            raise Refused("wrong_type", type(value), "array")
        return _array(value, contract, "array", _ARRAYS[contract["dtype"]])
    if kind == "callable":
        if not callable(value):
            raise Refused("wrong_type", type(value), "callable")
        return _leaf(wire.CALLABLE, b"")
    return _compound(value, contract)


def _compound(value: Any, contract: dict[str, Any]) -> bytes:
    kind, items = contract["kind"], contract["items"]
    if type(value) is not (tuple if kind == "tuple" else dict):
        raise Refused("wrong_type", type(value), kind)
    if len(value) != len(items):
        raise Refused("wrong_shape", type(value), kind)
    if kind == "tuple":
        return b"".join(encode(part, item) for part, item in zip(value, items, strict=True))
    if not all(type(key) is str for key in value) or set(value) != set(contract["names"]):
        raise Refused("wrong_shape", dict, "record")
    return b"".join(encode(value[name], item) for name, item in zip(contract["names"], items, strict=True))
