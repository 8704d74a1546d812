"""Each failure mode, with the line that its author may read."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
import pytest

from assay.protocol import Call, CandidateFault, Limits, Program, Reply, Returns
from assay.sandbox import Pool
from tests.sandbox.conftest import ROOMY, program

Ask = Callable[..., Reply]
QUICK = dataclasses.replace(ROOMY, cpu_seconds=1.0)
SMALL = dataclasses.replace(ROOMY, memory_bytes=1 << 28)

CASES: dict[str, tuple[str, str, str]] = {
    "syntax": ("def f(:\n  pass", "syntax_error", "loading the solution raised SyntaxError at line 1"),
    "null byte": ("def f(x):\n  return 1.0\0", "syntax_error", "loading the solution raised"),
    "half a character": ("x = '\ud800'\ndef f(x): return 1.0", "syntax_error", "loading the solution raised UnicodeEncodeError"),
    "import": ("import numpy\nimport nothing_like_it\ndef f(x): return 1.0", "import_error", "ModuleNotFoundError at line 2"),
    "raised while loading": (
        "class Odd(Exception): pass\nraise Odd('secret')",
        "import_error",
        "an exception of its own class at line 2",
    ),
    "missing": ("def g(x): return 1.0", "missing_function", "call 0 found no callable"),
    "not callable": ("f = 3", "missing_function", "call 0 found no callable"),
    "exception": ("def f(x):\n    return 1 / 0", "exception", "call 0 raised ZeroDivisionError at line 2"),
    "recursion": ("def f(x):\n    return f(x)", "exception", "call 0 raised RecursionError at line 2"),
    "keyboard": ("def f(x):\n    raise KeyboardInterrupt", "exception", "KeyboardInterrupt"),
    "list": ("def f(x): return [1.0]", "wrong_type", "call 0 returned list where float is asked"),
    "bool": ("def f(x): return True", "wrong_type", "call 0 returned bool where float is asked"),
    "none": ("def f(x): pass", "wrong_type", "call 0 returned NoneType where float is asked"),
    "complex": ("import numpy as np\ndef f(x): return np.complex128(1)", "wrong_type", "complex128"),
    "own class": ("class C(float): pass\ndef f(x): return C(1)", "wrong_type", "an object of another class"),
    "one element": ("import numpy as np\ndef f(x): return np.ones(1)", "wrong_type", "ndarray where float"),
    "nan": ("def f(x): return float('nan')", "not_finite", "float that isn't finite"),
    "too large": ("def f(x): return 10 ** 400", "not_finite", "int that isn't finite"),
    "changed": ("def f(x):\n    x += 1\n    return 1.0", "input_changed", "call 0 changed its inputs"),
    "sys.exit": ("import sys\ndef f(x):\n    sys.exit(0)", "early_exit", "SystemExit at line 3"),
    "exit while loading": ("exit()", "early_exit", "SystemExit"),
    "os._exit": ("import os\ndef f(x):\n    os._exit(0)", "early_exit", "call 0 of 1 unanswered"),
    "segmentation": ("import ctypes\ndef f(x):\n    return ctypes.string_at(0)", "crashed", "SIGSEGV"),
    "abort": ("import os\ndef f(x):\n    os.abort()", "crashed", "ended by SIG"),
    "memory": ("def f(x):\n    return bytearray(1 << 33)", "memory_limit", "MemoryError at line 2"),
    "disk": (
        "def f(x):\n    for i in range(999): open(str(i), 'wb').write(b'x' * (1 << 22))",
        "output_limit",
        "work folder is full",
    ),
    "stdout": ("def f(x):\n    while True: print('x' * 10000)", "output_limit", "wrote more than its limit"),
    "stderr": ("import os\ndef f(x):\n    while True: os.write(2, b'x' * 10000)", "output_limit", "wrote more"),
}


@pytest.mark.parametrize("name", CASES)
def test_each_failure_has_its_mode_and_line(ask: Ask, name: str) -> None:
    source, mode, detail = CASES[name]
    reply = ask(source, np.ones(3))
    assert (reply.fault, reply.values) == (mode, ())
    assert detail in reply.detail
    assert "secret" not in reply.detail
    assert "\n" not in reply.detail
    with pytest.raises(CandidateFault) as caught:
        reply.answers()
    assert caught.value.mode == mode


REFUSED = ": new processes aren't allowed here"
PROCESSES: dict[str, tuple[str, str]] = {
    "fork": ("def f():\n    import os\n    os.fork()", f"call 0 raised PermissionError at line 3{REFUSED}"),
    "run": ("import subprocess\ndef f():\n    subprocess.run(['true'])", f"call 0 raised PermissionError at line 3{REFUSED}"),
    "spawn": ("def f():\n    import os\n    os.posix_spawn('/bin/true', ['true'], {})", f"PermissionError at line 3{REFUSED}"),
    "while loading": ("import os\nos.popen('true')", f"loading the solution raised PermissionError at line 2{REFUSED}"),
    "lock": ("import multiprocessing\ndef f():\n    multiprocessing.Lock()", f"FileNotFoundError at line 3{REFUSED}"),
    "called back": (
        "from multiprocessing.pool import mapstar\ndef g(x):\n    open(x)\ndef f():\n    mapstar((g, ['nothing']))",
        "call 0 raised FileNotFoundError at line 3",
    ),
    "its own": ("import os\ndef f():\n    raise PermissionError(1, 'mine')", "call 0 raised PermissionError at line 3"),
    "a closed file": ("import os\ndef f():\n    open('/etc/shadow')", "Error at line 3"),
}


@pytest.mark.parametrize("name", PROCESSES)
def test_who_wants_a_process_is_told_why_there_is_none(isolated: Pool, name: str) -> None:
    source, detail = PROCESSES[name]
    reply = isolated.run(program(source))
    assert reply.detail.endswith(detail)


SHAPES: dict[str, tuple[str, Returns, str]] = {
    "shape": ("np.ones((2, 2))", Returns("array", (4,)), "wrong_shape"),
    "list for array": ("[1.0]", Returns("array", (1,)), "wrong_type"),
    "masked": ("np.ma.masked_array([1.0])", Returns("array", (1,)), "wrong_type"),
    "object": ("np.array([1.0], dtype=object)", Returns("array", (1,)), "wrong_type"),
    "complex": ("np.array([1j])", Returns("array", (1,)), "wrong_type"),
    "truth": ("np.array([True])", Returns("array", (1,)), "wrong_type"),
    "float for int": ("np.array([1.0])", Returns("array", (1,), "int64"), "wrong_type"),
    "nan": ("np.array([np.nan])", Returns("array", (1,)), "not_finite"),
    "too long": ("[1.0] * 4", Returns("floats", at_most=3), "wrong_shape"),
    "length": ("[1.0] * 4", Returns("floats", (3,)), "wrong_shape"),
    "nested": ("[[1.0]]", Returns("floats"), "wrong_type"),
    "mixed": ("[1, True]", Returns("ints"), "wrong_type"),
    "large int": ("[1 << 70]", Returns("ints"), "wrong_type"),
    "text": ("'x' * 11", Returns("text", at_most=10), "wrong_shape"),
    "surrogate": ("'\\ud800'", Returns("text"), "wrong_type"),
    "bytes": ("b'x'", Returns("text"), "wrong_type"),
    "tuple": ("(1.0,)", Returns("tuple", items=(Returns("float"),) * 2), "wrong_shape"),
    "keys": ("{'b': 1}", Returns("record", items=(Returns("int"),), names=("a",)), "wrong_shape"),
    "callable": ("3", Returns("callable"), "wrong_type"),
    "strided": ("np.lib.stride_tricks.as_strided(np.ones(1), (1 << 40,), (0,))", Returns("array", (3,)), "wrong_shape"),
}


@pytest.mark.parametrize("name", SHAPES)
def test_values_out_of_contract_are_refused(ask: Ask, name: str) -> None:
    expression, returns, mode = SHAPES[name]
    reply = ask(f"import numpy as np\ndef f():\n    return {expression}", returns=returns)
    assert (reply.fault, reply.values) == (mode, ())


def test_nested_and_named_inputs_are_compared_too(ask: Ask) -> None:
    source = "def f(x):\n    x['a'][1][0] = x['a'][1][0] + 1\n    return 1.0"
    assert ask(source, {"a": [0, np.zeros(2)]}).fault == "input_changed"
    assert ask("def f(x):\n    x.sort()\n    return 1.0", [3, 1]).fault == "input_changed"
    assert ask("def f(x):\n    x.shape = (4,)\n    return 1.0", np.zeros((2, 2))).fault in ("input_changed", "exception")
    assert ask("import copy\ndef f(x):\n    x = copy.copy(x); x.sort()\n    return 1.0", [3, 1]).fault == ""


def test_a_busy_loop_is_cpu_limit_whatever_it_catches(ask: Ask) -> None:
    source = """
