"""Tables are checked on every write and every read."""

from __future__ import annotations

import dataclasses
import errno
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import records, tables
from assay.errors import StorageError, TableError
from assay.records import Attempt, Gate, Message, Reward, Verdict


def verdict(name: str = "r00/x/model-0", **changes: Any) -> Verdict:
    row = Verdict(name, "scored", 0.5, False, "gate_failed", (Gate("g", False, None, 1.0),), "{}", ("n",), (), "B: x", "s")
    return dataclasses.replace(row, **changes)


@pytest.mark.parametrize(
    "row_type", [records.Instance, Attempt, Verdict, records.Review, Reward, records.Elite, records.Lesson, records.Step]
)
def test_an_empty_table_keeps_its_schema(row_type: Any, tmp_path: Path) -> None:
    tables.write(tmp_path / "t.parquet", [], row_type)
    assert tables.read(tmp_path / "t.parquet", row_type) == []
    assert pq.read_schema(tmp_path / "t.parquet").names == [field.name for field in dataclasses.fields(row_type)]


def test_rows_come_back_sorted_and_equal(tmp_path: Path) -> None:
    rows = [verdict("b"), verdict("a", gates=(), notes=()), verdict("c", failure_mode="", passed=True, score=1.0)]
    tables.write(tmp_path / "t.parquet", rows, Verdict)
    assert tables.read(tmp_path / "t.parquet", Verdict) == [rows[1], rows[0], rows[2]]


@given(st.lists(st.builds(Message, role=st.just("user"), content=st.text())), st.none() | st.text())
def test_any_text_survives(messages: list[Message], submission: str | None) -> None:
    import tempfile

    row = Attempt("a", "i", "r00", 0, "model", None, "m", 2**62, tuple(messages), "c", 1, "stop", submission, "none")
    if any("\ud800" <= char <= "\udfff" for text in [submission or "", *(m.content for m in messages)] for char in text):
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.parquet"
        tables.write(path, [row], Attempt)
        assert tables.read(path, Attempt) == [row]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"score": float("nan")}, "score: nan isn't a finite number"),
        ({"score": 1}, "score: expected float, received int"),
        ({"outcome": "fine"}, "outcome: 'fine' isn't one of"),
        ({"judge_sha": None}, "judge_sha: null where a value must stand"),
        ({"gates": (Gate("g", True, float("inf"), None),)}, "gates: value: inf isn't a finite number"),
        ({"notes": ["a list"]}, "notes: expected a tuple, received list"),
    ],
)
def test_a_wrong_row_is_refused_and_the_old_table_stays(changes: dict[str, Any], said: str, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    tables.write(path, [verdict()], Verdict)
    with pytest.raises(TableError, match=said):
        tables.write(path, [verdict(**changes)], Verdict)
    assert tables.read(path, Verdict) == [verdict()]


def test_a_key_stands_once(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="stands there twice"):
        tables.write(tmp_path / "t.parquet", [verdict(), verdict()], Verdict)


def test_an_unknown_column_a_missing_one_and_another_type_are_named(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    tables.write(path, [verdict()], Verdict)
    table = pq.read_table(path)
    pq.write_table(table.append_column("extra", pa.array(["x"])), path)
    with pytest.raises(TableError, match="has unknown extra"):
        tables.read(path, Verdict)
    pq.write_table(table.drop_columns(["notes"]), path)
    with pytest.raises(TableError, match="lacks notes"):
        tables.read(path, Verdict)
    pq.write_table(table.set_column(2, pa.field("score", pa.float32()), pa.array([0.5], pa.float32())), path)
    with pytest.raises(TableError, match="another type or nullability in score"):
        tables.read(path, Verdict)


def test_a_damaged_file_is_one_line_wherever_the_damage_is(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    tables.write(path, [verdict(f"row {number}") for number in range(50)], Verdict)
    whole = path.read_bytes()
    for at in range(0, len(whole), max(1, len(whole) // 60)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        try:
            rows = tables.read(path, Verdict)
        except TableError as error:
            assert "\n" not in str(error) and str(path) in str(error)
        else:  # a byte of the footer that nothing depends on
            assert rows == [verdict(name) for name in sorted(f"row {number}" for number in range(50))]
    path.write_bytes(b"")
    with pytest.raises(TableError, match="received a damaged file"):
        tables.read(path, Verdict)
    with pytest.raises(TableError, match="received no file"):
        tables.read(tmp_path / "none.parquet", Verdict)


def test_a_full_disk_leaves_the_old_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.parquet"
    tables.write(path, [verdict()], Verdict)

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tables.pq, "write_table", full)
    with pytest.raises(StorageError, match="the disk is full"):
        tables.write(path, [verdict("other")], Verdict)
    monkeypatch.undo()
    assert tables.read(path, Verdict) == [verdict()]
    assert [entry.name for entry in tmp_path.iterdir()] == ["t.parquet"]


def test_the_content_hash_is_of_the_rows_and_not_of_the_bytes(tmp_path: Path) -> None:
    rows = [verdict("a"), verdict("b")]
    assert tables.content_hash(rows) == tables.content_hash(rows[::-1])
    assert tables.content_hash(rows) != tables.content_hash([verdict("a"), verdict("b", score=0.25)])


def test_join_names_what_is_missing() -> None:
    rewards = [Reward("a", 1.0, None, None, None, None, 1.0)]
    assert tables.join([verdict("a")], rewards, on="attempt_id", where="t") == [(verdict("a"), rewards[0])]
    with pytest.raises(TableError, match="t: expected a row for each attempt_id, 2 are missing, the first is 'b'"):
        tables.join([verdict("a"), verdict("b"), verdict("c")], rewards, on="attempt_id", where="t")
