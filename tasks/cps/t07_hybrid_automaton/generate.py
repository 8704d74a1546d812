"""Writes an instance: two visible examples with their truth for everyone, and hidden regimes of the seed and the level.

public/example_guard/*.npy, public/example_dwell/*.npy   data with modes, parameters and guards, the same in every instance
public/check.py, public/README.md                        a self-check on them, and what the files are
private/full/<regime>/*.npy                              the hidden regimes
"""

from __future__ import annotations

import string
from pathlib import Path

import numpy as np
import yaml

from assay.protocol import Difficulty, Draft
from tasks.cps import arrays
from tasks.cps.t07_hybrid_automaton import automata, drawing

HERE = Path(__file__).parent


def generate(seed: int, difficulty: Difficulty, public: Path, private: Path) -> Draft:
    """Write both folders of an instance; the prompt and the family."""
    spec = yaml.safe_load((HERE / "task.yaml").read_text(encoding="utf-8"))
    _visible(spec["contract"]["example"], public)
    rng = np.random.default_rng([707, seed, list(spec["difficulties"]).index(difficulty.name)])
    kinds, found = difficulty.axes["regimes"], {}
    for name, kind in kinds.items():
        if "of" in kind:
            found[name] = drawing.shifted(rng, found[kind["of"]], kind, difficulty.axes)
        else:
            found[name] = drawing.draw(rng, kind, difficulty.axes)
        automata.write(private / "full" / name, found[name])
    least = min(float(kind["separation"]) for kind in kinds.values())
    words = {**spec["limits"], **spec["thresholds"], "regimes": len(kinds), "separation": f"{drawing.NEAREST * least:.3g}"}
    prompt = string.Template((HERE / "prompt.md").read_text(encoding="utf-8")).substitute(words)
    most = max(int(kind.get("K", 2)) for kind in kinds.values())
    return Draft(prompt=prompt, family=f"{difficulty.name}-{most}")


def _visible(example: dict, public: Path) -> None:
    rng = np.random.default_rng([700, example["seed"]])
    for name, kind in example["regimes"].items():
        regime = drawing.draw(rng, kind, example["axes"])
        law = regime.automaton
        told = {"Y": regime.Y, "U": regime.U, "modes": regime.modes[:, law.lag :], "params": law.params, "orders": law.orders}
        arrays.write(public / f"example_{name}", told if law.dwell else told | {"guards": law.guards})
    for name in ("README.md", "check.py"):
        (public / name).write_bytes((HERE / "visible" / name).read_bytes())
