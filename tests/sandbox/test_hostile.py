"""Hostile programs: they score nothing, learn nothing, leave nothing, and the next honest program runs as ever."""

from __future__ import annotations

import dataclasses
import os
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from assay.protocol import Call, Program, Reply, Returns
from assay.sandbox import Pool
from assay.sandbox.probe import descendants, probe
from tests.sandbox.conftest import ROOMY, program

Ask = Callable[..., Reply]
ARRAY = Returns("array", (3,))
TEXT = Returns("text", at_most=1 << 24)


@pytest.fixture(autouse=True)
def nothing_is_left(sandbox: Pool) -> Iterator[None]:
    """After each test: no process, and an honest program is answered."""
    yield
    assert descendants(sandbox) == []
    assert sandbox.run(program("import numpy as np\ndef f(x): return np.linalg.norm(x)", np.array([3.0, 4.0]))).answers() == (
        5.0,
    )


def test_every_probe_passes(isolated: Pool) -> None:
    found = probe(isolated)
    assert len(found) >= 12
    assert [result for result in found if not result.passed] == []


LYING = {
    "array subclass": """
class Liar(np.ndarray):
    def __array_ufunc__(self, *a, **k): return True
    def __eq__(self, other): return True
def f(): return np.zeros(3).view(Liar)""",
    "always equal": "class E:\n    def __eq__(self, o): return True\n    def __array__(self, *a, **k): return np.zeros(3)\ndef f(): return E()",
    "class in disguise": "class E:\n    __class__ = np.ndarray\n    shape, dtype, ndim = (3,), np.dtype(float), 1\ndef f(): return E()",
    "structured": "def f(): return np.zeros(3, dtype=[('a', float)])",
    "dates": "def f(): return np.zeros(3, dtype='datetime64[s]')",
    "text array": "def f(): return np.array(['1', '2', '3'])",
    "matrix": "def f(): return np.matrix([1.0, 2, 3])",
    "endless": "def f():\n    while True: yield 1.0",
    "lazy": "import numpy.lib.format\ndef f(): return np.memmap",
}


@pytest.mark.parametrize("name", LYING)
def test_values_that_lie_are_refused(ask: Ask, name: str) -> None:
    reply = ask("import numpy as np\n" + LYING[name], returns=ARRAY)
    assert (reply.fault, reply.values) == ("wrong_type", ())


def _frames(*parts: str) -> str:
    return (
        "import os, struct\nH = struct.Struct('<4sBIQ').pack\nM = b'ASY1'\ndef f():\n    os.write(4, "
        + " + ".join(parts)
        + ")\n    os._exit(0)"
    )


MALFORMED = {
    "done without answers": _frames("H(M, 3, 1, 0)"),
    "another magic": _frames("H(b'ASY2', 1, 0, 0)"),
    "endless length": _frames("H(M, 1, 0, 1 << 63)"),
    "cut": _frames("b'ASY1'"),
    "out of order": _frames("H(M, 1, 7, 0)"),
    "unknown kind": _frames("H(M, 9, 0, 0)"),
    "unknown fault": _frames("H(M, 2, 0, 86)", "b'\\xff' * 86"),
    "unknown reason": _frames("H(M, 2, 0, 86)", "struct.pack('<BBI40s40s', 3, 255, 1, b'', b'')"),
    "shape that overflows": _frames("H(M, 1, 0, 26)", "struct.pack('<BBQQQ', 5, 2, 0, 1 << 63, 2)"),
    "many dimensions": _frames("H(M, 1, 0, 10)", "struct.pack('<BBQ', 5, 255, 0)"),
    "bytes behind": _frames("H(M, 1, 0, 43)", "struct.pack('<BBQQ', 5, 1, 24, 3)", "b'\\0' * 25"),
    "pickle": "import os, pickle\ndef f():\n    os.write(4, pickle.dumps([1.0, 2.0]))\n    os._exit(0)",
    "lines": 'import os\ndef f():\n    print(\'{"score": 1.0, "passed": true}\')\n    os.write(4, b\'{"score": 1.0}\\n\')\n    os._exit(0)',
    "noise": "import os\ndef f():\n    os.write(4, os.urandom(4096))\n    os._exit(0)",
}


@pytest.mark.parametrize("name", MALFORMED)
def test_forged_frames_give_no_value(ask: Ask, name: str) -> None:
    reply = ask(MALFORMED[name], returns=ARRAY)
    assert (reply.fault, reply.values) == ("forbidden", ())


