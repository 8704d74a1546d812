"""What a patch may do, and how it is refused.

Globs are matched part by part: `*`, `?` and `[..]` stay within one part of a path, `**` stands for any number of parts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from assay.protocol import CandidateFault
from assay.records import FailureMode

Reason = Literal[
    "empty_patch",  # nothing but white space, or no file header
    "patch_too_large",
    "malformed_patch",  # headers, hunks or counts that don't read as a unified diff
    "does_not_apply",  # a context or deleted line isn't in the file
    "ambiguous_hunk",  # it isn't at its stated line, and at two others
    "unsafe_path",  # absolute, `..`, a drive, NUL and the like
    "symlink",  # makes, repoints or goes through a symbolic link
    "mode_change",
    "rename",  # or copy
    "binary",
    "not_editable",  # the file isn't one that may change
    "creation",  # of a file that may not be made
    "deletion",  # of a file that may not go
    "reserved_path",  # where the judge lays a file of its own
    "no_such_file",
    "file_exists",
    "path_conflict",  # a file where a folder is, or below a file
    "case_collision",  # differs from another path in case or Unicode form only
    "same_file_twice",
    "too_many_files",
    "file_too_large",
    "no_effective_change",
]

_MODES: dict[Reason, FailureMode] = {
    "empty_patch": "no_code",
    "no_effective_change": "no_code",
    "malformed_patch": "syntax_error",
    "does_not_apply": "syntax_error",
    "ambiguous_hunk": "syntax_error",
    "no_such_file": "syntax_error",
    "file_exists": "syntax_error",
}
_SHOWN, _PATH_BYTES = 80, 240
_DRIVE = re.compile(r"[A-Za-z]:")


class PatchRefused(CandidateFault):
    """A patch can't or mustn't be applied: its author's fault.

    Args:
        reason: why, from the closed list.
        note: one line for its author.
    """

    def __init__(self, reason: Reason, note: str) -> None:
        super().__init__(_MODES.get(reason, "forbidden"), f"the patch is refused ({reason}): {note}")
        self.reason: Reason = reason


@dataclass(frozen=True)
class PatchRules:
    """What a patch may do to a workspace."""

    editable: tuple[str, ...] = ("**",)
    """globs of the files that may change"""
    creatable: tuple[str, ...] = ()
    """globs of the files that may be made"""
    deletable: tuple[str, ...] = ()
    """globs of the files that may be removed"""
    reserved: tuple[str, ...] = ()
    """globs of paths that belong to the judge, compared without case: wins over the three above"""
    links: frozenset[str] = frozenset()
    """paths of the workspace that are symbolic links: neither they nor anything below may be touched"""
    patch_bytes: int = 512 << 10
    """of the patch as UTF-8"""
    file_bytes: int = 1 << 20
    """of each file after the patch"""
    files: int = 32
    """how many files one patch may touch"""


def shown(path: str) -> str:
    """A path as a refusal may print it: short, ASCII, on one line."""
    text = ascii(path)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 4]}...'"


def folded(path: str) -> str:
    """What two paths have in common that one file system may take for the same."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def _parts_match(pattern: Sequence[str], parts: Sequence[str]) -> bool:
    # Which parts of the pattern can come next, followed part by part: no backtracking, whatever the pattern.
    def closed(at: set[int]) -> set[int]:
        for index in sorted(at):
            while index < len(pattern) and pattern[index] == "**":
                index += 1
                at.add(index)
        return at

    states = closed({0})
    for part in parts:
        stay = {index for index in states if index < len(pattern) and pattern[index] == "**"}
        states = closed(stay | {i + 1 for i in states - stay if i < len(pattern) and fnmatchcase(part, pattern[i])})
    return len(pattern) in states


def matches(path: str, globs: Collection[str]) -> bool:
    """Whether one of the globs has this path."""
    return any(_parts_match(glob.split("/"), path.split("/")) for glob in globs)


def collides(path: str, globs: Collection[str]) -> bool:
    """Whether a file at this path would stand at, above or below a path of the globs, whatever their case."""
    parts = folded(path).split("/")
    for glob in globs:
        pattern = folded(glob).split("/")
        if any(_parts_match(pattern, parts[:end]) for end in range(1, len(parts) + 1)):
            return True
        if "**" not in pattern and len(parts) < len(pattern) and _parts_match(pattern[: len(parts)], parts):
            return True
    return False


def checked_path(path: str) -> str:
    """The path, when it stays in the workspace.

    Raises:
        PatchRefused: unsafe_path.
    """
    parts = path.split("/")
    strange = any(not character.isprintable() for character in path) or "\\" in path
    if not path or strange or _DRIVE.match(path) or any(part in ("", ".", "..") for part in parts):
        raise PatchRefused("unsafe_path", f"{shown(path)} doesn't stay in the workspace or isn't a plain relative path")
    if any(part.casefold() == ".git" for part in parts) or len(path.encode(errors="surrogateescape")) > _PATH_BYTES:
        raise PatchRefused("unsafe_path", f"{shown(path)} is longer than {_PATH_BYTES} bytes or inside .git")
    return path
