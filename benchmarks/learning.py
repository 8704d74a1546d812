"""Does it learn? The whole loop over several seeds, each in a workspace of its own, and one table of what came out.

    python -m benchmarks.learning [--seeds 0 1 2] [--out metrics/learning.json]

A seed changes everything that is drawn: instances, attempts, order of training. A workspace is a copy of the tracked files of this tree
under .cache/learning/seed-N with `seed: N` in params.yaml; it shares the caches of this tree, so a run that was stopped goes on. Trials
of all seeds are pooled; the 95% intervals draw whole families with replacement, since attempts of one family are not independent
within a seed nor between seeds. Held-out instances are those of the primer only: the embedded model has no chance at a CPS task.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay import catalog, evaluation, tables
from assay.evaluation import Estimate, Trial
from assay.records import Instance
from stages import settings
from stages.context import BASE
from stages.evaluate import trials as trials_of

ROOT = Path(__file__).resolve().parents[1]
DOMAIN = "primer"
GROUPS = ("held_out_instances", "held_out_families")


def tracked(root: Path) -> list[str]:
    """What git knows of this tree and what is new in it, without what it ignores."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=root, check=True, capture_output=True, text=True
    )
    return sorted(name for name in listed.stdout.splitlines() if (root / name).is_file() and name != "dvc.lock")


def workspace(seed: int) -> Path:
    """A copy of this tree for one seed; files that the tree no longer has go, what DVC made stays."""
    home = ROOT / ".cache" / "learning" / f"seed-{seed}"
    names = tracked(ROOT)
    if home.is_dir():
        for path in [*home.glob("assay/**/*.py"), *home.glob("stages/**/*.py"), *home.glob("tasks/**/*")]:
            if path.is_file() and path.relative_to(home).as_posix() not in names:
                path.unlink()
    for name in names:
        target = home / name
        data = (ROOT / name).read_bytes()
        if name == "params.yaml":
            data = re.sub(rb"(?m)^seed: \d+$", f"seed: {seed}".encode(), data)
        if not target.is_file() or target.read_bytes() != data:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            target.chmod((ROOT / name).stat().st_mode & 0o777)
    (home / ".dvc").mkdir(exist_ok=True)
    (home / ".dvc" / "config.local").write_text(f"[core]\n    no_scm = true\n[cache]\n    dir = {ROOT / '.dvc' / 'cache'}\n")
    (home / ".cache").mkdir(exist_ok=True)
    for name in ("assay", "models"):
        (ROOT / ".cache" / name).mkdir(parents=True, exist_ok=True)
        link = home / ".cache" / name
        if not link.is_symlink():
            link.symlink_to(ROOT / ".cache" / name)
    return home


def run(home: Path) -> None:
    """`dvc repro` in a workspace."""
    environment = {**os.environ, "PYTHONPATH": str(home), "DVC_NO_ANALYTICS": "1", "OMP_WAIT_POLICY": "PASSIVE"}
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment.get('PATH', '')}"
    ended = subprocess.run([sys.executable, "-m", "dvc", "repro"], cwd=home, env=environment, check=False)
    if ended.returncode:
        raise SystemExit(f"learning: dvc repro in {home} ended with {ended.returncode}")


def measured(home: Path) -> dict[str, dict[str, list[Trial]]]:
    """The primer's trials of a workspace, by round and group."""
    chosen = settings.read(home / "params.yaml")
    found = dict(catalog.scan(home / "tasks"))
    known = [
        row
        for task_id in chosen.tasks
        for row in tables.read(home / "data" / "instances" / task_id / "instances.parquet", Instance)
        if row.split == "eval"
    ]
    primer = {row.instance_id for row in known if row.domain == DOMAIN}
    rounds: dict[str, dict[str, list[Trial]]] = {}
    for name in [BASE, *chosen.rounds]:
        groups = trials_of(home / "data" / "rounds" / name, known, found)
        rounds[name] = {group: [trial for trial in groups[group] if trial.instance_id in primer] for group in GROUPS}
    return rounds


