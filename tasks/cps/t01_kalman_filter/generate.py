"""Writes an instance: the published example for everyone, and hidden regimes of the seed and the level.

public/example/*.npy             four trajectories of the published regime with their true states X, the same in every instance
public/check.py                  a self-check to run on them
public/README.md                 what these files are
private/full/<regime>/*.npy      the hidden regimes
"""

from __future__ import annotations

import string
from pathlib import Path

import numpy as np
import yaml

from assay.protocol import Difficulty, Draft
from tasks.cps.t01_kalman_filter import regimes

HERE = Path(__file__).parent


def generate(seed: int, difficulty: Difficulty, public: Path, private: Path) -> Draft:
    spec = yaml.safe_load((HERE / "task.yaml").read_text(encoding="utf-8"))
    smoke, thresholds = spec["contract"]["smoke"], spec["thresholds"]
    regimes.write(public / "example", regimes.published(smoke, **smoke["visible"]))
    for name in ("check.py", "README.md"):
        (public / name).write_bytes((HERE / "visible" / name).read_bytes())
    levels = list(spec["difficulties"])
    rng = np.random.default_rng([101, seed, levels.index(difficulty.name)])
    plain = thresholds["condition"] / thresholds["response_factor"]  # so that it holds where one covariance is scaled
    axes = {**difficulty.axes, "blur": thresholds["blur"], "condition": plain}
    sizes = {}
    for name, kind in difficulty.axes["regimes"].items():
        regime = regimes.draw(rng, kind, axes)
        regimes.write(private / "full" / name, regime)
        sizes[name] = f"{len(regime.A)}{regime.B.shape[1]}{len(regime.C)}"
    words = {**spec["limits"], **thresholds}
    prompt = string.Template((HERE / "prompt.md").read_text(encoding="utf-8")).substitute(words)
    return Draft(prompt=prompt, family=f"{difficulty.name}-{sizes.get('sizes', sizes['varying'])}")
