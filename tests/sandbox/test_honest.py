"""Honest code of many styles must be answered, and rightly."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import numpy as np
import pytest

from assay.protocol import Call, Program, Reply, Returns
from assay.sandbox import Pool
from tests.sandbox.conftest import ROOMY, program

SNIPPETS = {
    "bom and crlf": "\ufeff# -*- coding: latin-1 -*-\r\ndef f(x):\r\n    return 2.0\r\n",
    "numpy": "import numpy as np\ndef f(x):\n    return np.linalg.norm(np.linalg.svd(np.diag([2.0, 0, 0]))[1])",
    "scipy": """
import scipy.linalg, scipy.stats
from scipy import optimize, signal, integrate, interpolate, special, sparse
def f(x):
    signal.butter(3, 0.2); scipy.stats.norm.cdf(0.0); special.gamma(3.0)
    interpolate.CubicSpline([0, 1, 2], [0, 1, 4]); sparse.eye(3).tocsr()
    integrate.solve_ivp(lambda t, y: -y, (0, 1), [1.0])
    return optimize.brentq(lambda v: v * v - 4, 0, 10)
""",
    "scipy late": "def f(x):\n    name = 'sci' + 'py.linalg'\n    m = __import__(name, fromlist=['expm'])\n    return 2 * m.expm([[0.0]])[0, 0]",
    "standard library late": """
def f(x):
    import decimal, fractions, heapq, bisect, statistics, json, re, textwrap, string, copy, enum, abc, contextlib, operator
    import datetime, time, hashlib, struct, array, itertools, collections, queue, logging, inspect, traceback, tempfile, sqlite3
    with tempfile.TemporaryFile() as file:
        file.write(b"x")
    return float(hashlib.sha256(b"x").digest_size) / 16
""",
    "dataclass": """
from __future__ import annotations
import functools, random, warnings, typing
from dataclasses import dataclass, field
@dataclass(frozen=True, slots=True)
class Point:
    x: float
    seen: typing.List[int] = field(default_factory=list)
@functools.lru_cache
def g(n): return n if n < 2 else g(n - 1) + g(n - 2)
def f(x):
    warnings.warn("honest")
    random.random()
    return Point(2.0).x + g(20) - 6765
""",
    "names": """
import inspect, sys
assert __name__ != "__main__" and __file__ and sys.modules[__name__].f is None if "f" in globals() else True
def f(x):
    return 2.0 if __name__ in sys.modules and exit and quit else 0.0
""",
    "threads": """
from concurrent.futures import ThreadPoolExecutor
import asyncio
def f(x):
    async def two():
        await asyncio.sleep(0.001)
        return 1
    with ThreadPoolExecutor(4) as pool:
        return float(sum(pool.map(int, "1")) + asyncio.run(two()))
""",
    "generator": "import numpy as np\ndef f(x):\n    return 2.0 + 0 * np.random.default_rng().normal() + 0 * np.random.rand()",
    "files": "def f(x):\n    open('a.txt', 'w').write('2')\n    import os\n    os.makedirs('b/c')\n    return float(open('a.txt').read())",
    "helpful try": """
import subprocess, socket, os
def f(x):
    tried = 0
    for action in (lambda: subprocess.run(["true"]), lambda: socket.socket(), lambda: os.chmod(".", 0o700), lambda: os.nice(1)):
        try:
            action()
        except OSError:
            pass
    return 2.0