def pooled(runs: Sequence[dict[str, dict[str, list[Trial]]]]) -> dict[str, dict[str, list[Trial]]]:
    """The trials of all seeds together; an instance is told apart by the seed that is part of its id."""
    return {name: {group: [trial for one in runs for trial in one[name][group]] for group in GROUPS} for name in runs[0]}


def rate(estimate: Estimate | None) -> dict[str, float | int]:
    """An estimate as metrics/learning.json has it."""
    assert estimate is not None
    return {"pass1": round(estimate.mean, 4), "low": round(estimate.low, 4), "high": round(estimate.high, 4), "n": estimate.n}


def difference(estimate: Estimate | None) -> dict[str, float]:
    """A paired difference as metrics/learning.json has it."""
    assert estimate is not None
    return {"mean": round(estimate.mean, 4), "low": round(estimate.low, 4), "high": round(estimate.high, 4)}


def report(runs: dict[int, dict[str, dict[str, list[Trial]]]]) -> dict[str, object]:
    """Everything that metrics/learning.json says."""
    together = pooled(list(runs.values()))
    last = list(together)[-1]
    document: dict[str, object] = {"seeds": sorted(runs), "rounds": list(together), "last_round": last}
    for group in GROUPS:
        document[group] = {
            **{name: rate(evaluation.pass_rate(trials[group])) for name, trials in together.items()},
            "paired_difference": difference(evaluation.paired_difference(together[BASE][group], together[last][group])),
            "by_seed": {str(seed): _seed_line(one, last, group) for seed, one in sorted(runs.items())},
        }
    return document


def _seed_line(one: dict[str, dict[str, list[Trial]]], last: str, group: str) -> dict[str, object]:
    found = {
        name: dataclasses.asdict(estimate)["mean"]
        for name, trials in one.items()
        if (estimate := evaluation.pass_rate(trials[group]))
    }
    gain = difference(evaluation.paired_difference(one[BASE][group], one[last][group]))
    return {**{name: round(value, 4) for name, value in found.items()}, "paired_difference": gain}


TITLES = {"held_out_instances": "held-out instances", "held_out_families": "held-out families"}


def markdown(document: dict[str, Any]) -> str:
    """The table of README.md, from what metrics/learning.json says."""
    rounds = document["rounds"]
    lines = [
        f"| pass@1, primer | {' | '.join(rounds)} | {rounds[-1]} minus {rounds[0]}, points |",
        f"|---|{'---|' * (len(rounds) + 1)}",
    ]
    for group, title in TITLES.items():
        found = document[group]
        rates = [
            f"{_share(found[name]['pass1'])}% [{_share(found[name]['low'])}, {_share(found[name]['high'])}]" for name in rounds
        ]
        gain = found["paired_difference"]
        points = f"{100 * gain['mean']:+.1f} [{100 * gain['low']:+.1f}, {100 * gain['high']:+.1f}]"
        lines.append(f"| {title}, n = {found[rounds[0]]['n']} | {' | '.join(rates)} | {points} |")
    return "\n".join(lines)


def _share(value: float) -> str:
    return f"{100 * value:.1f}"


def main() -> None:
    """Run the seeds that are asked for and write the table."""
    parser = argparse.ArgumentParser(prog="learning", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--out", type=Path, default=ROOT / "metrics" / "learning.json")
    chosen = parser.parse_args()
    dirty = subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split(
        "\n"
    )
    if any(line and not line.endswith("metrics/learning.json") for line in dirty):
        print("learning: this tree has changes that aren't committed; they are measured too", file=sys.stderr)
    runs: dict[int, dict[str, dict[str, list[Trial]]]] = {}
    for seed in chosen.seeds:
        home = workspace(seed)
        run(home)
        runs[seed] = measured(home)
    document = report(runs)
    tables.write_text(chosen.out, json.dumps(document, indent=2) + "\n")
    print(json.dumps(document, indent=2))
    print(markdown(document))


if __name__ == "__main__":
    main()
