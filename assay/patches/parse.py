"""Reads a unified diff, git's or plain, into one `FileChange` a file; nothing is looked up in the workspace here.

Git writes `a/` and `b/` before the names, `diff -r old new` the folders' names: where the two names of a file differ in their first
part only, that part is dropped, and beside `/dev/null` a leading `a/` or `b/`. Not covered: whether the change is allowed or fits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal, NoReturn

from assay.patches.rules import PatchRefused, Reason, checked_path, shown

NULL = "/dev/null"
_NAMES = 2000
"""characters of the two names in a `diff --git` line: trying where the first ends takes the square of it"""
_HUNK = re.compile(rb"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@(?: .*)?\r?")
_BLOCKED: tuple[tuple[bytes, Reason, str], ...] = (
    (b"rename ", "rename", "renames aren't allowed"),
    (b"copy ", "rename", "copies aren't allowed"),
    (b"similarity index", "rename", "renames and copies aren't allowed"),
    (b"old mode ", "mode_change", "changes of mode aren't allowed"),
    (b"new mode ", "mode_change", "changes of mode aren't allowed"),
    (b"Binary files ", "binary", "binary patches aren't allowed"),
    (b"GIT binary patch", "binary", "binary patches aren't allowed"),
)
_BETWEEN = (b"diff -", b"Index: ", b"=====")
_ESCAPES = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}


@dataclass(frozen=True)
class Hunk:
    """One hunk."""

    number: int
    """in the patch, from 1"""
    start: int
    """stated index of its first old line, from 0"""
    lines: tuple[tuple[str, bytes], ...]
    """(` `, `-` or `+`, the line with its newline, without where the patch says that it has none)"""

    @property
    def old(self) -> list[bytes]:
        """What must be in the file."""
        return [line for sign, line in self.lines if sign != "+"]


@dataclass(frozen=True)
class FileChange:
    """What the patch does to one file."""

    path: str
    kind: Literal["edit", "create", "delete"]
    hunks: tuple[Hunk, ...]


@dataclass
class _Section:
    git: bytes = b""
    old: str = ""
    new: str = ""
    created: bool = False
    deleted: bool = False
    named: bool = False
    hunks: list[Hunk] = field(default_factory=list)


def _malformed(line: int, what: str) -> NoReturn:
    raise PatchRefused("malformed_patch", f"line {line + 1} {what}")


def _unquoted(text: str) -> str:
    if not (text.startswith('"') and text.endswith('"') and len(text) > 1):
        return text
    raw, inner, at = bytearray(), text[1:-1], 0
    while at < len(inner):
        octal = re.compile(r"\\([0-3][0-7]{2})").match(inner, at)
        if octal:
            raw.append(int(octal[1], 8))
            at += 4
        elif inner[at] == "\\" and inner[at + 1 : at + 2] in _ESCAPES:
            raw.append(_ESCAPES[inner[at + 1]])
            at += 2
        else:
            raw += inner[at].encode(errors="surrogateescape")
            at += 1
    return raw.decode(errors="surrogateescape")


def _name(line: bytes) -> str:
    text = line[4:].rstrip(b"\r").decode(errors="surrogateescape")
    return _unquoted(text.split("\t")[0] if not text.startswith('"') else text.rstrip("\t "))


def _git_names(rest: bytes) -> tuple[str, str]:
    text = rest.rstrip(b"\r").decode(errors="surrogateescape")
    if len(text) > _NAMES:
        return "", ""
    if text.startswith('"'):
        quoted = re.fullmatch(r'("(?:[^"\\]|\\.)*") (.*)', text)
        return (_unquoted(quoted[1]), _unquoted(quoted[2])) if quoted else ("", "")
    for at in (index for index, character in enumerate(text) if character == " "):
        one, other = text[:at], _unquoted(text[at + 1 :])
        if one == other or (one.partition("/")[2] and one.partition("/")[2] == other.partition("/")[2]):
            return one, other
    return "", ""


def _plain(name: str) -> str:
    return name[2:] if name.startswith("./") else name


def _path(section: _Section) -> str:
    old, new = _plain(section.old), _plain(section.new)
    if NULL in (old, new):
        name, prefix = (new, "b/") if old == NULL else (old, "a/")
        return checked_path(name.removeprefix(prefix))
    if old == new:
        return checked_path(old)
    (_, _, one), (_, _, other) = checked_path(old).partition("/"), checked_path(new).partition("/")
    if one != other or not one:
        raise PatchRefused("rename", f"{shown(old)} and {shown(new)} aren't the same file")
    return checked_path(one)


class _Parser:
    def __init__(self, data: bytes) -> None:
        self.lines = data.split(b"\n")
        if self.lines[-1] == b"":
            self.lines.pop()
        self.at = 0
        self.hunks = 0

    def line(self, ahead: int = 0) -> bytes:
        place = self.at + ahead
        return self.lines[place] if place < len(self.lines) else b""

    def is_start(self) -> bool:
        line = self.line()
        return line.startswith(b"diff --git ") or (line.startswith(b"--- ") and self.line(1).startswith(b"+++ "))

    def skip_prose(self) -> None:
        while self.at < len(self.lines) and not self.is_start():
            if self.line().startswith(b"@@ -"):
                _malformed(self.at, "has a hunk before any file's header")
            if self.line().startswith((b"Binary files ", b"GIT binary patch")):
                raise PatchRefused("binary", "binary patches aren't allowed")
            self.at += 1
        if self.at < len(self.lines) and self.line().endswith(b"\r"):  # carried with CRLF: headers never end so by themselves
            self.lines = [line.removesuffix(b"\r") for line in self.lines]

    def changes(self) -> list[FileChange]:
        self.skip_prose()
        found = list[FileChange]()
        while self.at < len(self.lines):
            line = self.line()
            if self.is_start():
                found.append(self.section())
            elif line.startswith(b"Binary files "):
                raise PatchRefused("binary", "binary patches aren't allowed")
            elif not line.strip() or line.startswith(_BETWEEN):
                self.at += 1
            elif line.rstrip() == b"--" and sum(1 for rest in self.lines[self.at :] if rest.strip()) <= 2:
                break  # the signature of a mailed patch
            else:
                _malformed(self.at, "is neither a header nor part of a hunk; do the counts of the hunk before it fit?")
        return found

    def section(self) -> FileChange:
        section = _Section()
        if self.line().startswith(b"diff --git "):
            section.git = self.line()[len(b"diff --git ") :]
            self.at += 1
            self.extended_headers(section)
        if self.line().startswith(b"--- ") and self.line(1).startswith(b"+++ "):
            section.old, section.new, section.named = _name(self.line()), _name(self.line(1)), True
            self.at += 2
            while self.line().startswith(b"@@"):
                section.hunks.append(self.hunk())
            if not section.hunks:
                _malformed(self.at, "should begin a hunk")
        return self.finished(section)

    def extended_headers(self, section: _Section) -> None:
        while self.at < len(self.lines) and not self.is_start():
            line = self.line()
            for start, reason, note in _BLOCKED:
                if line.startswith(start):
                    link = reason == "mode_change" and b" 120000" in line + self.line(1)
                    raise PatchRefused("symlink" if link else reason, "symbolic links aren't allowed" if link else note)
            if line.startswith((b"new file mode ", b"deleted file mode ")):
                section.created |= line.startswith(b"new")
                section.deleted |= line.startswith(b"deleted")
                self.check_mode(line.split()[-1])
            elif line.startswith(b"index "):
                words = line.split()
                self.check_mode(words[2] if len(words) > 2 else b"100644", executable=True)
            elif not line.startswith(b"dissimilarity index "):
                return
            self.at += 1

    @staticmethod
    def check_mode(mode: bytes, executable: bool = False) -> None:
        if mode == b"120000":
            raise PatchRefused("symlink", "symbolic links aren't allowed")
        if mode != b"100644" and not (executable and mode == b"100755"):
            raise PatchRefused("mode_change", f"mode {shown(mode.decode(errors='replace'))} isn't allowed; expected 100644")

    def finished(self, section: _Section) -> FileChange:
        if not section.named:
            section.old, section.new = _git_names(section.git)
            if not section.old or not (section.created or section.deleted):
                _malformed(self.at - 1, "is a header without a change")
            section.old = NULL if section.created else section.old
            section.new = NULL if section.deleted else section.new
        elif section.git:
            self.same_names(section)
        if section.old == section.new == NULL:
            _malformed(self.at - 1, "names no file")
        kind: Literal["edit", "create", "delete"] = "create" if section.old == NULL else "edit"
        kind = "delete" if section.new == NULL else kind
        if section.created and kind != "create":
            _malformed(self.at - 1, "says that a file is new and names an old one")
        if section.deleted and kind != "delete":
            _malformed(self.at - 1, "says that a file is deleted and names a new one")
        return FileChange(_path(section), kind, tuple(section.hunks))

    def same_names(self, section: _Section) -> None:
        stated = _git_names(section.git)
        if not stated[0]:
            raise PatchRefused("rename", "the two names of a file in `diff --git` aren't the same")
        for name, other in zip((section.old, section.new), stated, strict=True):
            if name not in (NULL, other):
                _malformed(self.at - 1, f"belongs to {shown(name)} and its `diff --git` names {shown(other)}")

    def hunk(self) -> Hunk:
        found = _HUNK.fullmatch(self.line())
        if not found:
            _malformed(self.at, "isn't a hunk's header `@@ -line,count +line,count @@`")
        self.hunks += 1
        header = self.at
        start, old, new = int(found[1]), int(found[2] or 1), int(found[4] or 1)
        if (not old and not new) or (old and not start):
            _malformed(header, "has an empty hunk or a line 0")
        self.at += 1
        lines = self.body(header, old, new)
        return Hunk(self.hunks, start - 1 if old else start, tuple(lines))

    def body(self, header: int, old: int, new: int) -> list[tuple[str, bytes]]:
        lines = list[tuple[str, bytes]]()
        while old or new or self.line().startswith(b"\\"):
            if self.at >= len(self.lines):
                _malformed(header, "states more lines than its hunk has")
            line = self.line() or b" "  # editors strip the blank of an empty context line
            sign = chr(line[0])
            if sign == "\\":
                if not lines or not lines[-1][1].endswith(b"\n"):
                    _malformed(self.at, "has a marker of a missing newline that belongs to no line")
                lines[-1] = (lines[-1][0], lines[-1][1][:-1])
            elif sign in " -+" or line == b"\r":
                sign, content = (sign, line[1:]) if sign != "\r" else (" ", b"\r")
                old, new = old - (sign != "+"), new - (sign != "-")
                if old < 0 or new < 0:
                    _malformed(header, "states fewer lines than its hunk has")
                lines.append((sign, content + b"\n"))
            else:
                _malformed(self.at, "should begin with a blank, `-`, `+` or `\\`; does the hunk have as many lines as it states?")
            self.at += 1
        for side in (" -", " +"):
            if any(not content.endswith(b"\n") for content in [text for sign, text in lines if sign in side][:-1]):
                _malformed(header, "has a line without a newline before its last one")
        if self.line().startswith((b"+", b"-", b" ")) and not self.is_start() and self.line().rstrip(b"\r") != b"-- ":
            _malformed(header, "states fewer lines than its hunk has")
        return lines


def parse(data: bytes) -> list[FileChange]:
    """The changes of a patch, in its order; none where it has no file's header.

    Raises:
        PatchRefused: it isn't a unified diff of text files at safe paths.
    """
    return _Parser(data).changes()
