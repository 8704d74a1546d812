"""Writes an instance: one solved example for everyone, and hidden regimes of the seed and the level.

public/example/*.npy             a problem with its optimum, the same in every instance
public/check.py, README.md       a self-check on it, and what these files are
private/full/<regime>/*.npy      the hidden regimes with their optima
"""

from __future__ import annotations

import string
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from assay.protocol import Difficulty, Draft
from tasks.cps import arrays
from tasks.cps.t03_model_predictive_control import oracle, problems, regimes

HERE = Path(__file__).parent


def generate(seed: int, difficulty: Difficulty, public: Path, private: Path) -> Draft:
    spec = yaml.safe_load((HERE / "task.yaml").read_text(encoding="utf-8"))
    arrays.write(public / "example", example(spec["contract"]["example"]))
    for name in ("check.py", "README.md"):
        (public / name).write_text((HERE / "visible" / name).read_text(encoding="utf-8"), encoding="utf-8")
    levels = list(spec["difficulties"])
    rng = np.random.default_rng([303, seed, levels.index(difficulty.name)])
    sizes = []
    for name, kind in difficulty.axes["regimes"].items():
        regime = regimes.draw(rng, kind, difficulty.axes)
        regimes.write(private / "full" / name, regime)
        sizes.append(regime.mpc.B.shape)
    words = {**spec["limits"], **spec["thresholds"], "near": difficulty.axes["near"], "far": difficulty.axes["far"][0]}
    prompt = string.Template((HERE / "prompt.md").read_text(encoding="utf-8")).substitute(words)
    last = "{}{}".format(*sizes[-1]) if len(sizes) > 3 else f"{sizes[1][1]}"
    return Draft(prompt=prompt, family=f"{difficulty.name}-{last}")


def example(numbers: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The visible problem's arguments by name, and its optimum: U, feasible, value."""
    named = {name: np.array(value, dtype=float) for name, value in numbers.items() if name != "N"}
    x0 = named.pop("x0")
    mpc = problems.Mpc(N=int(numbers["N"]), **named)
    solution = oracle.solve(mpc, x0)
    optimum = {"U": solution.U, "feasible": solution.feasible, "value": solution.value}
    return {**named, "N": np.asarray(mpc.N), "x0": x0, **optimum}
