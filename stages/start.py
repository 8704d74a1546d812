"""start: the round before the first. Its adapter and its pool are empty, so that no stage has a branch for the first round."""

from __future__ import annotations

from assay import tables
from assay.records import Lesson
from stages.context import BASE, Context, main, say


def start(context: Context) -> None:
    """Write the empty tables of the base round."""
    home = context.round_folder(BASE)
    tables.write_text(home / "adapter" / "EMPTY", "The base model: no adapter.\n")
    tables.write(home / "lessons.parquet", [], Lesson)
    say("base: an empty adapter and an empty pool")


if __name__ == "__main__":
    main(start)
