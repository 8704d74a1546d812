"""Writes an instance: examples with their answers for everyone, and hidden cases of the seed and the level.

public/examples.json              eight questions with their answers, the same in every instance
public/check.py, public/README.md a self-check on them, and what the files are
private/full/<regime>.json        the hidden cases with their truth
"""

from __future__ import annotations

import string
from pathlib import Path

import numpy as np
import yaml

from assay.protocol import Difficulty, Draft
from tasks.cps.t06_ltl_verification import cases, drawing

HERE = Path(__file__).parent


def generate(seed: int, difficulty: Difficulty, public: Path, private: Path) -> Draft:
    spec = yaml.safe_load((HERE / "task.yaml").read_text(encoding="utf-8"))
    for path in sorted((HERE / "visible").iterdir()):
        if path.is_file():
            (public / path.name).write_bytes(path.read_bytes())
    axes = difficulty.axes
    rng = np.random.default_rng([606, seed, list(spec["difficulties"]).index(difficulty.name)])
    depths, margins = rng.permutation(axes["depths"]), rng.permutation(axes["margins"])
    operators = set()
    for (name, kind), depth, margin in zip(axes["regimes"].items(), depths, margins, strict=True):
        found = drawing.regime(rng, kind, axes, float(depth), float(margin))
        cases.write(private / "full" / f"{name}.json", found)
        operators |= {case.formula[3][0] for case in found if name == "nested"}
    words = {**spec["limits"], **spec["thresholds"]}
    prompt = string.Template((HERE / "prompt.md").read_text(encoding="utf-8")).substitute(words)
    return Draft(prompt=prompt, family="-".join([difficulty.name, *sorted(operators)]))
