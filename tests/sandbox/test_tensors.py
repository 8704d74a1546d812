"""The strict readers of .npy and .safetensors: what honest writers make comes over bit by bit, all else is refused."""

from __future__ import annotations

import io
import json
import pickle
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save

from assay.protocol import Artifact
from assay.sandbox.tensors import Refused, read_npy, read_safetensors

ANY = Artifact("x", finite=False)
DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"]


def npy(array: Any, version: tuple[int, int] | None = None, pickled: bool = False) -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array(file, np.asanyarray(array), version, allow_pickle=pickled)
    return file.getvalue()


def tensors(head: Any, body: bytes = b"", text: bytes | None = None) -> bytes:
    text = json.dumps(head).encode() if text is None else text
    return len(text).to_bytes(8, "little") + text + body


def same(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> bool:
    return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 4), (1, 2, 1, 2)])
def test_honest_files_come_over(dtype: str, shape: tuple[int, ...]) -> None:
    array = (np.arange(np.prod(shape, dtype=int)) % 2).reshape(shape).astype(dtype)
    for version in ((1, 0), (2, 0), (3, 0)):
        assert same(read_npy(memoryview(npy(array, version)), ANY), array)
    if shape:
        assert same(read_npy(memoryview(npy(np.asfortranarray(array))), ANY), array)
    found = read_safetensors(memoryview(save({"b": array, "a": array}, {"format": "pt"})), ANY)
    assert set(found) == {"a", "b"} and same(found["a"], array)
    assert found["a"].flags.writeable and found["a"].flags.c_contiguous


def test_bfloat16_comes_as_float32() -> None:
    head = {"w": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]}}
    data = memoryview(tensors(head, b"\x80\x3f\x40\xc0"))
    assert read_safetensors(data, Artifact("x", dtypes=("bfloat16",)))["w"].tolist() == [1.0, -3.0]
    with pytest.raises(Refused, match="bfloat16 where float32"):
        read_safetensors(data, Artifact("x", dtypes=("float32",)))


GOOD = npy(np.ones(3))
HEAD = b"{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }"
NPY = {
    "empty": (b"", "wrong_type"),
    "text": (b"1 2 3", "wrong_type"),
    "pickle": (pickle.dumps([1]), "wrong_type"),
    "object": (npy(np.array([{}], dtype=object), pickled=True), "wrong_type"),
    "structured": (npy(np.zeros(1, [("a", "f8")])), "wrong_type"),
    "big endian": (npy(np.ones(3, ">f8")), "wrong_type"),
    "complex": (npy(np.ones(3, complex)), "wrong_type"),
    "text array": (npy(np.array(["a"])), "wrong_type"),
    "time": (npy(np.array(["2020"], "M8[D]")), "wrong_type"),
    "short": (GOOD[:-1], "wrong_type"),
    "long": (GOOD + b"x", "wrong_type"),
    "half a header": (GOOD[:20], "wrong_type"),
    "version": (GOOD[:6] + b"\x09" + GOOD[7:], "wrong_type"),
    "zip": (b"PK\3\4" + GOOD, "wrong_type"),
    "code": (GOOD.replace(b"(3,)", b"f()"), "wrong_type"),
    "negative": (GOOD.replace(b"(3,)", b"(-3,)"), "wrong_type"),
    "huge": (GOOD.replace(b"(3,), }                ", b"(999999999999999, 999), }")[: len(GOOD)], "wrong_type"),
    "no element": (npy(np.ones((0, 3))).replace(b"(0, 3)", b"(0, 9999999999999999999)"), "wrong_type"),
    "huge and empty": (npy(np.ones((0, 3))).replace(b"(0, 3), }              ", b"(0, 999999999999999999)"), "wrong_type"),
    "dimensions": (npy(np.ones((1,) * 9)), "wrong_type"),
    "truth": (npy(np.ones(3, bool))[:-1] + b"\2", "wrong_type"),
    "dtype": (npy(np.ones((2, 5), np.float32)), "wrong_type"),
    "shape": (npy(np.ones((2, 4))), "wrong_shape"),
    "order": (npy(np.ones((5, 2))), "wrong_shape"),
    "rank": (npy(np.ones(5)), "wrong_shape"),
    "nan": (npy(np.full((2, 5), np.nan)), "not_finite"),
    "infinite": (npy(np.full((2, 5), np.inf)), "not_finite"),
}


