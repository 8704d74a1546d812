"""A good task folder, small and made on the spot, and a sandbox."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

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
