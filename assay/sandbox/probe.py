"""Hostile programs run against a sandbox to see that it holds here: what `assay sandbox` prints.

Each probe proves that it ran (a mark it printed, a file that it could read back, a listener that we can reach) before its failure to
do harm counts. Not covered: holes in the kernel, and layers that were left out, whose probes fail honestly.
"""

from __future__ import annotations

import contextlib
import os
import socket
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from assay.protocol import Call, Limits, Program, Reply, Returns, Value
from assay.sandbox import host
from assay.sandbox.inside import wire
from assay.sandbox.pool import Pool
from assay.sandbox.probe_sources import SOURCES

_TEXT = Returns("text")
_LIMITS = Limits(cpu_seconds=10.0, wall_seconds=30.0, memory_bytes=1 << 28, output_bytes=1 << 14, file_bytes=1 << 20)
_MARK = "began"


@dataclass(frozen=True)
class ProbeResult:
    """What one probe found."""

    name: str
    """which probe"""
    passed: bool
    """whether the sandbox held, and the probe truly ran"""
    detail: str
    """what was seen, one line"""


def _run(sandbox: Pool, name: str, arguments: tuple[Value, ...] = (), limits: Limits = _LIMITS, *, twin: bool = False) -> Reply:
    return sandbox.run(Program(SOURCES[name], (Call("probe", arguments, _TEXT),), limits, twin=twin))


def _said(reply: Reply) -> str:
    return str(reply.values[0]) if reply.values else f"{reply.fault}: {reply.detail}"


def _ends_with(sandbox: Pool, name: str, faults: set[str], limits: Limits = _LIMITS) -> tuple[bool, str]:
    reply = _run(sandbox, name, limits=limits)
    return _MARK in reply.stdout and reply.fault in faults, _said(reply)


def descendants(sandbox: Pool) -> list[int]:
    """Processes below the sandbox's zygotes; none while nothing runs."""
    zygotes = {zygote.process.pid for slot in sandbox.slots for zygote in slot.zygotes.values()}
    parents = dict[int, int]()
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError, ValueError):
            parents[int(folder.name)] = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
    found, grown = set[int](), True
    while grown:
        more = {pid for pid, parent in parents.items() if parent in zygotes | found} - found
        found, grown = found | more, bool(more)
    return sorted(found)


def _processes(sandbox: Pool) -> tuple[bool, str]:
    reply = _run(sandbox, "processes")
    left = descendants(sandbox)
    return _MARK in reply.stdout and not left, f"{_said(reply)}; {len(left)} left"


def _network(sandbox: Pool) -> tuple[bool, str]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port), 10):
            listener.accept()[0].close()
        reply = _run(sandbox, "network", (port,))
        listener.settimeout(0.2)
        try:
            listener.accept()[0].close()
        except TimeoutError:
            return _MARK in reply.stdout, _said(reply)
    return False, "it connected to our listener"


def _hidden(sandbox: Pool) -> tuple[bool, str]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "hidden.txt")
        path.write_text("the hidden answer")
        readable = path.read_text() == "the hidden answer"
        reply = _run(sandbox, "hidden", (str(path), str(Path(__file__).resolve())))
    return readable and _MARK in reply.stdout and _said(reply) == "", _said(reply) or "nothing could be read"


def _environment(sandbox: Pool) -> tuple[bool, str]:
    names = set(_said(_run(sandbox, "environment")).split())
    allowed = {*host.environment(), "PYTHONHASHSEED", "LC_CTYPE"}
    return "LC_ALL" in names and names <= allowed and bool(os.environ), f"{len(names)} names, {len(names - allowed)} of them ours"


def _flood(sandbox: Pool) -> tuple[bool, str]:
    reply = _run(sandbox, "flood")
    kept = len(reply.stdout)
    return reply.fault == "output_limit" and 0 < kept <= _LIMITS.output_bytes, f"{reply.fault}, {kept} bytes kept"


def _exec(sandbox: Pool) -> tuple[bool, str]:
    reply = _run(sandbox, "exec")
    return _MARK in reply.stdout and "escaped" not in reply.stdout, _said(reply)


def _frames(sandbox: Pool) -> tuple[bool, str]:
    forged = wire.FRAME.pack(wire.MAGIC, wire.DONE, 1, 0)
    reply = _run(sandbox, "frames", (forged.hex(),))
    return _MARK in reply.stdout and bool(reply.fault) and not reply.values, _said(reply)


def _leftovers(sandbox: Pool) -> tuple[bool, str]:
    first, second = _said(_run(sandbox, "leftovers")), _said(_run(sandbox, "leftovers"))
    for folder in ("/tmp", "/dev/shm", "/var/tmp"):  # only where layers were left out is there one
        with contextlib.suppress(OSError):
            Path(folder, "left-by-a-probe").unlink()
    wrote = first.startswith("0 ") and not first.endswith(" 0")
    return wrote and second.startswith("0 "), f"found and written, first run: {first}, second: {second}"


def _twin(sandbox: Pool) -> tuple[bool, str]:
    one, other = _said(_run(sandbox, "seeds")), _said(_run(sandbox, "seeds", twin=True))
    same = [name for name, a, b in zip(("hash", "random", "numpy.random"), one.split(), other.split(), strict=True) if a == b]
    return not same, f"the same in both: {', '.join(same) or 'nothing'}"


_PROBES: dict[str, Callable[[Pool], tuple[bool, str]]] = {
    "processes": _processes,
    "threads": lambda sandbox: _ends_with(sandbox, "threads", {"exception", "memory_limit", "cpu_limit", "forbidden"}),
    "memory": lambda sandbox: _ends_with(sandbox, "memory", {"memory_limit"}),
    "processor": lambda sandbox: _ends_with(sandbox, "processor", {"cpu_limit"}, Limits(cpu_seconds=1.0)),
    "wall clock": lambda sandbox: _ends_with(sandbox, "wall", {"wall_limit"}, Limits(cpu_seconds=1.0, wall_seconds=1.0)),
    "file size": lambda sandbox: _ends_with(sandbox, "files", {"output_limit"}),
    "output flood": _flood,
    "network": _network,
    "hidden path": _hidden,
    "environment": _environment,
    "exec": _exec,
    "privileges": lambda sandbox: _ends_with(sandbox, "privileges", {"forbidden", "exception"}),
    "forged frames": _frames,
    "early exit": lambda sandbox: _ends_with(sandbox, "exit", {"early_exit"}),
    "leftover files": _leftovers,
    "twin": _twin,
}


def probe(sandbox: Pool) -> list[ProbeResult]:
    """Run every probe, one after another."""
    return [ProbeResult(name, *run(sandbox)) for name, run in _PROBES.items()]