def test_a_forged_fault_says_nothing_of_its_own(ask: Ask) -> None:
    source = """
import os, struct
def f(secret):
    name = secret.encode()[:40]
    os.write(4, struct.pack('<4sBIQ', b'ASY1', 2, 0, 86) + struct.pack('<BBI40s40s', 3, 0, 123456789, name, name))
    os._exit(0)
"""
    reply = ask(source, "hidden-input")
    assert (reply.fault, reply.detail) == ("exception", "call 0 raised an exception of its own class")


MEDDLING = {
    "numpy": "import numpy as np\nnp.asarray = np.array = np.ascontiguousarray = np.isfinite = lambda *a, **k: True\nnp.ndarray.tobytes = None",
    "print and json": "import builtins, json\nbuiltins.print = None\njson.loads = json.dumps = None\nbuiltins.isinstance = lambda *a: True",
    "os": "import os\nos.write = lambda *a: 1 << 30\nos._exit = lambda *a: None",
    "struct": "import struct\nstruct.Struct = struct.pack = None",
    "modules": "import sys\nfor name in list(sys.modules):\n    if 'inside' in name or name == 'numpy': del sys.modules[name]",
    "harness": """
import sys
frame = sys._getframe()
while frame:
    for name in ("fingerprint", "encode", "_answer", "_send", "Job"):
        if name in frame.f_globals: frame.f_globals[name] = lambda *a, **k: (None, b"")
    frame = frame.f_back""",
    "streams": "import sys, os\nsys.stdout = sys.stderr = None\nos.close(1); os.close(2)",
    "clocks": "import time\ntime.time = time.monotonic = time.perf_counter = lambda: 0.0",
    "collector": "import gc\nfor o in gc.get_objects():\n    if type(o) is dict and 'returns' in o: o.clear()",
}


@pytest.mark.parametrize("name", MEDDLING)
def test_meddling_never_makes_a_wrong_value_right(ask: Ask, name: str) -> None:
    reply = ask(MEDDLING[name] + "\ndef f(): return [True, 'x', None]", returns=ARRAY)
    assert reply.fault
    assert reply.values == ()


def test_what_one_program_bends_is_straight_in_the_next(ask: Ask) -> None:
    ask("import numpy as np, builtins, math\nnp.linalg.norm = math.sqrt = builtins.len = lambda *a: 7\ndef f(): return 1.0")
    assert ask("import numpy as np, math\ndef f(): return np.linalg.norm([1.0]) + math.sqrt(4) + len('a')").answers() == (4.0,)


