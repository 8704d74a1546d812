"""correct ROUND: self-repair of some failed attempts, each verified by running it.

Writes corrections.parquet (attempts with a parent) and corrections_verdicts.parquet; both verdicts stay, so the margin can be read.
"""

from __future__ import annotations

from assay import correction, tables
from assay.records import Attempt, Verdict
from stages import asking, hearing
from stages.asking import Question
from stages.context import Context, main, rounds, say


def correct(context: Context) -> None:
    """Ask again with the judge's public feedback, then judge what came."""
    home = context.round_folder()
    numbers = context.settings.correct
    attempts = tables.read(home / "attempts.parquet", Attempt)
    verdicts = tables.read(home / "verdicts.parquet", Verdict)
    tables.join(attempts, verdicts, on="attempt_id", where=str(home / "verdicts.parquet"))
    chosen = correction.choose(attempts, verdicts, numbers.limit, context.settings.seed)
    wanted = [
        Question(
            attempt_id=f"{context.name}/{attempt.instance_id}/correction-{attempt.draw}",
            instance_id=attempt.instance_id,
            draw=attempt.draw,
            messages=correction.conversation(attempt, verdict),
            source="correction",
            parent_id=attempt.attempt_id,
        )
        for attempt, verdict in chosen
    ]
    adapter = context.round_folder(context.previous) / "adapter"
    corrections = asking.ask(context, wanted, context.settings.sample, adapter)
    heard = hearing.hear(context, corrections, context.instances(), str(home / "corrections.parquet")) if corrections else []
    tables.write(home / "corrections.parquet", corrections, Attempt)
    tables.write(home / "corrections_verdicts.parquet", heard, Verdict)
    better = sum(correction.beats(new, old, numbers.margin) for new, (_, old) in zip(heard, chosen, strict=True))
    say(f"{context.name}: {len(corrections)} corrections, {better} beat their parents by {numbers.margin}")


if __name__ == "__main__":
    main(correct, argument="round", choices=rounds)
