"""reward ROUND: the numbers that rank attempts and corrections. Writes rewards.parquet; harness faults have no reward."""

from __future__ import annotations

from assay import review, rewards, tables
from assay.judging import tally
from assay.records import Attempt, Review, Reward, Verdict
from stages.context import Context, main, rounds, say


def reward(context: Context) -> None:
    """One reward a verdict that isn't ours."""
    home = context.round_folder()
    attempts = tables.read(home / "attempts.parquet", Attempt)
    verdicts = tables.read(home / "verdicts.parquet", Verdict)
    reviews = tables.read(home / "reviews.parquet", Review)
    tables.join(attempts, verdicts, on="attempt_id", where=str(home / "verdicts.parquet"))
    corrected = tables.read(home / "corrections_verdicts.parquet", Verdict)
    pairs = tables.join(verdicts, reviews, on="attempt_id", where=str(home / "reviews.parquet"))
    pairs += [(verdict, review.null_review(verdict.attempt_id, "corrections aren't reviewed")) for verdict in corrected]
    rows = [rewards.reward(verdict, said) for verdict, said in pairs if verdict.outcome != "harness_fault"]
    tables.write(home / "rewards.parquet", rows, Reward)
    counted = tally(len(attempts) + len(corrected), [verdict for verdict, _ in pairs])
    say(f"{context.name}: {counted}; {len(rows)} rewards, {sum(row.total > 0 for row in rows)} above 0")


if __name__ == "__main__":
    main(reward, argument="round", choices=rounds)
