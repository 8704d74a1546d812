"""judge ROUND: run every attempt of the round. Writes verdicts.parquet, and judge.json with how they ended."""

from __future__ import annotations

import collections

from assay import canonical, judging, tables
from assay.records import Attempt, Verdict
from stages import hearing
from stages.context import Context, main, rounds


def judge(context: Context) -> None:
    """Judge the attempts and count the ends."""
    path = context.round_folder() / "attempts.parquet"
    attempts = tables.read(path, Attempt)
    verdicts = hearing.hear(context, attempts, context.instances(), str(path))
    tables.write(context.round_folder() / "verdicts.parquet", verdicts, Verdict)
    failures = collections.Counter(verdict.failure_mode or "passed" for verdict in verdicts)
    metrics = {**hearing.counts(judging.tally(len(attempts), verdicts)), "ends": dict(failures)}
    tables.write_text(context.round_folder() / "judge.json", canonical.dumps(metrics) + "\n")


if __name__ == "__main__":
    main(judge, argument="round", choices=rounds)
