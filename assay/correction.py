"""Self-repair: the sampled model sees its failed attempt and what the judge may say of it, and tries again.

A correction is an attempt with a parent. It is verified by running it like any other, and it is kept only where it beats its parent by
a margin (`beats`). The feedback holds the verdict's notes and failed gates and nothing hidden: notes are made for the attempt's author.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from importlib import resources

from assay import canonical
from assay.records import Attempt, Message, Verdict

_REPAIR = resources.files("assay.prompts").joinpath("repair.md").read_text(encoding="utf-8")


def feedback(verdict: Verdict) -> str:
    """What the author of an attempt is told, in lines."""
    lines = [f"Failure: {verdict.failure_mode.replace('_', ' ')}."]
    lines += [f"- {note}" for note in verdict.notes]
    lines += [f"- the gate {gate.name} isn't met" for gate in verdict.gates if not gate.passed]
    return "\n".join(lines)


def conversation(attempt: Attempt, verdict: Verdict) -> tuple[Message, ...]:
    """The turns before a correction: those of the attempt, its code, and the feedback."""
    code = attempt.submission if attempt.submission is not None else attempt.completion
    request = _REPAIR.replace("{feedback}", feedback(verdict)).strip()
    return (*attempt.messages, Message("assistant", f"```python\n{code.strip()}\n```"), Message("user", request))


def choose(attempts: Sequence[Attempt], verdicts: Sequence[Verdict], limit: int, seed: int) -> list[tuple[Attempt, Verdict]]:
    """Up to `limit` failed attempts that ran far enough to be worth a correction, at most one an instance, drawn by seed.

    An instance that some attempt has passed already needs no correction and is left out, and so is a harness fault.
    """
    by_id = {verdict.attempt_id: verdict for verdict in verdicts}
    solved = {attempt.instance_id for attempt in attempts if by_id[attempt.attempt_id].passed}
    failed = [
        attempt
        for attempt in sorted(attempts, key=lambda row: row.attempt_id)
        if attempt.instance_id not in solved
        and attempt.submission is not None
        and by_id[attempt.attempt_id].outcome != "harness_fault"
    ]
    random.Random(canonical.seed("correct", seed)).shuffle(failed)
    chosen: dict[str, Attempt] = {}
    for attempt in failed:
        chosen.setdefault(attempt.instance_id, attempt)
    return [(attempt, by_id[attempt.attempt_id]) for attempt in list(chosen.values())[:limit]]


def beats(correction: Verdict, parent: Verdict, margin: float) -> bool:
    """Whether a correction scored at least `margin` (0 .. 1) more than its parent."""
    return correction.outcome == "scored" and correction.score >= parent.score + margin
