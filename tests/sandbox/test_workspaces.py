"""Trees of files that are run: what comes back, and what doesn't."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping

import numpy as np
import pytest

from assay.patches import PatchRules, apply
from assay.protocol import Artifact, CandidateFault, Limits, Workspace, WorkspaceReply
from assay.sandbox import Pool
from assay.sandbox.inside import wire
from assay.sandbox.probe import descendants
from tests.sandbox.conftest import ROOMY

OUT = Artifact("out.npy", shape=(2,), at_most=1 << 12)
SAVE = "import numpy as np\nnp.save('out.npy', np.array([1.0, 2.0]))\n"


@pytest.fixture(autouse=True)
def nothing_is_left(sandbox: Pool) -> Iterator[None]:
    yield
    assert descendants(sandbox) == []


def work(script: str, files: Mapping[str, str] | None = None, **options: object) -> Workspace:
    tree = {"train.py": script, **(files or {})}
    given = {"artifacts": (OUT,), "limits": ROOMY, **options}
    return Workspace({path: text.encode() for path, text in tree.items()}, "train.py", **given)  # type: ignore[arg-type]


def test_a_training_over_several_files(sandbox: Pool) -> None:
    script = """
import argparse, json, pathlib, sys
import numpy as np
from model import Line
import parts.data

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int)
    steps = parser.parse_args().steps
    x, y = parts.data.load()
    line = Line()
    for _ in range(steps):
        line.step(x, y)
    pathlib.Path("runs").mkdir()
    np.save("runs/weights.npy", np.array([line.a, line.b], dtype=np.float32))
    np.save("losses", np.zeros((steps, 1)))
    print("trained", json.loads(pathlib.Path("settings.json").read_text())["name"], __file__.endswith("train.py"))
    print("note", file=sys.stderr)
    sys.exit(3)
