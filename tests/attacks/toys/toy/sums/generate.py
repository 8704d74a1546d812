"""Weights and inputs are whole numbers, so that any order of summation gives the same answer, in single precision too."""

from __future__ import annotations

import json
import random
from pathlib import Path

from assay.protocol import Difficulty, Draft


def generate(seed: int, difficulty: Difficulty, public: Path, private: Path) -> Draft:
    """One problem; `open` tells the weights."""
    draw = random.Random(seed)
    weights = [float(draw.randint(2, 997)) for _ in range(4)]
    inputs = [[float(draw.randint(-50, 50)) for _ in range(4)] for _ in range(3)]
    token = "hidden-truth-" + "".join(draw.choice("0123456789abcdef") for _ in range(32))
    (private / "hidden.json").write_text(json.dumps({"weights": weights, "inputs": inputs, "token": token}))
    if difficulty.name == "open":
        (public / "weights.json").write_text(json.dumps(weights))
    return Draft(prompt="Return the weighted sum of x.", family="sums")