def test_nothing_hidden_is_in_reach(isolated: Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    token = f"hidden-{secrets.token_hex(16)}"
    kept = {"answer": token}
    (tmp_path / "truth.txt").write_text(token)
    monkeypatch.setenv("ASSAY_TEST_TOKEN", token)
    source = """
import gc, io, os, sys
def look(path):
    try:
        with open(path, "rb") as file:
            return file.read(1 << 20).decode("latin-1")
    except OSError as error:
        return type(error).__name__
def f(folder):
    seen = [repr(dict(os.environ)), repr(sys.argv), repr(sys.orig_argv)]
    frame = sys._getframe()
    while frame:
        seen.append(repr(frame.f_locals)[:100000]); frame = frame.f_back
    seen += [o if type(o) is str else repr(o)[:2000] for o in gc.get_objects() if type(o) in (str, dict, list, tuple)]
    for path in (folder + "/truth.txt", "/proc/self/environ", "/proc/1/environ", "/proc/self/maps", "/proc/self/mem", "/proc/self/root",
                 *(f"/proc/{pid}/environ" for pid in range(2, 200)), "/dev/mem", "/etc/passwd"):
        seen.append(look(path))
    for number in range(3, 64):
        try: seen.append(os.pread(number, 1 << 20, 0).decode("latin-1"))
        except OSError: pass
    return "began " + ascii(" ".join(seen))[:1 << 23]
"""
    reply = isolated.run(program(source, str(tmp_path), returns=TEXT))
    (text,) = reply.answers()
    assert text.startswith("began")
    assert kept["answer"] not in text
    assert "ASSAY_TEST_TOKEN" not in text


def test_the_checkout_is_not_there(isolated: Pool) -> None:
    source = "import os\ndef f(*paths):\n    return ' '.join(p for p in paths if os.access(p, os.R_OK) and (not os.path.isdir(p) or listed(p)))\n"
    source += "def listed(p):\n    try: return bool(os.listdir(p))\n    except OSError: return False\n"
    root = Path(__file__).resolve().parents[2]
    paths = [str(root / name) for name in ("assay/errors.py", "pyproject.toml", "tests", ".git")]
    (text,) = isolated.run(program(source, *paths, str(Path.home() / ".ssh"), returns=TEXT)).answers()
    if "namespaces" in isolated.isolation:
        assert text == ""
    opened = "def f(p):\n    try: return open(p).read(1)\n    except OSError: return 'no'"
    assert isolated.run(program(opened, paths[0], returns=TEXT)).answers() == ("no",)


def test_only_four_descriptors_are_open(isolated: Pool) -> None:
    source = """
import os
def f():
    found = []
    for number in range(64):
        try: os.fstat(number); found.append(number)
        except OSError: pass
    return found
"""
    assert isolated.run(program(source, returns=Returns("ints"))).answers()[0].tolist() == [0, 1, 2, 4]  # type: ignore[union-attr]


FATAL = {
    "ptrace": "libc.ptrace(16, 1, 0, 0)",
    "mount": "libc.mount(b'none', b'/', b'tmpfs', 0, None)",
    "namespace": "libc.unshare(0x10000000)",
    "memory of others": "libc.syscall(310 if platform.machine() == 'x86_64' else 270, 1, None, 0, None, 0, 0)",
    "io_uring": "libc.syscall(425, 1, None)",
    "bpf": "libc.syscall(321 if platform.machine() == 'x86_64' else 280, 0, None, 0)",
    "keys": "libc.syscall(250 if platform.machine() == 'x86_64' else 219, 0, 0)",
    "own filter": "libc.syscall(317 if platform.machine() == 'x86_64' else 277, 1, 0, None)",
}


@pytest.mark.parametrize("name", FATAL)
def test_calls_that_nothing_honest_makes_end_the_process(isolated: Pool, name: str) -> None:
    source = f"import ctypes, platform\nlibc = ctypes.CDLL(None)\ndef f():\n    print('began', flush=True)\n    {FATAL[name]}\n    return 1.0"
    reply = isolated.run(program(source))
    assert (reply.stdout, reply.fault) == ("began\n", "forbidden")


REFUSED = {
    "kill all": "os.kill(-1, 9)",
    "kill the parent": "os.kill(os.getppid() or 2, 9)",
    "fork": "os.fork()",
    "spawn": "os.posix_spawn('/bin/true', ['true'], {})",
    "memory file": "os.memfd_create('x')",
    "internet": "__import__('socket').socket()",
    "raw socket": "__import__('socket').socket(17, 3, 0)",
    "device": "os.mknod('/tmp/x', 0o600 | 0o060000, 1)",
    "host name": "open('/etc/hostname').read()",
    "write outside": "open('/usr/lib/x', 'w')",
    "limits": "__import__('resource').setrlimit(7, (1 << 20, 1 << 20))",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_raises(isolated: Pool, name: str) -> None:
    reply = isolated.run(program(f"import os\ndef f():\n    print('began', flush=True)\n    {REFUSED[name]}\n    return 1.0"))
    assert (reply.stdout, reply.fault) == ("began\n", "exception"), reply.detail


def test_a_program_that_stops_itself_is_ended(ask: Ask) -> None:
    source = "import os, signal, time\ndef f():\n    print('began', flush=True)\n    os.kill(os.getpid(), signal.SIGSTOP)\n    time.sleep(999)"
    reply = ask(source, limits=dataclasses.replace(ROOMY, wall_seconds=1.0))
    assert (reply.stdout, reply.fault) == ("began\n", "wall_limit")


def test_a_flood_is_cut_while_it_is_read(ask: Ask) -> None:
    limits = dataclasses.replace(ROOMY, output_bytes=1000)
    reply = ask("import os\ndef f():\n    while True: os.write(1, b'\\xf0' * 4096)", limits=limits)
    assert (reply.fault, reply.stdout) == ("output_limit", "\ufffd" * 1000)


def test_many_small_files_are_bounded(ask: Ask) -> None:
    source = "import time\ndef f():\n    for i in range(400): open(str(i), 'wb').write(b'x' * (1 << 18))\n    time.sleep(60)\n    return 1.0"
    assert ask(source, limits=dataclasses.replace(ROOMY, file_bytes=1 << 20)).fault == "output_limit"


def test_a_cache_of_answers_does_not_reach_the_twin(sandbox: Pool) -> None:
    source = "SEEN = hash('salt') % 1000003\ndef f(): return SEEN"
    calls = (Call("f", (), Returns("int")),) * 2
    one, other = (sandbox.run(Program(source, calls, ROOMY, twin=twin)).answers() for twin in (False, True))
    assert one[0] == one[1] != other[0]


def test_an_object_that_acts_on_deletion_stays_in_its_process(ask: Ask) -> None:
    source = "import os\nclass D:\n    def __del__(self): os._exit(0)\ndef f(): return D()"
    assert ask(source).fault in ("wrong_type", "early_exit")
    assert os.getpid() > 1
