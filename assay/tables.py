"""Tables: the plural of a record type, in Parquet, checked on every write and every read.

The schema is derived from the dataclass here and nowhere else: names, types, nullability, closed lists (`Literal`), no unknown
column. Rows are sorted by their first field, so equal rows give equal tables. Identity is the *content hash*, over canonical text of the rows;
the bytes of a file may differ between versions of the library. Pages carry checksums, so a flipped bit is an error and not a wrong number.
"""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import hashlib
import math
import os
import tempfile
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from assay import canonical
from assay.errors import StorageError, TableError

Row = TypeVar("Row")
Other = TypeVar("Other")

_PLAIN = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}


def schema(row_type: Any) -> pa.Schema:
    """The Parquet schema of a record type."""
    hints = _hints(row_type)
    return pa.schema([_field(field.name, hints[field.name]) for field in dataclasses.fields(row_type)])


def _field(name: str, hint: Any) -> pa.Field:
    inner, nullable = _optional(hint)
    return pa.field(name, _arrow(inner), nullable=nullable)


def _arrow(hint: Any) -> pa.DataType:
    if typing.get_origin(hint) is typing.Literal:
        return pa.string()
    if typing.get_origin(hint) is tuple:
        return pa.list_(pa.field("item", _arrow(typing.get_args(hint)[0]), nullable=False))
    if dataclasses.is_dataclass(hint):
        hints = _hints(hint)
        return pa.struct([_field(field.name, hints[field.name]) for field in dataclasses.fields(hint)])
    return _PLAIN[hint]


def _optional(hint: Any) -> tuple[Any, bool]:
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        inner = [part for part in typing.get_args(hint) if part is not type(None)]
        return inner[0], True
    return hint, False


def _fault(value: Any, hint: Any) -> str | None:
    """What is wrong with a value of a field, or None; checked before anything is written and after anything is read."""
    inner, nullable = _optional(hint)
    if value is None:
        return None if nullable else "null where a value must stand"
    if typing.get_origin(inner) is typing.Literal:
        return (
            None if value in typing.get_args(inner) else f"{value!r} isn't one of {', '.join(map(repr, typing.get_args(inner)))}"
        )
    if typing.get_origin(inner) is tuple:
        if not isinstance(value, tuple):
            return f"expected a tuple, received {type(value).__name__}"
        part = typing.get_args(inner)[0]
        return next((fault for item in value if (fault := _fault(item, part))), None)
    if dataclasses.is_dataclass(inner):
        return _record_fault(value, inner)
    if type(value) is not inner:
        return f"expected {inner.__name__}, received {type(value).__name__}"
    if inner is float and not math.isfinite(value):
        return f"{value} isn't a finite number"
    return None


def _record_fault(value: Any, row_type: Any) -> str | None:
    if type(value) is not row_type:
        return f"expected {row_type.__name__}, received {type(value).__name__}"
    for name, hint in _hints(row_type).items():
        if fault := _fault(getattr(value, name), hint):
            return f"{name}: {fault}"
    return None


_HINTS: dict[Any, dict[str, Any]] = {}


def _hints(row_type: Any) -> dict[str, Any]:
    if row_type not in _HINTS:
        _HINTS[row_type] = typing.get_type_hints(row_type)
    return _HINTS[row_type]


def _checked(rows: Iterable[Row], row_type: type[Row], where: str) -> list[Row]:
    ordered = sorted(rows, key=_order)
    keys: set[Any] = set()
    for row in ordered:
        if fault := _record_fault(row, row_type):
            raise TableError(f"{where}: row {_order(row)!r}: {fault}")
        if _order(row) in keys:
            raise TableError(f"{where}: row {_order(row)!r} stands there twice")
        keys.add(_order(row))
    return ordered


def _order(row: Any) -> Any:
    return getattr(row, dataclasses.fields(row)[0].name)


