"""Applies parsed changes to the files of a workspace, after asking the rules; see the package's head for what is decided."""

from __future__ import annotations

import glob
from collections.abc import Mapping, Sequence

from assay.patches import parse
from assay.patches.make import lines_of
from assay.patches.parse import FileChange, Hunk
from assay.patches.rules import PatchRefused, PatchRules, collides, folded, matches, shown

_MOVED_HUNKS = 100


def _key(line: bytes) -> bytes:
    """A line without its ending."""
    return line.removesuffix(b"\n").removesuffix(b"\r")


def _ending(line: bytes) -> bytes:
    return b"\r\n" if line.endswith(b"\r\n") else b"\n"


class _Text:
    """A file's lines, and the hunks' lines in the same form: exact, or without their endings."""

    def __init__(self, path: str, lines: Sequence[bytes], exact: bool) -> None:
        self.path, self.lines, self.exact = path, lines, exact
        self.keys = self.form(lines)
        self.moved = 0

    def form(self, lines: Sequence[bytes]) -> list[bytes]:
        return list(lines) if self.exact else [_key(line) for line in lines]

    def place(self, hunk: Hunk, floor: int) -> int:
        """Where a hunk's old lines are: at the stated line, or at the only place from line `floor` on."""
        old = self.form(hunk.old)
        name = f"hunk {hunk.number} on {shown(self.path)}"
        if floor <= hunk.start <= len(self.keys) and self.keys[hunk.start : hunk.start + len(old)] == old:
            return hunk.start
        self.moved += 1
        if not old or self.moved > _MOVED_HUNKS:
            raise PatchRefused("does_not_apply", f"{name} doesn't fit at line {hunk.start + 1}")
        found = self.search(old, floor)
        if len(found) > 1:
            raise PatchRefused("ambiguous_hunk", f"{name} isn't at line {hunk.start + 1} and fits in more than one other place")
        if not found:
            raise PatchRefused("does_not_apply", f"the context or deleted lines of {name} aren't in the file")
        return found[0]

    def search(self, old: list[bytes], floor: int) -> list[int]:
        """Up to two places, in time that grows with the file and not with file times hunk."""
        if self.exact and not old[-1].endswith(b"\n"):
            start = len(self.keys) - len(old)
            return [start] if start >= floor and self.keys[start:] == old else []
        end = b"" if self.exact else b"\n"
        text = b"\n" + b"".join(key + end for key in self.keys[floor:])
        wanted = b"\n" + b"".join(key + end for key in old)
        first = text.find(wanted)
        places = [first, text.find(wanted, first + 1)] if first >= 0 else []
        return [floor + text.count(b"\n", 0, place) for place in places if place >= 0]


def _added(text: _Text, line: bytes, at: int, follow: bool) -> bytes:
    """An added line as it will stand in the file whose old lines up to `at` are done."""
    if not follow or not text.lines:
        return line
    before = text.lines[max(0, at - 1)]
    ending = _ending(before if before.endswith(b"\n") else text.lines[0])
    return _key(line) + (ending if line.endswith(b"\n") else b"")


def _hunk_lines(text: _Text, hunk: Hunk, at: int, follow: bool) -> tuple[list[bytes], int]:
    new = list[bytes]()
    for sign, line in hunk.lines:
        if sign == "+":
            new.append(_added(text, line, at, follow))
            continue
        if sign == " ":
            new.append(text.lines[at])
        at += 1
    return new, at


def _endings_to_follow(text: _Text, hunks: Sequence[Hunk]) -> bool:
    """Whether added lines take the file's endings: always in the second try, and where no line of the file tells."""
    if not text.exact:
        return True
    return bool(text.lines) and not any(hunk.old for hunk in hunks) and len({*map(_ending, text.lines)}) == 1


def _rewritten(text: _Text, hunks: Sequence[Hunk]) -> bytes:
    done, at, follow = list[bytes](), 0, _endings_to_follow(text, hunks)
    for hunk in hunks:
        start = text.place(hunk, at)
        done += text.lines[at:start]
        new, at = _hunk_lines(text, hunk, start, follow)
        if any(not line.endswith(b"\n") for _, line in hunk.lines) and at != len(text.lines):
            raise PatchRefused("does_not_apply", f"hunk {hunk.number} on {shown(text.path)} isn't at the end of the file")
        done += new
    done += text.lines[at:]
    for index, line in enumerate(done[:-1]):
        if not line.endswith(b"\n"):  # the file's last line, which is no longer the last
            done[index] = line + _ending(text.lines[0])
    return b"".join(done)


def _ordered(change: FileChange) -> None:
    reach, last = 0, -1
    for hunk in change.hunks:
        if hunk.start < reach or (hunk.start == last and not hunk.old):
            raise PatchRefused(
                "malformed_patch", f"hunk {hunk.number} on {shown(change.path)} overlaps or precedes the one before"
            )
        reach, last = hunk.start + len(hunk.old), hunk.start


def _new_content(change: FileChange, before: bytes) -> bytes:
    _ordered(change)
    lines = lines_of(before)
    try:
        return _rewritten(_Text(change.path, lines, exact=True), change.hunks)
    except PatchRefused:
        if change.kind == "create":
            raise
        return _rewritten(_Text(change.path, lines, exact=False), change.hunks)


