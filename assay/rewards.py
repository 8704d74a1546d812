"""The numbers that rank an attempt.

    combined = 0.7 score + 0.3 rubric   where the score is above 0 and there is a review
             = score                    where there is no review
             = 0                        where the score is 0: a failing attempt earns nothing by looking good

The composite terms (empirical, invariants, novelty, calibration) are null until something measures them; `total` is then the combined score.
"""

from __future__ import annotations

from assay.records import Review, Reward, Verdict

SCORE_WEIGHT = 0.7
RUBRIC_WEIGHT = 0.3


def combined(score: float, normalized: float | None) -> float:
    """The combined score, 0 .. 1; both arguments 0 .. 1, the second None where nobody reviewed."""
    if score <= 0 or normalized is None:
        return score
    return SCORE_WEIGHT * score + RUBRIC_WEIGHT * normalized


def reward(verdict: Verdict, review: Review) -> Reward:
    """The reward of one attempt that was scored or was its author's fault; never of a harness fault."""
    if verdict.outcome == "harness_fault":
        raise ValueError(f"{verdict.attempt_id}: a harness fault has no reward")
    value = combined(verdict.score, review.normalized)
    return Reward(
        attempt_id=verdict.attempt_id,
        combined=value,
        empirical=None,
        invariants=None,
        novelty=None,
        calibration=None,
        total=value,
    )
