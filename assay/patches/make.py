"""A patch from two states of a workspace: what `assay.patches.apply` turns back into the second.

Not covered: files that hold NUL, which no text patch carries.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping

_NO_NEWLINE = "\n\\ No newline at end of file\n"


def lines_of(data: bytes) -> list[bytes]:
    """Lines with their newline; only `\\n` ends one, and the last may lack it."""
    lines = [line + b"\n" for line in data.split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _text(data: bytes) -> list[str]:
    return [line.decode(errors="surrogateescape") for line in lines_of(data)]


def _one(path: str, before: bytes | None, after: bytes | None, context: int) -> str:
    head = f"diff --git a/{path} b/{path}\n"
    if before is None:
        head += "new file mode 100644\n"
    if after is None:
        head += "deleted file mode 100644\n"
    names = ("/dev/null" if before is None else f"a/{path}", "/dev/null" if after is None else f"b/{path}")
    body = difflib.unified_diff(_text(before or b""), _text(after or b""), *names, n=context)
    return head + "".join(line if line.endswith("\n") else line + _NO_NEWLINE for line in body)


def diff(before: Mapping[str, bytes], after: Mapping[str, bytes], *, context: int = 3) -> str:
    """The patch in git's style that leads from `before` to `after`, files in order of their paths; empty when they are equal.

    Bytes that aren't UTF-8 stand in it as lone surrogates (`surrogateescape`).

    Raises:
        ValueError: a changed file holds NUL.
    """
    patch = ""
    for path in sorted({*before, *after}):
        one, other = before.get(path), after.get(path)
        if one == other:
            continue
        if b"\0" in (one or b"") or b"\0" in (other or b""):
            raise ValueError(f"{path} changed and isn't text")
        patch += _one(path, one, other, context)
    return patch