""",
}


@pytest.mark.parametrize("name", SNIPPETS)
def test_honest_code_is_answered(ask: Callable[..., Reply], name: str) -> None:
    reply = ask(SNIPPETS[name], 1.0)
    assert (reply.fault, reply.detail) == ("", "")
    assert reply.answers() == (2.0,)


RETURNED = {
    "python float": ("2.5", Returns("float"), 2.5),
    "int as float": ("2", Returns("float"), 2.0),
    "float32": ("np.float32(2.5)", Returns("float"), 2.5),
    "0-d": ("np.array(2.5)", Returns("float"), 2.5),
    "int64": ("np.int64(-3)", Returns("int"), -3),
    "large int": ("-(1 << 200)", Returns("int"), -(1 << 200)),
    "bool": ("np.bool_(True)", Returns("bool"), True),
    "text": ("'gr\\u00fc\\u00df'", Returns("text"), "grüß"),
    "infinite": ("float('-inf')", Returns("float", finite=False), -math.inf),
    "floats": ("[1, np.float32(2.5), 3.0]", Returns("floats"), np.array([1.0, 2.5, 3.0])),
    "ints": ("(1, np.int8(2))", Returns("ints", shape=(2,)), np.array([1, 2])),
    "bools": ("np.array([True, False])", Returns("bools"), np.array([True, False])),
    "array": ("np.arange(6, dtype=np.float32).reshape(2, 3).T", Returns("array", (3, 2)), np.array([[0.0, 3], [1, 4], [2, 5]])),
    "int array": ("np.arange(3, dtype=np.uint8)", Returns("array", (3,), "int64"), np.arange(3)),
    "empty": ("np.zeros((0, 3))", Returns("array", (0, 3)), np.zeros((0, 3))),
    "tuple": ("(1.0, 'a')", Returns("tuple", items=(Returns("float"), Returns("text"))), (1.0, "a")),
    "record": ("{'b': 2, 'a': 1}", Returns("record", items=(Returns("int"), Returns("int")), names=("a", "b")), {"a": 1, "b": 2}),
}


def _same(one: object, other: object) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and bool((one == other).all())
    return type(one) is type(other) and one == other


@pytest.mark.parametrize("name", RETURNED)
def test_every_kind_of_value_comes_over(ask: Callable[..., Reply], name: str) -> None:
    expression, returns, expected = RETURNED[name]
    reply = ask(f"import numpy as np\ndef f():\n    return {expression}", returns=returns)
    assert reply.fault == "", reply.detail
    assert _same(reply.values[0], expected)


def test_inputs_arrive_as_they_are(sandbox: Pool) -> None:
    given = {
        "array": np.array([[1.5, -0.0], [math.nan, math.inf]]),
        "small": np.array([1, 2], dtype=np.float32)[::-1],
        "rest": [None, True, (1, "é\ud800"), -0.0, 10**30, math.nan],
        "flags": np.array([[True]]),
    }
    source = """
def f(given, *, key):
    a, rest = given["array"], given["rest"]
    return " ".join([
        a.dtype.str, repr(a.tolist()), str(a.flags.writeable), repr(given["small"]), ascii(rest), repr(given["flags"]), repr(key)])
"""
    call = Call("f", (given,), Returns("text"), {"key": np.float64(0.1)})
    reply = sandbox.run(Program(source, (call,), ROOMY))
    assert reply.answers() == (
        "<f8 [[1.5, -0.0], [nan, inf]] True array([2., 1.], dtype=float32) "
        "[None, True, (1, '\\xe9\\ud800'), -0.0, 1000000000000000000000000000000, nan] array([[ True]]) 0.1",
    )


def test_calls_share_a_process_and_callables_stay_in_it(sandbox: Pool) -> None:
    source = "def make(k):\n    def g(x):\n        return k * x\n    return g\ndef twice(x):\n    return 2 * x"
    calls = (
        Call("make", (3.0,), Returns("callable")),
        Call("@0", (2.0,), Returns("float")),
        Call("twice", (2.0,), Returns("float")),
    )
    assert sandbox.run(Program(source, calls, ROOMY)).answers() == (None, 6.0, 4.0)


def test_public_files_are_there(sandbox: Pool) -> None:
    source = "import helper\nDATA = open('data/a.bin', 'rb').read()\ndef f(x):\n    return helper.K * len(DATA)"
    files = {"helper.py": b"K = 2\n", "data/a.bin": b"\0\1\2"}
    one = dataclasses.replace(program(source, 0, returns=Returns("int")), files=files)
    assert sandbox.run(one).answers() == (6,)
    with pytest.raises(ValueError, match="stay in the work folder"):
        sandbox.run(dataclasses.replace(one, files={"../a": b""}))


def test_output_is_captured_and_decoded_with_replacement(ask: Callable[..., Reply]) -> None:
    reply = ask(
        "import sys, os\ndef f():\n    print('hello'); sys.stdout.flush(); os.write(1, b'\\xf0\\x00end'); print('no', file=sys.stderr)\n"
        "    return 1.0"
    )
    assert reply.answers() == (1.0,)
    assert reply.stdout == "hello\n\ufffd\0end"
    assert reply.stderr == "no\n"


def test_the_twin_has_other_seeds_and_the_same_arithmetic(ask: Callable[..., Reply]) -> None:
    source = """
import random
import numpy as np
def f():
    return f"{hash('a')} {random.random()} {np.random.rand()}"
"""
    runs = [ask(source, returns=Returns("text"), twin=twin).answers()[0].split() for twin in (False, True, False)]
    assert runs[0][0] == runs[2][0] != runs[1][0]
    assert len({run[1] for run in runs}) == len({run[2] for run in runs}) == 3


def test_a_large_answer_comes_over(ask: Callable[..., Reply]) -> None:
    shape = (1000, 1000)
    reply = ask("import numpy as np\ndef f(x):\n    return x + 1", np.ones(shape), returns=Returns("array", shape))
    assert (reply.answers()[0] == 2.0).all()