def write(path: Path, rows: Iterable[Row], row_type: type[Row]) -> None:
    """Write a table under a temporary name and rename it.

    Raises:
        TableError: a row that isn't of the type, or a first field twice.
        StorageError: the disk is full or can't be written; what stood there before stays.
    """
    ordered = _checked(rows, row_type, str(path))
    table = pa.Table.from_pylist([dataclasses.asdict(row) for row in ordered], schema=schema(row_type))  # type: ignore[call-overload]
    replace_file(
        path,
        lambda temporary: pq.write_table(
            table, temporary, compression="zstd", write_page_checksum=True, store_schema=False, version="2.6"
        ),
    )


def replace_file(path: Path, writer: Callable[[Path], object]) -> None:
    """Have `writer` fill a temporary file beside `path`, then rename it there: whole or not at all.

    Raises:
        StorageError: the disk is full or can't be written; no half file is left.
    """
    temporary: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        os.close(handle)
        temporary = Path(name)
        writer(temporary)
        with temporary.open("rb") as written:
            os.fsync(written.fileno())
        temporary.chmod(0o644)
        temporary.replace(path)
    except OSError as error:
        raise StorageError(f"{path}: can't be written: {_reason(error)}") from error
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)


def _reason(error: OSError) -> str:
    if error.errno == errno.ENOSPC:
        return "the disk is full"
    return os.strerror(error.errno) if error.errno else " ".join(str(error).split())


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text with LF line ends, whole or not at all; raises StorageError."""
    replace_file(path, lambda temporary: temporary.write_bytes(text.encode()))


def read(path: Path, row_type: type[Row]) -> list[Row]:
    """Read a table and check it against its type.

    Raises:
        TableError: no such file, not Parquet, a damaged page, another schema, or a value out of its list.
    """
    if not path.is_file():
        raise TableError(f"{path}: expected a table of {row_type.__name__}, received no file")
    try:
        table = pq.ParquetFile(path, page_checksum_verification=True).read()
    except Exception as error:
        raise TableError(f"{path}: expected a table of {row_type.__name__}, received a damaged file: {_line(error)}") from error
    _same_schema(path, table.schema, row_type)
    rows = [_build(values, row_type) for values in table.to_pylist()]
    return _checked(rows, row_type, str(path))


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


def _same_schema(path: Path, found: pa.Schema, row_type: type) -> None:
    expected = schema(row_type)
    if found.equals(expected):
        return
    missing = [name for name in expected.names if name not in found.names]
    unknown = [name for name in found.names if name not in expected.names]
    other = [name for name in expected.names if name in found.names and not expected.field(name).equals(found.field(name))]
    parts = [("lacks", missing), ("has unknown", unknown), ("has another type or nullability in", other)]
    said = "; ".join(f"{word} {', '.join(names)}" for word, names in parts if names) or "has its columns in another order"
    raise TableError(f"{path}: expected the columns of {row_type.__name__}, received a table that {said}")


def _build(value: Any, hint: Any) -> Any:
    inner, _ = _optional(hint)
    if value is None:
        return None
    if typing.get_origin(inner) is tuple:
        part = typing.get_args(inner)[0]
        return tuple(_build(item, part) for item in value)
    if dataclasses.is_dataclass(inner) and isinstance(inner, type):
        return inner(**{name: _build(value[name], part) for name, part in _hints(inner).items()})
    return value


def content_hash(rows: Sequence[Any]) -> str:
    """SHA-256 over the canonical text of the rows in the order of their first field."""
    digest = hashlib.sha256()
    for row in sorted(rows, key=_order):
        digest.update(canonical.dumps(dataclasses.asdict(row)).encode() + b"\n")
    return digest.hexdigest()


def by_key(rows: Iterable[Row], field: str) -> dict[str, Row]:
    """Rows by the value of a field."""
    return {getattr(row, field): row for row in rows}


def join(rows: Sequence[Row], others: Iterable[Other], *, on: str, where: str) -> list[tuple[Row, Other]]:
    """Each row with the one row of another table that has the same value in `on`.

    Raises:
        TableError: a row without a partner; the text names the first of them and says how many there are.
    """
    index: Mapping[str, Other] = by_key(others, on)
    lost = [getattr(row, on) for row in rows if getattr(row, on) not in index]
    if lost:
        raise TableError(f"{where}: expected a row for each {on}, {len(lost)} are missing, the first is {lost[0]!r}")
    return [(row, index[getattr(row, on)]) for row in rows]
