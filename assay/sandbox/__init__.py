"""Runs a candidate's code where it can do no harm and learn nothing: `open_sandbox` is the way in.

    our process (hidden data) --exec--> zygote (trusted, warm, confined) --fork--> one child a program (the candidate's code)

The child gets the inputs of its calls through a memory file and answers through a pipe of checked frames. A `Program` is one source
whose callables are called; a `Workspace` is a tree of files with a script to run and artifacts to bring back. `host` says which layers
this machine has and what level they make; `inside/` is all that runs on the other side. Not covered: holes in the kernel, which
sandbox and host share, and timing channels.
"""

from __future__ import annotations

from collections.abc import Collection

from assay.errors import SandboxFault
from assay.sandbox import cgroup, host
from assay.sandbox.pool import Pool

__all__ = ["Pool", "open_sandbox"]


def open_sandbox(require: str = "C", workers: int = 1, without: Collection[str] = ()) -> Pool:
    """A sandbox on this host; it starts its processes when they're first needed.

    Args:
        require: the lowest level to accept: A, B, C, D or none (see `assay.sandbox.host`).
        workers: how many programs run at a time.
        without: layers to leave out, so that tests can exercise lower levels.

    Raises:
        SandboxFault: this host can't reach the level, or a name is unknown.
    """
    if require not in host.LEVELS:
        raise SandboxFault(f"unknown sandbox level {require!r}; expected one of {', '.join(host.LEVELS)}")
    if workers < 1:
        raise SandboxFault(f"a sandbox needs at least one worker; received {workers}")
    layers = host.layers(without, cgroup="cgroup" not in without and cgroup.available())
    level = host.level(layers)
    if host.LEVELS.index(level) > host.LEVELS.index(require):
        why = host.why_not(without)
        raise SandboxFault(f"this host reaches sandbox level {level} and {require} is required ({why or 'no control groups'})")
    return Pool(layers, workers)
