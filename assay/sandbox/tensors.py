"""Strict readers of .npy and .safetensors from bytes that a candidate wrote: nothing is unpickled, evaluated or mapped.

Both demand what NumPy's and safetensors' own writers make and refuse all else: object and structured dtypes, other byte order than
little-endian, bytes too few or too many, overlaps, holes, repeated names. Formats: NEP 1 (npy 1.0 to 3.0); the safetensors README.
Not covered: `.npz`, complex numbers, 8-bit floats.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from assay.protocol import Artifact, Tensors
from assay.records import FailureMode
from assay.sandbox.inside import wire

Array = np.ndarray[Any, Any]

_NPY = re.compile(
    rb"\{'descr': '([<|][a-z]\d)', 'fortran_order': (True|False), 'shape': \(((?:\d{1,18}, )*\d{1,18}|\d{1,18},|)\), \} *\n"
)
_NPY_DTYPES = ("|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8")
_TENSOR_DTYPES = {
    "BOOL": "|b1", "I8": "|i1", "U8": "|u1", "I16": "<i2", "U16": "<u2", "I32": "<i4", "U32": "<u4",
    "I64": "<i8", "U64": "<u8", "F16": "<f2", "F32": "<f4", "F64": "<f8", "BF16": "<u2",
}  # fmt: skip
_HEADER_BYTES = 1 << 20
_NAME_BYTES = 200


class Refused(Exception):
    """An artifact isn't what was asked.

    Args:
        mode: why.
        note: the end of a line that begins with the artifact's path; nothing of the candidate's text.
    """

    def __init__(self, mode: FailureMode, note: str) -> None:
        super().__init__(note)
        self.mode: FailureMode = mode


def _checked(array: Array, name: str, artifact: Artifact) -> Array:
    if artifact.dtypes and name not in artifact.dtypes:
        raise Refused("wrong_type", f"holds {name} where {' or '.join(artifact.dtypes)} is asked")
    if artifact.finite and array.dtype.kind == "f" and not np.isfinite(array).all():
        raise Refused("not_finite", "holds a value that isn't finite")
    return array


def _array(raw: memoryview, dtype: str, shape: tuple[int, ...], order: str) -> Array:
    """(shape) of dtype: a fresh native C-ordered array."""
    plain = np.dtype(dtype)
    if len(shape) > wire.MAX_DIMENSIONS or math.prod(shape) * plain.itemsize != len(raw):
        raise Refused("wrong_type", "has a shape that its bytes don't fit")
    if dtype == "|b1" and len(raw) and int(np.frombuffer(raw, np.uint8).max()) > 1:
        raise Refused("wrong_type", "holds a truth value that is neither 0 nor 1")
    try:
        flat = np.frombuffer(raw, dtype=plain).reshape(shape, order="F" if order == "F" else "C")
    except (ValueError, OverflowError):  # no bytes, and dimensions that no array has
        raise Refused("wrong_type", "has dimensions out of range") from None
    return flat.astype(plain.newbyteorder("="), order="C", copy=True)


def read_npy(data: memoryview, artifact: Artifact) -> Array:
    """The array of an .npy file.

    Raises:
        Refused: it isn't one, or not the one that was asked.
    """
    if bytes(data[:6]) != b"\x93NUMPY" or bytes(data[6:8]) not in (b"\1\0", b"\2\0", b"\3\0"):
        raise Refused("wrong_type", "isn't a .npy file")
    width = 2 if data[6] == 1 else 4
    start = 8 + width
    end = start + int.from_bytes(data[8:start], "little")
    found = _NPY.fullmatch(bytes(data[start:end])) if len(data) >= end and end - start <= 4096 else None
    if found is None or found[1].decode() not in _NPY_DTYPES:
        raise Refused("wrong_type", "isn't a .npy file of plain little-endian numbers")
    dtype = found[1].decode()
    shape = tuple(int(size) for size in re.findall(rb"\d+", found[3]))
    array = _array(data[end:], dtype, shape, "F" if found[2] == b"True" else "C")
    if artifact.shape is not None and not _fits(shape, artifact.shape):
        raise Refused("wrong_shape", f"has shape {shape} where {artifact.shape} is asked")
    return _checked(array, array.dtype.name, artifact)


def _fits(shape: tuple[int, ...], asked: tuple[int | None, ...]) -> bool:
    return len(shape) == len(asked) and all(want in (None, size) for size, want in zip(shape, asked, strict=True))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a repeated key")
    return found


def _header(data: memoryview) -> tuple[dict[str, Any], int]:
    length = int.from_bytes(data[:8], "little")
    if len(data) < 8 or length > min(_HEADER_BYTES, len(data) - 8):
        raise Refused("wrong_type", "isn't a .safetensors file, or its header is longer than it may be")
    try:
        head = json.loads(bytes(data[8 : 8 + length]).decode(), object_pairs_hook=_unique)
    except (ValueError, RecursionError):
        raise Refused("wrong_type", "has a header that isn't JSON with unique keys") from None
    if type(head) is not dict:
        raise Refused("wrong_type", "has a header that isn't a JSON object")
    head.pop("__metadata__", None)
    return head, 8 + length


def _is_size(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 60


def _entry(entry: Any) -> tuple[str, tuple[int, ...], int, int]:
    if type(entry) is not dict or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise Refused("wrong_type", "describes a tensor otherwise than by dtype, shape and data_offsets")
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if type(dtype) is not str or dtype not in _TENSOR_DTYPES:
        raise Refused("wrong_type", "holds a tensor of a dtype that isn't read")
    numbers = [*shape, *offsets] if type(shape) is list and type(offsets) is list and len(offsets) == 2 else [None]
    if not all(map(_is_size, numbers)):
        raise Refused("wrong_type", "holds a tensor whose shape or offsets aren't sizes")
    return dtype, tuple(shape), offsets[0], offsets[1]


def _tensor(raw: memoryview, dtype: str, shape: tuple[int, ...], artifact: Artifact) -> Array:
    array = _array(raw, _TENSOR_DTYPES[dtype], shape, "C")
    if dtype != "BF16":
        return _checked(array, array.dtype.name, artifact)
    return _checked((array.astype(np.uint32) << 16).view(np.float32), "bfloat16", artifact)


def read_safetensors(data: memoryview, artifact: Artifact) -> Mapping[str, Array]:
    """The arrays of a .safetensors file by name, in order of their bytes.

    Raises:
        Refused: it isn't one, or not one as asked.
    """
    head, start = _header(data)
    if len(head) > artifact.tensors:
        raise Refused("wrong_shape", f"holds {len(head)} tensors where {artifact.tensors} are allowed")
    if any(len(name) > _NAME_BYTES or not name.isprintable() for name in head):
        raise Refused("wrong_type", "holds a tensor with a strange name")
    entries = sorted(((name, *_entry(entry)) for name, entry in head.items()), key=lambda entry: (entry[3], entry[4]))
    body, at, found = data[start:], 0, dict[str, Array]()
    for name, dtype, shape, begin, end in entries:
        if begin != at or end < begin or end > len(body):
            raise Refused("wrong_type", "holds tensors that overlap, leave holes or reach behind its end")
        found[name] = _tensor(body[begin:end], dtype, shape, artifact)
        at = end
    if at != len(body):
        raise Refused("wrong_type", "holds bytes behind its last tensor")
    return found


READERS: dict[str, Callable[[memoryview, Artifact], Tensors]] = {"npy": read_npy, "safetensors": read_safetensors}
"""format -> reader"""
