"""`assay check` finds what is wrong: a folder with one fault for each thing that it promises to check."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay import catalog
from assay.contract import check, cosmetic
from assay.protocol import Sandbox
from assay.sandbox import open_sandbox

VERIFIER = """
import json
from assay.protocol import Call, Judgement, Program, Returns
from assay.records import Gate

def verify(problem, submission, run, mode):
    k = json.loads((problem.private / "k.json").read_text())["k"]
    reply = run(Program(submission, (Call("f", (2.0,), Returns("float")),), limits=problem.limits))
    (value,) = reply.answers()
    right = abs(value - 2.0 * k) < 1e-9
    return Judgement(float(right), (Gate("right", right, value, None),), {"value": value})
"""
GENERATE = """
import json, random
from assay.protocol import Draft

def generate(seed, difficulty, public, private):
    k = random.Random(seed).randrange(2, 10**6)
    (private / "k.json").write_text(json.dumps({"k": k, "secret": 1.23456789 + seed}))
    (public / "k.txt").write_text(str(k))
    return Draft(prompt=f"f(x) = {k} x", family="one")
"""
YAML = """
id: toy
title: Toy
kind: solution
contract: {}
difficulties: {easy: {}}
reference: {full: [1, 1]}
"""


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with open_sandbox(require="C", workers=1) as opened:
        yield opened


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A good folder: every seed has the same k, so that a constant reference is right."""
    folder = tmp_path / "tasks" / "field" / "toy"
    for name in ("rewrites", "cheats"):
        (folder / name).mkdir(parents=True)
    for name in ("verifier.py", "probes.py", "descriptors.py"):
        (folder.parent / name).write_text(VERIFIER if name == "verifier.py" else "")
    (folder / "task.yaml").write_text(YAML)
    (folder / "prompt.md").write_text("f")
    (folder / "judge.py").write_text("")
    (folder / "generate.py").write_text(
        GENERATE.replace("random.Random(seed).randrange(2, 10**6)", "7").replace("{k} x", "{k} x, {seed}")
    )
    (folder / "reference.py").write_text("def f(x):\n    product = x * 7\n    return product\n")
    for number in range(3):
        (folder / "rewrites" / f"r{number}.py").write_text(
            f'"""Another style.\n\nScore: 1.0\n"""\ndef f(x):\n    return 7 * x + {number} * 0\n'
        )
    for number in range(8):
        (folder / "cheats" / f"c{number}.py").write_text(f"def f(x):\n    return {number}\n")
    return folder


def failing(home: Path, sandbox: Sandbox) -> list[str]:
    catalog.load.cache_clear()
    task = catalog.scan(home.parents[1])["toy"]
    return [finding.name for finding in check(task, sandbox, seeds=(0, 1)) if not finding.passed]


def test_a_good_folder_holds(home: Path, sandbox: Sandbox) -> None:
    assert failing(home, sandbox) == []


def test_each_fault_is_found(home: Path, sandbox: Sandbox) -> None:
    (home / "cheats" / "c7.py").write_text("def f(x):\n    return x * 7\n")
    (home / "rewrites" / "r1.py").write_text('"""Wrong.\n\nScore: 1.0\n"""\ndef f(x):\n    return 6 * x\n')
    (home / "generate.py").write_text((home / "generate.py").read_text() + "\nCOUNT = [0]\n")
    text = (home / "generate.py").read_text().replace("prompt=f", "prompt=str(1.23456789 + seed) + f")
    (home / "generate.py").write_text(text)
    found = failing(home, sandbox)
    assert "cheats/c7.py on toy-easy-0" in found
    assert "rewrites/r1.py on toy-easy-1" in found
    assert "secrecy: toy-easy-0: no hidden number is told" in found
    assert not any(name.startswith("reference") for name in found)


def test_a_generator_with_a_clock_is_found(home: Path, sandbox: Sandbox) -> None:
    text = (
        (home / "generate.py")
        .read_text()
        .replace("return Draft", "import uuid\n    (public / 'id').write_text(uuid.uuid4().hex)\n    return Draft")
    )
    (home / "generate.py").write_text(text)
    assert "generation: easy: same seed, same bytes" in failing(home, sandbox)


def test_a_wrong_reference_is_found(home: Path, sandbox: Sandbox) -> None:
    (home / "reference.py").write_text("def f(x):\n    return x * 8\n")
    assert "reference, full on toy-easy-0" in failing(home, sandbox)


def test_missing_files_end_the_check(home: Path, sandbox: Sandbox) -> None:
    (home / "prompt.md").unlink()
    (home / "cheats" / "c0.py").unlink()
    assert failing(home, sandbox) == ["files", "files: cheats"]


def test_a_cosmetic_rewrite_changes_the_text_and_not_the_program() -> None:
    source = textwrap.dedent('''
        def f(x, *, scale=2):
            """Doc."""
            total = 0  # comment
            for item in x:
                total += item * scale
            return total
    ''')
    changed = cosmetic.rewrite(source)
    assert "total" not in changed and "Doc" not in changed and "scale=2" in changed
    spaces: list[dict[str, object]] = [{}, {}]
    for text, space in zip((source, changed), spaces, strict=True):
        exec(text, space)
    assert spaces[0]["f"]([1, 2]) == spaces[1]["f"]([1, 2]) == 6  # type: ignore[operator]
