"""table: the pass rates of all rounds that are measured, with intervals, for reading in a terminal. Writes nothing."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from assay import canonical
from assay.errors import TableError
from stages.context import BASE, Context, main
from stages.evaluate import GROUPS, percent, points

_TITLES = {"held_out_instances": "held-out instances", "held_out_families": "held-out families", "all": "all"}


def table(context: Context) -> None:
    """Print one line a round and a group."""
    shown = Table(title="pass@1 at the round's temperature, 95% intervals clustered by family")
    for column in ("round", "measured on", "pass@1", "minus base, points", "n"):
        shown.add_column(column)
    for name in [BASE, *context.settings.rounds]:
        path = context.round_folder(name) / "evaluation.json"
        if not path.is_file():
            raise TableError(f"{path}: expected the metrics of round {name}, received no file (dvc repro makes them)")
        groups = canonical.loads(path.read_text(encoding="utf-8"))["groups"]
        for group in GROUPS:
            entry = groups[group]
            count = str(int(entry["pass1"]["n"])) if entry["pass1"] else "0"
            shown.add_row(name, _TITLES[group], percent(entry["pass1"]), points(entry.get(f"minus_{BASE}")), count)
        shown.add_section()
    Console(width=100).print(shown)


if __name__ == "__main__":
    main(table)