import signal
def f():
    for number in (signal.SIGXCPU, signal.SIGALRM, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    while True:
        try:
            while True: pass
        except BaseException:
            pass
"""
    reply = ask(source, limits=QUICK)
    assert reply.fault == "cpu_limit"
    assert reply.cpu_seconds >= 0.5


def test_sleeping_is_wall_limit(ask: Ask) -> None:
    reply = ask("import time\ndef f():\n    print('slept', flush=True)\n    time.sleep(1000)", limits=Limits(wall_seconds=1.0))
    assert (reply.fault, reply.stdout) == ("wall_limit", "slept\n")
    assert reply.cpu_seconds < reply.wall_seconds


def test_a_thread_that_outlives_its_call_changes_nothing(ask: Ask) -> None:
    source = "import threading, time\ndef f():\n    threading.Thread(target=time.sleep, args=(1000,)).start()\n    return 1.0"
    assert ask(source).answers() == (1.0,)


def test_memory_is_bounded_wherever_it_comes_from(ask: Ask) -> None:
    python = "def f():\n    kept = []\n    while True: kept.append('x' * (1 << 20) + str(len(kept)))"
    arrays = "import numpy as np\ndef f():\n    kept = []\n    while True: kept.append(np.ones(1 << 18))"
    assert ask(python, limits=SMALL).fault == "memory_limit"
    assert ask(arrays, limits=SMALL).fault == "memory_limit"


def test_an_answer_over_its_cap_is_output_limit(ask: Ask) -> None:
    limits = dataclasses.replace(ROOMY, answer_bytes=1 << 12)
    reply = ask("import numpy as np\ndef f():\n    return np.ones(1 << 20)", returns=Returns("array", (1 << 20,)), limits=limits)
    assert (reply.fault, reply.values) == ("output_limit", ())


def test_earlier_answers_are_kept(sandbox: Pool) -> None:
    calls = tuple(Call("f", (value,), Returns("float")) for value in (1.0, 2.0, 0.0, 4.0))
    reply = sandbox.run(Program("def f(x):\n\n    return 1 / x", calls, ROOMY))
    assert reply.values == (1.0, 0.5)
    assert reply.detail == "call 2 raised ZeroDivisionError at line 3"
