"""What a candidate could leave on the host: processes, files, mounts, shared memory, control groups.

Others may work on the same machine meanwhile, so only what is ours counts: our descendants, our user ids, names that the catalogue uses.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection
from dataclasses import dataclass, fields
from pathlib import Path

_FOLDERS = ("/tmp", "/dev/shm", "/var/tmp", "/", "/dev", "/run", "/mnt", "/home", "/etc", "/root", "/dev/mqueue")
_MARK = "left-by-attack"


@dataclass(frozen=True)
class Traces:
    """Names of things on the host."""

    processes: frozenset[str]
    files: frozenset[str]
    mounts: frozenset[str]
    shared: frozenset[str]
    groups: frozenset[str]

    def new_since(self, before: Traces) -> dict[str, list[str]]:
        """What is here now and wasn't then, by kind."""
        new = {part.name: sorted(getattr(self, part.name) - getattr(before, part.name)) for part in fields(self)}
        return {name: found for name, found in new.items() if found}


def _processes(uids: Collection[int]) -> set[str]:
    parents, owners, found = dict[int, int](), dict[int, int](), {os.getpid()}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError, ValueError):
            fields_ = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            parents[int(folder.name)], owners[int(folder.name)] = int(fields_[1]), folder.stat().st_uid
    grown = True
    while grown:
        more = {pid for pid, parent in parents.items() if parent in found} - found
        found, grown = found | more, bool(more)
    return {str(pid) for pid in parents if pid in found - {os.getpid()} or owners[pid] in uids}


def _files(uids: Collection[int]) -> set[str]:
    found = set[str]()
    for folder in _FOLDERS:
        with contextlib.suppress(OSError):
            for entry in os.scandir(folder):
                with contextlib.suppress(OSError):
                    if _MARK in entry.name or entry.stat(follow_symlinks=False).st_uid in uids:
                        found.add(entry.path)
    return found


def _shared(uids: Collection[int]) -> set[str]:
    found = set[str]()
    for kind, owner in (("shm", 7), ("sem", 4), ("msg", 7)):
        with contextlib.suppress(OSError, IndexError, ValueError):
            for line in Path(f"/proc/sysvipc/{kind}").read_text().splitlines()[1:]:
                words = line.split()
                if int(words[owner]) in uids or int(words[0]) == 0x1EF7:
                    found.add(f"{kind} {words[0]} {words[1]}")
    return found


def _groups() -> set[str]:
    names = (f"assay-{os.getpid()}-*", f"*{_MARK}*")
    return {str(path) for name in names for path in Path("/sys/fs/cgroup").rglob(name)}


def traces(uids: Collection[int]) -> Traces:
    """What is there now.

    Args:
        uids: user ids that candidates ran under.
    """
    mounts = {" ".join(line.split()[2:5]) for line in Path("/proc/self/mountinfo").read_text().splitlines()}
    return Traces(
        processes=frozenset(_processes(uids)),
        files=frozenset(_files(uids)),
        mounts=frozenset(mounts),
        shared=frozenset(_shared(uids)),
        groups=frozenset(_groups()),
    )
