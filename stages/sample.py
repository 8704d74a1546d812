"""sample ROUND: the model of the round before attempts every training instance. Writes attempts.parquet."""

from __future__ import annotations

from assay import tables
from assay.records import Attempt
from stages import asking
from stages.context import Context, main, rounds, say


def sample(context: Context) -> None:
    """Ask the model with the adapter of the round before."""
    instances = [row for row in context.instances() if row.split == "train"]
    numbers = context.settings.sample
    wanted = asking.questions(context, instances, numbers.attempts)
    adapter = context.round_folder(context.previous) / "adapter"
    attempts = asking.ask(context, wanted, numbers, adapter)
    tables.write(context.round_folder() / "attempts.parquet", attempts, Attempt)
    coded = sum(attempt.submission is not None for attempt in attempts)
    say(f"{context.name}: {len(attempts)} attempts at {len(instances)} instances, {coded} with code")


if __name__ == "__main__":
    main(sample, argument="round", choices=rounds)
