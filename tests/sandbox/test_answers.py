"""Our side's reading of frames: what the child writes comes back, and no bytes at all make it raise or give a value out of contract."""

from __future__ import annotations

import random

import numpy as np
import pytest

from assay.protocol import Call, Program, Returns, Value
from assay.sandbox import answers, jobs
from assay.sandbox.inside import answers as child
from assay.sandbox.inside import wire

CONTRACTS: list[tuple[Returns, object]] = [
    (Returns("float"), 1.5),
    (Returns("int"), -70000),
    (Returns("bool"), True),
    (Returns("text"), "aé"),
    (Returns("floats", (2,)), [1.0, 2.0]),
    (Returns("array", (2, 2)), np.eye(2)),
    (Returns("array", None, "bool"), np.array([True, False])),
    (Returns("tuple", items=(Returns("int"), Returns("ints"))), (1, [2, 3])),
    (Returns("record", items=(Returns("float"),), names=("a",)), {"a": 0.25}),
]


def _stream(program: Program, values: list[object]) -> bytes:
    bodies = [child.encode(v, jobs._contract(c.returns)) for v, c in zip(values, program.calls, strict=True)]
    frames = [wire.FRAME.pack(wire.MAGIC, wire.VALUE, i, len(body)) + body for i, body in enumerate(bodies)]
    return b"".join(frames) + wire.FRAME.pack(wire.MAGIC, wire.DONE, len(values), 0)


PROGRAM = Program("", tuple(Call("f", (), returns) for returns, _ in CONTRACTS))
STREAM = _stream(PROGRAM, [value for _, value in CONTRACTS])


def _fits(value: Value, returns: Returns) -> bool:
    if returns.kind in ("floats", "ints", "bools", "array"):
        good = isinstance(value, np.ndarray) and (returns.shape is None or value.shape == returns.shape)
        return good and bool(np.isfinite(value).all())  # type: ignore[arg-type]
    if returns.kind == "tuple":
        return isinstance(value, tuple) and all(map(_fits, value, returns.items))
    if returns.kind == "record":
        return isinstance(value, dict) and tuple(value) == returns.names
    return type(value) is {"float": float, "int": int, "bool": bool, "text": str}[returns.kind]


def test_what_the_child_writes_comes_back() -> None:
    read = answers.read(STREAM, PROGRAM, cut=False)
    assert (read.fault, read.finished, len(read.values)) == ("", True, len(CONTRACTS))
    assert read.values[:4] == (1.5, -70000, True, "aé")
    assert read.values[8] == {"a": 0.25}


def test_a_cut_stream_keeps_whole_answers() -> None:
    for length in range(len(STREAM)):
        read = answers.read(STREAM[:length], PROGRAM, cut=True)
        assert read.fault == ""
        assert not read.finished
        assert all(_fits(value, call.returns) for value, call in zip(read.values, PROGRAM.calls, strict=False))


@pytest.mark.parametrize("seed", range(4))
def test_no_bytes_raise_or_break_a_contract(seed: int) -> None:
    source = random.Random(seed)
    for _ in range(500):
        data = bytearray(STREAM)
        for _ in range(source.randint(1, 4)):
            place = source.randrange(len(data))
            data[place : place + source.randint(0, 9)] = source.randbytes(source.randint(0, 9))
        read = answers.read(data, PROGRAM, cut=False)
        assert all(_fits(value, call.returns) for value, call in zip(read.values, PROGRAM.calls, strict=False))
        assert read.fault in ("", "forbidden", "not_finite", "wrong_shape", *wire.FAULTS)


def test_a_value_that_is_not_finite_is_refused_on_our_side_too() -> None:
    program = Program("", (Call("f", (), Returns("float")),))
    body = child.encode(float("nan"), jobs._contract(Returns("float", finite=False)))
    read = answers.read(wire.FRAME.pack(wire.MAGIC, wire.VALUE, 0, len(body)) + body, program, cut=False)
    assert (read.values, read.fault) == ((), "not_finite")


@pytest.mark.parametrize("shape", [(0, 1 << 63), (1 << 63, 0), (0, (1 << 64) - 1, 5)])
def test_dimensions_that_no_array_has_are_malformed(shape: tuple[int, ...]) -> None:
    program = Program("", (Call("f", (), Returns("array")),))
    body = wire.LEAF.pack(wire.FLOATS, len(shape), 0) + b"".join(map(wire.DIMENSION.pack, shape))
    read = answers.read(wire.FRAME.pack(wire.MAGIC, wire.VALUE, 0, len(body)) + body, program, cut=False)
    assert (read.values, read.fault) == ((), "forbidden")
