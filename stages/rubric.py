"""rubric ROUND: a review of every attempt. Without a reviewer every review is null, with its reason. Writes reviews.parquet."""

from __future__ import annotations

from assay import review, tables
from assay.records import Attempt, Review
from stages.context import Context, main, rounds, say


def rubric(context: Context) -> None:
    """Write one review an attempt."""
    attempts = tables.read(context.round_folder() / "attempts.parquet", Attempt)
    reviews = [review.null_review(attempt.attempt_id, review.NO_JUDGE) for attempt in attempts]
    tables.write(context.round_folder() / "reviews.parquet", reviews, Review)
    say(f"{context.name}: {len(reviews)} null reviews: {review.NO_JUDGE}")


if __name__ == "__main__":
    main(rubric, argument="round", choices=rounds)