def _permit_new(path: str, taken: Mapping[str, str]) -> None:
    """Refuse a new file whose path or folders another path takes, exactly or but for case; `taken` maps folded paths to paths."""
    parts = path.split("/")
    for end in range(1, len(parts) + 1):
        part = "/".join(parts[:end])
        other = taken.get(folded(part))
        if other is not None and other.rstrip("/") != part:
            raise PatchRefused("case_collision", f"{shown(path)} and {shown(other)} differ in case or Unicode form only")
        if other is not None and (end == len(parts) or not other.endswith("/")):
            raise PatchRefused("path_conflict", f"{shown(path)} and {shown(other)} can't both be there")


def _taken(paths: Sequence[str]) -> dict[str, str]:
    """Folded path -> path of all files and, with a `/` behind, of their folders."""
    found = dict[str, str]()
    for path in paths:
        parts = path.split("/")
        for end in range(1, len(parts)):
            found[folded("/".join(parts[:end]))] = "/".join(parts[:end]) + "/"
        found[folded(path)] = path
    return found


def _permit(change: FileChange, files: Mapping[str, bytes], rules: PatchRules) -> None:
    path = change.path
    parts = path.split("/")
    if {folded("/".join(parts[:end])) for end in range(1, len(parts) + 1)} & {folded(link) for link in rules.links}:
        raise PatchRefused("symlink", f"{shown(path)} is a symbolic link or lies behind one")
    if collides(path, rules.reserved):
        raise PatchRefused("reserved_path", f"{shown(path)} is where the judge lays a file of its own")
    if change.kind == "create":
        if path in files:
            raise PatchRefused("file_exists", f"{shown(path)} is already there")
        if not matches(path, rules.creatable):
            raise PatchRefused("creation", f"{shown(path)} may not be made")
        return
    if path not in files:
        raise PatchRefused("no_such_file", f"{shown(path)} isn't in the workspace")
    if change.kind == "delete" and not matches(path, rules.deletable):
        raise PatchRefused("deletion", f"{shown(path)} may not be removed")
    if change.kind == "edit" and not matches(path, rules.editable):
        raise PatchRefused("not_editable", f"{shown(path)} isn't a file that may change")


def _parsed(patch: str, rules: PatchRules) -> list[FileChange]:
    if not patch.strip("\ufeff \t\r\n"):
        raise PatchRefused("empty_patch", "it is empty")
    if len(patch) > rules.patch_bytes:
        raise PatchRefused("patch_too_large", f"it is longer than {rules.patch_bytes} bytes")
    try:
        data = patch.removeprefix("\ufeff").encode(errors="surrogateescape")
    except UnicodeEncodeError:
        raise PatchRefused("malformed_patch", "it holds a surrogate, which stands for no character") from None
    if len(data) > rules.patch_bytes:
        raise PatchRefused("patch_too_large", f"it is {len(data)} bytes; {rules.patch_bytes} are allowed")
    if b"\0" in data:
        raise PatchRefused("binary", "it holds NUL")
    changes = parse.parse(data)
    if not changes:
        raise PatchRefused("empty_patch", "it has no header of a file (`--- old` and `+++ new`)")
    if len(changes) > rules.files:
        raise PatchRefused("too_many_files", f"it touches {len(changes)} files; {rules.files} are allowed")
    return changes


def apply(patch: str, files: Mapping[str, bytes], rules: PatchRules) -> Mapping[str, bytes]:
    """The workspace after the patch; the one that was given stays as it is.

    Args:
        patch: a unified diff. Bytes of the files that aren't UTF-8 stand in it as lone surrogates (`surrogateescape`).
        files: the workspace, by relative path.
        rules: what the patch may do.

    Raises:
        PatchRefused: it can't or mustn't be applied.
    """
    changes = _parsed(patch, rules)
    for change in changes:
        _permit(change, files, rules)
    paths = [folded(change.path) for change in changes]
    if len(set(paths)) < len(paths):
        first = next(change.path for index, change in enumerate(changes) if paths[index] in paths[:index])
        exact = [change.path for change in changes].count(first) > 1
        raise PatchRefused("same_file_twice" if exact else "case_collision", f"{shown(first)} has two parts in the patch")
    result = dict(files)
    for change in changes:
        content = _new_content(change, files.get(change.path, b""))
        if len(content) > rules.file_bytes:
            raise PatchRefused(
                "file_too_large", f"{shown(change.path)} would have {len(content)} bytes; {rules.file_bytes} are allowed"
            )
        if change.kind != "delete":
            result[change.path] = content
        elif content:
            raise PatchRefused("does_not_apply", f"{shown(change.path)} is to go, but the patch doesn't remove all its lines")
        else:
            del result[change.path]
    for path in result.keys() - files.keys():
        _permit_new(path, _taken([other for other in result if other != path]))
    if result == dict(files):
        raise PatchRefused("no_effective_change", "it changes nothing")
    return result


def overlay(files: Mapping[str, bytes], hidden: Mapping[str, bytes]) -> tuple[Mapping[str, bytes], tuple[str, ...]]:
    """The workspace with the judge's own files laid over it: they win wherever the two collide.

    Returns:
        The files, and the paths of the workspace that gave way: at, above or below a hidden path, whatever their case. A collision with
        a file that the task didn't put there itself must be reported.
    """
    lost = tuple(path for path in files if collides(path, [glob.escape(hidden_path) for hidden_path in hidden]))
    return {path: data for path, data in files.items() if path not in lost} | dict(hidden), lost
