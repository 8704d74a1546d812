"""A content-keyed store below the stages: a killed stage that starts again repeats nothing that was finished.

One SQLite file, written by several threads and processes, one transaction a value. Keys are hashes over everything that the value
depends on; values are text. A store is a cache: deleting its file costs time and nothing else.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable
from pathlib import Path

from assay.errors import StorageError


class Store:
    """Text by key, on disk.

    Args:
        path: the file; made with its folder when it isn't there.

    Raises:
        StorageError: the file can't be opened or written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._base = sqlite3.connect(path, timeout=120, isolation_level=None, check_same_thread=False)
            self._base.execute("PRAGMA journal_mode=WAL")
            self._base.execute("PRAGMA synchronous=NORMAL")
            self._base.execute("CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID")
        except (OSError, sqlite3.Error) as error:
            raise StorageError(f"{path}: the store can't be opened: {error}") from error

    def get(self, key: str) -> str | None:
        """The value of a key, or None."""
        return self.get_many([key]).get(key)

    def get_many(self, keys: Iterable[str]) -> dict[str, str]:
        """The values of those keys that are there."""
        found: dict[str, str] = {}
        try:
            with self._lock:
                for key in keys:
                    row = self._base.execute("SELECT value FROM entries WHERE key = ?", (key,)).fetchone()
                    if row is not None:
                        found[key] = str(row[0])
        except sqlite3.Error as error:
            raise StorageError(f"{self._path}: the store can't be read: {error}") from error
        return found

    def put(self, key: str, value: str) -> None:
        """Keep a value; the first one of a key stays."""
        try:
            with self._lock:
                self._base.execute("INSERT OR IGNORE INTO entries VALUES (?, ?)", (key, value))
        except sqlite3.Error as error:
            raise StorageError(f"{self._path}: the store can't be written: {error}") from error

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._base.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
