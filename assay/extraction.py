"""Taking the code out of what a model wrote.

Rules, each from a public report of how it goes wrong elsewhere: thinking is dropped, also where the chat template had written its
opening tag; a fence counts only at the start of a line; a shorter or another fence closes nothing; a fence inside a string of the
code doesn't cut it (the first closing fence after which the code parses is taken); blocks of other languages don't shift the pairs;
one wrapping markdown fence is taken off; of several Python blocks the last that parses and defines something is the answer.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from assay.records import Extraction

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})[ \t]*([^\n`]*)$")
_PYTHON = {"", "py", "python", "python3", "py3"}
_WRAPPERS = {"markdown", "md"}
_OPEN = re.compile(r"\A\s*<think(?:ing)?>")
_CLOSE = re.compile(r"</think(?:ing)?>")
_STARTS = ("def ", "async def ", "import ", "from ", "class ", "@")


@dataclass(frozen=True)
class Extracted:
    """What was found."""

    code: str | None
    """the submission; None when there was no code"""
    how: Extraction
    """how it was found"""


@dataclass(frozen=True)
class _Block:
    language: str
    code: str


def extract(text: str) -> Extracted:
    """The code in a model's answer."""
    answer = _after_thinking(text.replace("\r\n", "\n"))
    if answer is None:
        return Extracted(None, "unfinished_thinking")
    blocks = _blocks(answer)
    if len(blocks) == 1 and blocks[0].language in _WRAPPERS:
        answer = blocks[0].code
        blocks = _blocks(answer)
    python = [block.code for block in blocks if block.language in _PYTHON and block.code.strip()]
    if python:
        return Extracted(_best(python), "fenced")
    if blocks:
        return Extracted(None, "none")
    bare = _bare(answer)
    return Extracted(bare, "bare" if bare else "none")


def _after_thinking(text: str) -> str | None:
    """The text after the thinking, or None where thinking was never ended."""
    opener = _OPEN.match(text)
    if opener:
        closer = _CLOSE.search(text, opener.end())
        return text[closer.end() :] if closer else None
    position = 0
    fence: str | None = None
    for line in text.split("\n"):
        marker = _FENCE.match(line)
        if fence is None and (closer := _CLOSE.search(line)):
            return text[position + closer.end() :]
        if marker:
            fence = _next_fence(fence, marker)
        position += len(line) + 1
    return text


def _next_fence(fence: str | None, marker: re.Match[str]) -> str | None:
    if fence is None:
        return marker[1]
    return None if _closes(marker, fence) else fence


def _closes(marker: re.Match[str], fence: str) -> bool:
    return marker[1][0] == fence[0] and len(marker[1]) >= len(fence) and not marker[2].strip()


def _blocks(text: str) -> list[_Block]:
    lines = text.split("\n")
    found: list[_Block] = []
    at = 0
    while at < len(lines):
        marker = _FENCE.match(lines[at])
        if marker is None:
            at += 1
            continue
        language = marker[2].strip().split(" ")[0].strip("{}.").lower()
        end = _end(lines, at + 1, marker[1], language)
        found.append(_Block(language, "\n".join(lines[at + 1 : end]) + "\n"))
        at = end + 1
    return found


def _end(lines: Sequence[str], start: int, fence: str, language: str) -> int:
    """The index of the line that closes a block: for Python the first one at which the code parses, else the first one at all."""
    closers = [at for at in range(start, len(lines)) if (marker := _FENCE.match(lines[at])) and _closes(marker, fence)]
    if not closers:
        return len(lines)
    if language in _WRAPPERS:
        return closers[-1]
    if language in _PYTHON:
        return next((at for at in closers if parses("\n".join(lines[start:at]))), closers[0])
    return closers[0]


def _best(codes: Sequence[str]) -> str:
    defining = [code for code in codes if _defines(code)]
    parsing = [code for code in codes if parses(code)]
    return (defining or parsing or codes)[-1]


def parses(code: str) -> bool:
    """Whether this is Python."""
    return _tree(code) is not None


def _tree(code: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _defines(code: str) -> bool:
    tree = _tree(code)
    return tree is not None and any(isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef) for node in tree.body)


def _bare(text: str) -> str | None:
    """Code without a fence: from the first line that begins like code, the longest run of lines that parses and defines something."""
    lines = text.split("\n")
    start = next((at for at, line in enumerate(lines) if line.startswith(_STARTS)), None)
    if start is None:
        return None
    for end in range(len(lines), start, -1):
        code = "\n".join(lines[start:end])
        if _defines(code):
            return code + "\n"
    return None
