"""Writes an instance: the published example for everyone, and hidden regimes of the seed and the level.

public/example/*.npy             four trajectories of the published regime with their true states X, the same in every instance
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
README = """# Example data

`example/*.npy`, float64, for `numpy.load`: the nine arguments of `estimate` under their names (A, B, C, Q, R, U, Y, x0_mean, x0_cov),
and `X`, shape (4, 50, 4), the true states. Four trajectories of a double integrator in the plane, state [px, py, vx, vy] in m and m/s,
input [ax, ay] in m/s^2, both positions measured. The systems of the evaluation are others.
"""


def generate(seed: int, difficulty: Difficulty, public: Path, private: Path) -> Draft:
    spec = yaml.safe_load((HERE / "task.yaml").read_text(encoding="utf-8"))
    smoke = spec["contract"]["smoke"]
    regimes.write(public / "example", regimes.published(smoke, **smoke["visible"]))
    (public / "README.md").write_text(README, encoding="utf-8")
    levels = list(spec["difficulties"])
    rng = np.random.default_rng([101, seed, levels.index(difficulty.name)])
    sizes = {}
    for name, kind in difficulty.axes["regimes"].items():
        regime = regimes.draw(rng, kind, difficulty.axes)
        regimes.write(private / "full" / name, regime)
        sizes[name] = f"{len(regime.A)}{regime.B.shape[1]}{len(regime.C)}"
    words = {**spec["limits"], **spec["thresholds"]}
    prompt = string.Template((HERE / "prompt.md").read_text(encoding="utf-8")).substitute(words)
    return Draft(prompt=prompt, family=f"{difficulty.name}-{sizes.get('sizes', sizes['plant'])}")
