"""pool ROUND: what the next model learns from. Writes lessons.parquet, and pool.json with every reason for leaving a row out."""

from __future__ import annotations

import collections

from assay import canonical, correction, pool, tables
from assay.models.chat import open_counter
from assay.pool import Candidate, Rules
from assay.records import Attempt, Lesson, Reward, Verdict
from stages import asking
from stages.context import Context, main, rounds, say


def make_pool(context: Context) -> None:
    """Choose lessons from the round's attempts, its corrections and the pool before."""
    home, numbers = context.round_folder(), context.settings.pool
    earlier = tables.read(context.round_folder(context.previous) / "lessons.parquet", Lesson)
    rules = Rules(
        top_k=numbers.top_k,
        family_cap=numbers.family_cap,
        decay=numbers.decay,
        corrections=numbers.corrections,
        max_tokens=numbers.max_tokens,
        seed=context.settings.seed,
    )
    count = open_counter(asking.model_spec(context))
    made = pool.make(_candidates(context), earlier, rules, count, context.name)
    tables.write(home / "lessons.parquet", made.lessons, Lesson)
    kinds = collections.Counter(lesson.kind for lesson in made.lessons)
    metrics = {"lessons": len(made.lessons), "kinds": dict(kinds), "left_out": made.left_out}
    tables.write_text(home / "pool.json", canonical.dumps(metrics) + "\n")
    say(f"{context.name}: {len(made.lessons)} lessons ({dict(kinds)}); left out: {made.left_out}")


def _candidates(context: Context) -> list[Candidate]:
    home, margin = context.round_folder(), context.settings.correct.margin
    attempts = tables.read(home / "attempts.parquet", Attempt)
    corrections = tables.read(home / "corrections.parquet", Attempt)
    verdicts = tables.read(home / "verdicts.parquet", Verdict) + tables.read(home / "corrections_verdicts.parquet", Verdict)
    rewards = tables.by_key(tables.read(home / "rewards.parquet", Reward), "attempt_id")
    by_id = tables.by_key(verdicts, "attempt_id")
    heard = tables.join([*attempts, *corrections], verdicts, on="attempt_id", where=str(home / "verdicts.parquet"))
    instances = tables.join([row for row, _ in heard], context.instances(), on="instance_id", where="data/instances")
    return [
        Candidate(
            attempt=attempt,
            verdict=verdict,
            reward=rewards.get(attempt.attempt_id),
            instance=instance,
            beats_parent=attempt.parent_id in by_id and correction.beats(verdict, by_id[attempt.parent_id], margin),
        )
        for (attempt, verdict), (_, instance) in zip(heard, instances, strict=True)
    ]


if __name__ == "__main__":
    main(make_pool, argument="round", choices=rounds)
