"""Reviews that nobody wrote: null with a reason, never 0 and never invented."""

from __future__ import annotations

from assay.records import Review

NO_JUDGE = "rubric.judge is none: no reviewer was asked"


def null_review(attempt_id: str, why: str) -> Review:
    """The row of an attempt without a review."""
    return Review(
        attempt_id=attempt_id,
        code_quality=None,
        robustness=None,
        explanation=None,
        normalized=None,
        feedback=None,
        corrected_sketch=None,
        judge_model=None,
        rubric_sha="",
        cost_usd=0.0,
        why_null=why,
    )
