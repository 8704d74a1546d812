"""Whether an answer that is being written has come to the end of its code.

The same reading of fences as in `assay.extraction`: a fence stands at the start of a line; a shorter or another one closes nothing;
a fence inside a triple-quoted string doesn't end the block. Only a Python block that defines something ends an answer; drafts in
unfinished thinking don't.
"""

from __future__ import annotations

import ast
import re
import warnings

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})[ \t]*([^\n`]*)$")
_PYTHON = {"", "py", "python", "python3", "py3"}
_DEFINES = re.compile(r"^(?:async def|def|class)\s", re.MULTILINE)
_THINKS = re.compile(r"\A\s*<think(?:ing)?>")
_ENDS = re.compile(r"</think(?:ing)?>")


def closed(text: str, thinking: bool = False) -> bool:
    """Whether a Python block with a definition is complete, its closing fence's line ended.

    Args:
        text: what was written so far.
        thinking: whether the answer began inside thinking, opened by the chat template.
    """
    opener = _THINKS.match(text)
    if thinking or opener:
        end = _ENDS.search(text)
        if end is None:
            return False
        text = text[end.end() :]
    fence, language, code = "", "", list[str]()
    for line in text.split("\n")[:-1]:  # the last line isn't ended
        marker = _FENCE.match(line.rstrip("\r"))
        if not fence:
            if marker:
                fence, language, code = marker[1], marker[2].strip().split(" ")[0].strip("{}.").lower(), []
        elif marker and marker[1][0] == fence[0] and len(marker[1]) >= len(fence) and not marker[2].strip():
            if language not in _PYTHON:
                fence = ""
            elif not _inside_string("\n".join(code)):
                if _DEFINES.search("\n".join(code)):
                    return True
                fence = ""
            else:
                code.append(line)
        else:
            code.append(line)
    return False


def _inside_string(code: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(code)
    except SyntaxError as error:
        return "unterminated triple-quoted" in str(error.msg)
    except (ValueError, RecursionError, MemoryError):
        return False
    return False
