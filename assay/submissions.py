"""Reading a solution file as a submission."""

from __future__ import annotations

from pathlib import Path

from assay.errors import SubmissionError

MOST_BYTES = 1 << 20


def read(path: Path) -> str:
    """The text of a solution file.

    Raises:
        SubmissionError: no such file, a folder, larger than 1 MiB, not UTF-8, or nothing in it.
    """
    if not path.is_file():
        raise SubmissionError(f"{path}: expected a solution file, received {'a folder' if path.is_dir() else 'nothing'}")
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise SubmissionError(f"{path}: expected at most {MOST_BYTES} bytes, received {size}")
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SubmissionError(
            f"{path}: expected UTF-8 text, received the byte 0x{data[error.start]:02x} at offset {error.start}"
        ) from error
    if not text.strip():
        raise SubmissionError(f"{path}: expected Python code, received an empty file")
    return text