@pytest.mark.parametrize("name", NPY)
def test_other_npy_files_are_refused(name: str) -> None:
    data, mode = NPY[name]
    with pytest.raises(Refused) as caught:
        read_npy(memoryview(data), Artifact("x", shape=(None, 5), dtypes=("float64", "bool")))
    assert caught.value.mode == mode
    assert HEAD in GOOD


W = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}
ONE = b"\0\0\x80\x3f"
SAFETENSORS = {
    "empty": (b"", "wrong_type"),
    "pickle": (pickle.dumps({"a": 1}), "wrong_type"),
    "header length": ((1 << 62).to_bytes(8, "little") + b"{}", "wrong_type"),
    "not json": (tensors(0, text=b"{'a': 1}"), "wrong_type"),
    "nested": (tensors(0, text=b"[" * 100_000), "wrong_type"),
    "list": (tensors([]), "wrong_type"),
    "twice": (tensors(0, ONE, b'{"w": %b, "w": %b}' % ((json.dumps(W).encode(),) * 2)), "wrong_type"),
    "entry": (tensors({"w": 1}, ONE), "wrong_type"),
    "missing key": (tensors({"w": {"dtype": "F32", "shape": [1]}}, ONE), "wrong_type"),
    "more keys": (tensors({"w": {**W, "x": 1}}, ONE), "wrong_type"),
    "dtype": (tensors({"w": {**W, "dtype": "F8_E4M3"}}, ONE), "wrong_type"),
    "dtype list": (tensors({"w": {**W, "dtype": ["F32"]}}, ONE), "wrong_type"),
    "negative": (tensors({"w": {**W, "shape": [-1]}}, ONE), "wrong_type"),
    "truth": (tensors({"w": {**W, "shape": [True]}}, ONE), "wrong_type"),
    "float": (tensors({"w": {**W, "shape": [1.0]}}, ONE), "wrong_type"),
    "huge": (tensors({"w": {**W, "shape": [1 << 70]}}, ONE), "wrong_type"),
    "product": (tensors({"w": {**W, "shape": [2]}}, ONE), "wrong_type"),
    "behind the end": (tensors({"w": {**W, "data_offsets": [0, 8], "shape": [2]}}, ONE), "wrong_type"),
    "backwards": (tensors({"w": {**W, "data_offsets": [4, 0]}}, ONE), "wrong_type"),
    "overlap": (tensors({"w": W, "v": W}, ONE), "wrong_type"),
    "hole": (tensors({"w": {**W, "data_offsets": [4, 8]}}, ONE * 2), "wrong_type"),
    "bytes behind": (tensors({"w": W}, ONE + b"x"), "wrong_type"),
    "name": (tensors({"w\n": W}, ONE), "wrong_type"),
    "long name": (tensors({"w" * 300: W}, ONE), "wrong_type"),
    "many": (tensors({str(i): {**W, "data_offsets": [4 * i, 4 * i + 4]} for i in range(4)}, ONE * 4), "wrong_shape"),
    "nan": (tensors({"w": W}, b"\0\0\xc0\x7f"), "not_finite"),
}


@pytest.mark.parametrize("name", SAFETENSORS)
def test_other_safetensors_files_are_refused(name: str) -> None:
    data, mode = SAFETENSORS[name]
    with pytest.raises(Refused) as caught:
        read_safetensors(memoryview(data), Artifact("x", "safetensors", tensors=3))
    assert caught.value.mode == mode
    assert read_safetensors(memoryview(tensors({"w": W}, ONE)), ANY)["w"].tolist() == [1.0]


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    st.sampled_from([GOOD, tensors({"w": W, "v": {**W, "data_offsets": [4, 8]}}, ONE * 2)]),
    st.integers(0, 200),
    st.binary(max_size=4),
)
def test_any_bytes_are_arrays_or_refused(data: bytes, at: int, piece: bytes) -> None:
    changed = memoryview(data[:at] + piece + data[at + len(piece) :])
    for reader in (read_npy, read_safetensors):
        try:
            reader(changed, ANY)
        except Refused as refused:
            assert refused.mode in ("wrong_type", "wrong_shape", "not_finite")


def test_a_hostile_header_takes_no_time() -> None:
    begun = time.process_time()
    for shape in (b"(" + b"1" * 3900 + b"x)", b"(" + b"1, " * 1200 + b"x)"):
        text = b"{'descr': '<f8', 'fortran_order': False, 'shape': " + shape
        with pytest.raises(Refused):
            read_npy(memoryview(b"\x93NUMPY\1\0" + len(text).to_bytes(2, "little") + text), ANY)
    assert time.process_time() - begun < 1
