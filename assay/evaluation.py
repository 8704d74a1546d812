"""Pass rates with intervals, and paired differences between rounds.

pass@1 is the share of passed trials. Attempts of one family are not independent, so intervals come from a bootstrap that draws whole
families with replacement (10,000 times, seeded): the 2.5% and 97.5% points of the resampled rate. A difference between two rounds is
taken over the same (instance, draw) pairs. Harness faults are no trials. Not covered: pass@k beyond 1, which needs more draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.errors import InputError

RESAMPLES = 10_000


@dataclass(frozen=True)
class Trial:
    """One judged attempt at an evaluation instance."""

    instance_id: str
    draw: int
    cluster: str
    """what is drawn as a whole by the bootstrap: <task>/<family>"""
    passed: bool
    score: float
    """0 .. 1"""


@dataclass(frozen=True)
class Estimate:
    """A share with its 95% interval."""

    mean: float
    low: float
    high: float
    n: int
    """how many trials, or pairs"""


def pass_rate(trials: Sequence[Trial], seed: int = 0) -> Estimate | None:
    """pass@1 of some trials, 0 .. 1; None where there are none."""
    return _bootstrap([trial.cluster for trial in trials], [float(trial.passed) for trial in trials], seed)


def mean_score(trials: Sequence[Trial], seed: int = 0) -> Estimate | None:
    """The mean score of some trials, 0 .. 1; None where there are none."""
    return _bootstrap([trial.cluster for trial in trials], [trial.score for trial in trials], seed)


def paired_difference(before: Sequence[Trial], after: Sequence[Trial], seed: int = 0) -> Estimate | None:
    """pass@1 after minus before, over the (instance, draw) pairs that both have; None where they share none.

    A pair of which one side was a harness fault is lost; `n` of the result says how many are left. That both sides were asked the
    same is for the caller to know (`same_questions`).
    """
    old = {(trial.instance_id, trial.draw): trial for trial in before}
    pairs = [(old[key], trial) for trial in after if (key := (trial.instance_id, trial.draw)) in old]
    return _bootstrap([new.cluster for _, new in pairs], [float(new.passed) - float(was.passed) for was, new in pairs], seed)


def same_questions(before: Sequence[tuple[str, int]], after: Sequence[tuple[str, int]]) -> None:
    """Check that two evaluations asked the same (instance, draw) pairs, harness faults included.

    Raises:
        InputError: they didn't, so that their rates can't be compared in pairs.
    """
    if sorted(before) != sorted(after):
        common = len(set(before) & set(after))
        raise InputError(
            f"a paired difference needs the same instances: {len(before)} before, {len(after)} after, {common} in common"
        )


def _bootstrap(clusters: Sequence[str], values: Sequence[float], seed: int) -> Estimate | None:
    if not values:
        return None
    names = sorted(set(clusters))
    sums, counts = np.zeros(len(names)), np.zeros(len(names))
    index = {name: at for at, name in enumerate(names)}
    for cluster, value in zip(clusters, values, strict=True):
        sums[index[cluster]] += value
        counts[index[cluster]] += 1
    draws = np.random.default_rng(seed).integers(len(names), size=(RESAMPLES, len(names)))
    means = sums[draws].sum(axis=1) / counts[draws].sum(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return Estimate(mean=float(sums.sum() / counts.sum()), low=float(low), high=float(high), n=len(values))