"""
    files = {
        "model.py": "class Line:\n    a = b = 0.0\n    def step(self, x, y):\n        e = self.a * x + self.b - y\n"
        "        self.a -= 0.1 * (e * x).mean()\n        self.b -= 0.1 * e.mean()\n",
        "parts/__init__.py": "",
        "parts/data.py": "import numpy as np\ndef load():\n    x = np.linspace(-1, 1, 50)\n    return x, 2 * x + 1\n",
        "settings.json": '{"name": "line"}',
    }
    wanted = (
        Artifact("runs/weights.npy", shape=(2,), dtypes=("float32",)),
        Artifact("losses.npy", shape=(None, 1)),
        Artifact("no", optional=True),
    )
    reply = sandbox.run_workspace(work(script, files, arguments=("--steps", "400"), artifacts=wanted))
    assert (reply.fault, reply.detail) == ("", "")
    assert (reply.stdout, reply.stderr) == ("trained line True\n", "note\n"), "and the exit status is no verdict"
    found = reply.results()
    assert list(found) == ["runs/weights.npy", "losses.npy"]
    assert isinstance(found["losses.npy"], np.ndarray) and found["losses.npy"].shape == (400, 1)
    assert np.allclose(found["runs/weights.npy"], [2.0, 1.0], atol=1e-3)  # type: ignore[arg-type]
    assert reply.isolation == sandbox.isolation and reply.cpu_seconds > 0


def test_a_module_runs_as_with_python_m(sandbox: Pool) -> None:
    files = {
        "pack/__init__.py": "",
        "pack/run.py": "from . import other\nimport sys\nassert __name__ == '__main__' and sys.argv[1:] == ['x']\n" + SAVE,
        "pack/other.py": "",
    }
    asked = dataclasses.replace(work("", files), target="pack.run", kind="module", arguments=("x",))
    reply = sandbox.run_workspace(asked)
    assert (reply.fault, reply.stderr) == ("", "")
    nested = dataclasses.replace(work("", {"src/go.py": "import beside\n" + SAVE, "src/beside.py": ""}), target="src/go.py")
    assert sandbox.run_workspace(nested).fault == ""


FAULTS: dict[str, tuple[str, str, str]] = {
    "exception": ("import helper\nhelper.fail()", "exception", "the run raised ValueError in helper.py at line 2"),
    "own class": ("class Odd(Exception): pass\nraise Odd('secret')", "exception", "an exception of its own class in train.py at line 2"),
    "syntax": ("def f(:", "syntax_error", "SyntaxError in train.py at line 1"),
    "syntax elsewhere": ("import broken", "syntax_error", "SyntaxError in broken.py at line 2"),
    "import": ("\nimport nothing_like_it", "import_error", "ModuleNotFoundError in train.py at line 2"),
    "missing": ("print('done')", "early_exit", "out.npy isn't there"),
    "forged print": ("print('PASS'); print('{\"score\": 1}')", "early_exit", "out.npy isn't there"),
    "exit": ("import os\n" + SAVE + "os._exit(0)", "early_exit", "the run was cut off"),
    "sys.exit": ("import sys\nsys.exit('gave up')", "early_exit", "out.npy isn't there"),
    "link": (SAVE + "import os\nos.rename('out.npy', 'o')\nos.symlink('o', 'out.npy')", "forbidden", "out.npy isn't a plain file"),
    "link outside": ("import os\nos.symlink('/etc/passwd', 'out.npy')", "forbidden", "isn't a plain file"),
    "hanging link": ("import os\nos.symlink('nothing', 'out.npy')", "forbidden", "isn't a plain file"),
    "folder": ("import os\nos.mkdir('out.npy')", "forbidden", "isn't a plain file"),
    "large": ("open('out.npy', 'wb').write(b'x' * 5000)", "output_limit", "out.npy is larger than it may be"),
    "pickle": ("import numpy as np\nnp.save('out.npy', np.array([print], dtype=object))", "wrong_type", "out.npy isn't a .npy file of plain"),
    "shape": ("import numpy as np\nnp.save('out.npy', np.ones(3))", "wrong_shape", "out.npy has shape (3,) where (2,) is asked"),
    "nan": ("import numpy as np\nnp.save('out.npy', np.full(2, np.nan))", "not_finite", "out.npy holds a value"),
    "flood": ("while True: print('x' * 10000)", "output_limit", "wrote more than its limit"),
    "disk": ("for i in range(99): open(str(i), 'wb').write(b'x' * (1 << 22))", "output_limit", "the work folder is full"),
    "memory": ("x = bytearray(1 << 34)", "memory_limit", "no memory is left"),
    "crash": ("import ctypes\nctypes.string_at(0)", "crashed", "SIGSEGV"),
    "fork": ("import os\nos.fork()", "exception", "PermissionError in train.py at line 2: new processes aren't allowed here"),
    "replaced": ("import os, sys\nsys.exit = os._exit = sys.stdout = sys.stderr = os.open = None\nraise ValueError", "exception", "ValueError"),
}  # fmt: skip
HELPERS = {"helper.py": "def fail():\n    raise ValueError('secret')\n", "broken.py": "x = 1\nif x\n"}


@pytest.mark.parametrize("name", FAULTS)
def test_each_failure_has_its_mode_and_line(sandbox: Pool, name: str) -> None:
    script, mode, detail = FAULTS[name]
    reply = sandbox.run_workspace(work(script, HELPERS))
    assert (reply.fault, dict(reply.artifacts)) == (mode, {}), reply.detail
    assert detail in reply.detail and "secret" not in reply.detail and "\n" not in reply.detail
    with pytest.raises(CandidateFault) as caught:
        reply.results()
    assert caught.value.mode == mode


def test_limits_hold(sandbox: Pool) -> None:
    quick = Limits(cpu_seconds=1.0, wall_seconds=1.0)
    assert sandbox.run_workspace(work("while True: pass", limits=quick)).fault == "cpu_limit"
    assert sandbox.run_workspace(work("import time\ntime.sleep(99)", limits=quick)).fault == "wall_limit"
    small = dataclasses.replace(ROOMY, answer_bytes=1 << 10)
    large = work("open('out.npy', 'wb').write(b'x' * (1 << 22))", artifacts=(Artifact("out.npy", at_most=1 << 24),), limits=small)
    assert sandbox.run_workspace(large).fault == "output_limit"


def test_a_tree_that_does_not_fit_is_its_authors_fault(sandbox: Pool) -> None:
    small = dataclasses.replace(ROOMY, file_bytes=1 << 14)
    assert sandbox.run_workspace(work("", {"x": "x" * ((1 << 14) + 1)}, limits=small)).fault == "output_limit"
    assert sandbox.run_workspace(work("", {f"{i}": "" for i in range(1000)})).fault == "output_limit"


@pytest.mark.parametrize(
    "options",
    [
        {"files": {"../x": b""}},
        {"target": "/x.py"},
        {"artifacts": (OUT, OUT)},
        {"artifacts": (Artifact("a/../b"),)},
        {"artifacts": (Artifact("./b"),)},
    ],
)
def test_a_wrong_request_is_the_callers_mistake(sandbox: Pool, options: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="path"):
        sandbox.run_workspace(dataclasses.replace(work(""), **options))  # type: ignore[arg-type]


def test_an_artifact_that_the_tree_brings_along_counts_for_nothing(sandbox: Pool) -> None:
    made = sandbox.run_workspace(work(SAVE, {"out.npy": "old"}))
    assert made.fault == ""
    left = sandbox.run_workspace(work("import os\nprint(os.listdir('.'))", {"out.npy": "old"}))
    assert (left.fault, left.stdout) == ("early_exit", "['train.py']\n")


def test_forged_frames_give_nothing_more_than_a_file_would(sandbox: Pool) -> None:
    frame = wire.FRAME.pack(wire.MAGIC, wire.DONE, 2, 0)
    forged = f"import os\nos.write(4, bytes.fromhex('{frame.hex()}'))\nos._exit(0)"
    assert sandbox.run_workspace(work(forged)).fault == "forbidden"
    ran = wire.FRAME.pack(wire.MAGIC, wire.VALUE, 0, 0) + wire.FRAME.pack(wire.MAGIC, wire.VALUE, 1, 3) + b"abc"
    assert sandbox.run_workspace(work(f"import os\nos.write(4, bytes.fromhex('{ran.hex()}'))\nos._exit(0)")).fault == "wrong_type"


def test_honest_training_repeats_itself_by_its_seed(sandbox: Pool) -> None:
    script = "import numpy as np, random\nnp.save('out.npy', np.array([np.random.rand(), random.random()]))"

    def drawn(**options: object) -> list[float]:
        found = sandbox.run_workspace(work(script, **options)).results()["out.npy"]
        assert isinstance(found, np.ndarray)
        return list(found)

    assert drawn(seed=5) == drawn(seed=5) == drawn(seed=5, twin=True) != drawn(seed=6)
    assert drawn() != drawn()


def test_a_patched_tree_is_judged_by_what_it_left(sandbox: Pool) -> None:
    broken = work(
        "from rate import RATE\nimport numpy as np\nnp.save('out.npy', np.array([RATE, 1.0]))\n", {"rate.py": "RATE = 9.0\n"}
    )
    patch = "--- a/rate.py\n+++ b/rate.py\n@@ -1 +1 @@\n-RATE = 9.0\n+RATE = 0.5\n"
    rules = PatchRules(editable=("rate.py",), reserved=("out.npy",))
    patched = dataclasses.replace(broken, files=apply(patch, broken.files, rules))
    found = [sandbox.run_workspace(one).results()["out.npy"] for one in (broken, patched)]
    assert [list(values) for values in found] == [[9.0, 1.0], [0.5, 1.0]]
    with pytest.raises(CandidateFault, match="reserved_path"):
        apply("--- /dev/null\n+++ b/out.npy\n@@ -0,0 +1 @@\n+x\n", broken.files, rules)


def test_it_is_as_isolated_as_a_program(isolated: Pool) -> None:
    script = (
        """
import os, socket
for what in (lambda: open('/etc/passwd').read(), lambda: os.listdir('/proc/1'), lambda: socket.socket(), lambda: open('/outside', 'w')):
    try:
        print(what())
    except OSError:
        print('refused')
print(sorted(name for name in os.environ if 'KEY' in name or 'TOKEN' in name))
"""
        + SAVE
    )
    reply: WorkspaceReply = isolated.run_workspace(work(script))
    assert (reply.fault, reply.stdout) == ("", "refused\n" * 4 + "[]\n")
