"""Judges part of the catalogue and tells on stdout, as JSON, what went wrong: run as a process of its own, by another user for one."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from assay.sandbox import open_sandbox
from tests.attacks import arena
from tests.attacks.arena import CANDIDATES, Candidate, catalogue, complaints

HONEST = '"""Must: passed"""\nprint("began")\n\n\ndef f(x):\n    return float(sum(w * v for w, v in zip({}, x)))\n'


def control(made: arena.Arena, name: str) -> Candidate:
    """An honest candidate that was told the weights."""
    source = HONEST.format(made.weights) + f"\n\nNAME = {name!r}\n"
    return Candidate(name, source, frozenset({"passed"}), "float", arena.ROOMY, "began", False, "ABC")


def fight(names: list[str], without: list[str]) -> dict[str, Any]:
    """Judge these candidates and then an honest one.

    Returns:
        `isolation`; `wrong`, complaints by name; `judged`, how many there were; `honest`, whether the honest one passed.
    """
    chosen = [candidate for candidate in catalogue(CANDIDATES) if candidate.name in names]
    with tempfile.TemporaryDirectory() as folder:
        made = arena.make(Path(folder))
        with open_sandbox(require="none", workers=2, without=without) as pool:
            chosen = [c for c in chosen if pool.isolation[0] in c.levels or pool.isolation.startswith("none")]
            ends = made.judge(chosen, pool) | made.judge([control(made, "control")], pool)
    wrong = {candidate.name: complaints(candidate, *ends[candidate.name], made.token) for candidate in chosen}
    return {
        "isolation": pool.isolation,
        "judged": len(chosen),
        "wrong": {name: found for name, found in wrong.items() if found},
        "honest": ends["control"][0].passed,
    }


if __name__ == "__main__":
    asked = json.loads(sys.argv[1])
    print(json.dumps(fight(asked["names"], asked["without"])))
