"""Writes an instance: a visible example for everyone, and hidden regimes of the seed and the level.

public/example/*.npy        transitions, costs and bound of one plant, with states and the optimal inputs there; the same in every instance
public/check.py, README.md  a self-check on them, and what the files are
private/full/<regime>/      the hidden regimes, see drawing.py
"""

from __future__ import annotations

import string
from pathlib import Path

import numpy as np
import yaml

from assay.protocol import Difficulty, Draft
from tasks.cps import arrays
from tasks.cps.t04_learning_based_control import drawing, oracle

HERE = Path(__file__).parent


def generate(seed: int, difficulty: Difficulty, public: Path, private: Path) -> Draft:
    """Write both folders of an instance; the prompt and the family."""
    spec = yaml.safe_load((HERE / "task.yaml").read_text(encoding="utf-8"))
    _visible(spec["contract"]["example"], public)
    rng = np.random.default_rng([404, seed, list(spec["difficulties"]).index(difficulty.name)])
    kinds = difficulty.axes["regimes"]
    for name, kind in kinds.items():
        if "of" in kind:
            continue
        same = {other: one for other, one in kinds.items() if one.get("of") == name}
        drawn = drawing.draw(rng, kind, difficulty.axes, list(same.values()))
        for one, regime in zip((name, *same), drawn, strict=True):
            drawing.write(private / "full" / one, regime)
    sizes = [size for kind in kinds.values() for size in kind.get("sizes", [])]
    words = {
        **spec["limits"],
        **spec["thresholds"],
        "regimes": len(kinds),
        "N": difficulty.axes["N"],
        "T": difficulty.axes["T"],
        "states": max(n for n, _ in sizes),
        "inputs": max(m for _, m in sizes),
    }
    prompt = string.Template((HERE / "prompt.md").read_text(encoding="utf-8")).substitute(words)
    return Draft(prompt=prompt, family=f"{difficulty.name}-{words['states']}")


def _visible(example: dict, public: Path) -> None:
    rng = np.random.default_rng([400, example["seed"]])
    regime = drawing.draw(rng, example["kind"], example["axes"])[0]
    names = ("X", "U", "Xn", "Q", "R", "gamma", "u_max")
    told = {name: np.asarray(part) for name, part in zip(names, regime.arguments(), strict=True)}
    optimum = {"states": regime.probes, "optimal": oracle.action(regime.plant, regime.probes)}
    arrays.write(public / "example", told | optimum)
    for name in ("README.md", "check.py"):
        (public / name).write_bytes((HERE / "visible" / name).read_bytes())
