"""Our side of a workspace's run: its memory file, and the frames that come back.

The artifacts' bytes are read by `tensors` only after the child is gone. Where the tree doesn't fit into its work folder, its author
is at fault, not we. Not covered: what a patch may change (`assay.patches`), and whether the artifacts are any good.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import cast

from assay.protocol import Tensors, Workspace
from assay.records import FailureMode
from assay.sandbox import jobs, tensors
from assay.sandbox.answers import EXCEPTIONS, Malformed, Reader, explained, known_text
from assay.sandbox.inside import wire

_FILES = 900
_PAGE = 4096


@dataclass
class Found:
    """What the frames say."""

    artifacts: dict[str, Tensors] = field(default_factory=dict)
    fault: FailureMode = ""
    detail: str = ""
    ran: bool = False
    """whether the script has ended by itself"""
    finished: bool = False
    """whether the closing frame came last"""


def _laid(workspace: Workspace) -> dict[str, bytes]:
    """The files in the order in which both sides number them, without those at an artifact's path."""
    taken = {artifact.path for artifact in workspace.artifacts}
    return {path: data for path, data in workspace.files.items() if path not in taken}


def source(workspace: Workspace) -> str:
    """All Python of the tree, to choose a zygote by."""
    return "\n".join(data.decode(errors="replace") for path, data in workspace.files.items() if path.endswith(".py"))


def too_large(workspace: Workspace) -> str:
    """Why the tree doesn't fit into its work folder; empty where it does."""
    files = _laid(workspace)
    needed = sum(-(-len(data) // _PAGE) * _PAGE for data in files.values())
    if needed > workspace.limits.file_bytes:
        return f"the files need {needed} bytes and the work folder has {workspace.limits.file_bytes}"
    return f"{len(files)} files are more than the {_FILES} that a work folder holds" if len(files) > _FILES else ""


def encode(workspace: Workspace) -> bytes:
    """The bytes of the memory file.

    Raises:
        ValueError: a path leaves the work folder, or two artifacts share one.
    """
    paths = [artifact.path for artifact in workspace.artifacts]
    if len(set(paths)) < len(paths):
        raise ValueError("two artifacts have the same path")
    for path in paths:
        if jobs.checked_path(path) != str(PurePosixPath(path)):
            raise ValueError(f"an artifact's path must be plain: {path!r}")
    if workspace.kind == "script":
        jobs.checked_path(workspace.target)
    raw = jobs.Raw()
    seed = secrets.randbits(62) if workspace.seed is None else workspace.seed % (1 << 62)
    head = {
        "files": {jobs.checked_path(path): raw.add(data) for path, data in _laid(workspace).items()},
        "run": {"kind": workspace.kind, "target": workspace.target, "arguments": workspace.arguments},
        "artifacts": [[artifact.path, artifact.at_most, artifact.optional] for artifact in workspace.artifacts],
        "seed": seed,
    }
    return raw.memory(head)


def _where(asked: bytes, line: int, workspace: Workspace) -> str:
    files = list(_laid(workspace).items())
    number = known_text(asked, [str(index) for index in range(len(files))])
    if not number:
        return ""
    path, data = files[int(number)]
    known = 0 < line <= data.count(b"\n") + data.count(b"\r") + 1
    return f" in {ascii(path)[1:-1]}" + (f" at line {line}" if known else "")


def _fault(body: memoryview, call: int, workspace: Workspace) -> tuple[FailureMode, str]:
    if len(body) != wire.FAULT_BODY.size:
        raise Malformed("a fault of another size")
    index, reason, line, name, asked = wire.FAULT_BODY.unpack(body)
    if index >= len(wire.FAULTS) or reason >= len(wire.REASONS):
        raise Malformed("an unknown fault")
    mode = cast(FailureMode, wire.FAULTS[index])
    if call:
        path = workspace.artifacts[call - 1].path if call <= len(workspace.artifacts) else "an artifact"
        why = {"early_exit": "isn't there", "output_limit": "is larger than it may be", "forbidden": "isn't a plain file"}
        return mode, f"{path} {why.get(mode, 'can not be read')}"
    error = known_text(name, EXCEPTIONS) or "an exception of its own class"
    return mode, f"the run raised {error}{_where(asked, line, workspace)}{explained(mode, reason)}"


def _one(reader: Reader, at: int, workspace: Workspace, found: Found) -> None:
    """Take one frame into `found`.

    Raises:
        Malformed: it isn't what an honest child sends now.
        tensors.Refused: it's an artifact that isn't as asked.
    """
    magic, kind, call, length = wire.FRAME.unpack(reader.take(wire.FRAME.size))
    if magic != wire.MAGIC or call != at:
        raise Malformed("a frame out of order")
    body = reader.take(length)
    if kind == wire.FAULT:
        found.fault, found.detail = _fault(body, call, workspace)
        return
    if kind == wire.DONE and call == len(workspace.artifacts) + 1 and not length:
        found.finished = True
        return
    artifact = workspace.artifacts[call - 1] if 0 < call <= len(workspace.artifacts) else None
    if kind == wire.VALUE and not call and not length:
        found.ran = True
    elif kind == wire.ABSENT and artifact is not None and artifact.optional and not length:
        return
    elif kind == wire.VALUE and artifact is not None:
        if length > artifact.at_most:
            raise Malformed("an artifact over its size")
        found.artifacts[artifact.path] = tensors.READERS[artifact.format](body, artifact)
    else:
        raise Malformed("a frame of another kind")


def read(data: bytes | bytearray, workspace: Workspace, *, cut: bool) -> Found:
    """Read all frames.

    Args:
        data: what came through the result pipe.
        workspace: what was asked.
        cut: the process was ended by force, so the last frame may be incomplete.
    """
    reader, found, at = Reader(memoryview(data)), Found(), 0
    try:
        while reader.at < len(data):
            if found.finished or found.fault:
                raise Malformed("bytes behind the last frame")
            _one(reader, at, workspace, found)
            at += 1
    except tensors.Refused as error:
        found.fault, found.detail = error.mode, f"{_path_at(at, workspace)} {error}"
    except Malformed:
        if not cut:
            found.fault, found.detail = "forbidden", "the result channel holds what no honest run writes"
    return found


def _path_at(at: int, workspace: Workspace) -> str:
    paths: Sequence[str] = [artifact.path for artifact in workspace.artifacts]
    return paths[at - 1] if 0 < at <= len(paths) else "an artifact"
