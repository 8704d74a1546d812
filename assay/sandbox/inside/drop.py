"""The order in which a forked child gives up what it could do; each step assumes the one before.

Session, descriptors, private work folder, rlimits (hard = soft), ids and capabilities, parent-death signal (an id change clears it),
no new privileges, Landlock, the system call filter. A step that fails raises: there is no silent downgrade.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
from collections.abc import Sequence
from typing import Any

from . import kernel, landlock, root, seccomp

JOB, RESULT, SETUP, MORE = 3, 4, 5, 6
"""numbers of the descriptors that a child has besides 0, 1 and 2; SETUP is closed before the candidate's code runs, and MORE is there
only for a program with later calls"""
THREADS = 64
_DESCRIPTORS, _FEW_DESCRIPTORS = 64, 24
"""fewer where the work folder is no mount of its own: a file that is unlinked and still open stands in no folder, uncounted"""
_MOST_THREADS = 1 << 20
_STACK_BYTES = 64 << 20


def descriptors(null: int, numbers: Sequence[int], setup: int) -> None:
    """Put null, job, result, stdout, stderr, the setup socket and, where it's given, more on their numbers and close all others."""
    job, result, stdout, stderr, *more = numbers
    high = [os.dup(number) for number in (null, stdout, stderr, job, result, setup, *more)]
    spare = max(high) + 1
    moved = [os.dup2(number, spare + index, inheritable=False) for index, number in enumerate(high)]
    for target, number in enumerate(moved):
        os.dup2(number, target)
    os.closerange(len(high), 65536)


def _limit(which: int, value: int) -> None:
    hard = resource.getrlimit(which)[1]
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(which, (value, value))


def _leaves_room(limit: int) -> bool:
    """Whether a limit on processes lets one more start; a thread would count as well, but its stack stays."""
    resource.setrlimit(resource.RLIMIT_NPROC, (limit, resource.getrlimit(resource.RLIMIT_NPROC)[1]))
    try:
        pid = os.fork()
    except BlockingIOError:
        return False
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return True


def _threads_seen(uid: int) -> int:
    """How many threads a user has, as far as /proc shows them."""
    count = 0
    names = os.listdir("/proc") if os.path.isdir("/proc") else []  # noqa: PTH112, PTH208
    for name in filter(str.isdigit, names):
        with contextlib.suppress(OSError, KeyError, ValueError, IndexError), open(f"/proc/{name}/status") as file:
            said = dict(line.split(":", 1) for line in file if ":" in line)
            count += int(said["Threads"]) if int(said["Uid"].split()[0]) == uid else 0
    return count


def _shared_threads(uid: int) -> int:
    """A limit for an id that isn't the candidate's alone: the kernel counts its others too, and a container may hide some."""
    hard = resource.getrlimit(resource.RLIMIT_NPROC)[1]
    most = _MOST_THREADS if hard == resource.RLIM_INFINITY else hard
    limit = _threads_seen(uid) + 4
    while limit < most and not _leaves_room(limit):
        limit *= 2
    return min(limit + THREADS, most)


def _rlimits(limits: dict[str, Any], mapped_bytes: int, own_ids: bool, own_mounts: bool) -> None:
    _limit(resource.RLIMIT_CPU, max(1, -int(-limits["cpu_seconds"] // 1)))
    _limit(resource.RLIMIT_AS, mapped_bytes + int(limits["memory_bytes"]))
    _limit(resource.RLIMIT_FSIZE, max(4096, int(limits["file_bytes"])))
    _limit(resource.RLIMIT_NOFILE, _DESCRIPTORS if own_mounts else _FEW_DESCRIPTORS)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_MEMLOCK, 0)
    _limit(resource.RLIMIT_MSGQUEUE, 0)
    _limit(resource.RLIMIT_STACK, _STACK_BYTES)
    if own_ids:
        _limit(resource.RLIMIT_NPROC, THREADS)
    elif os.geteuid():  # root isn't held by this limit
        _limit(resource.RLIMIT_NPROC, _shared_threads(os.getuid()))


def _ids(uid: int) -> None:
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)


def _work_folder(config: dict[str, Any], limits: dict[str, Any], uid: int) -> None:
    if "namespaces" not in config["layers"]:
        return
    size = max(4096, int(limits["file_bytes"]))
    options = f"size={size},nr_inodes=1024,mode=700,uid={uid},gid={uid}"
    flags = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC
    kernel.mount("tmpfs", root.WORK, kind="tmpfs", flags=flags, options=options)


def first_to_be_killed(proc: int) -> None:
    """Ask the kernel to end this process first when memory runs out; `proc` is an open folder of /proc."""
    try:
        number = os.open("self/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC, dir_fd=proc)
        os.write(number, b"1000")
        os.close(number)
    except OSError:
        pass  # only an order among processes: no layer rests on it


def confine(config: dict[str, Any], limits: dict[str, Any], *, mapped_bytes: int, work: str) -> None:
    """Everything after the descriptors. When it returns, the process can run a candidate's code.

    Args:
        config: the zygote's settings: `layers`, `uid`, `read`.
        limits: of this program.
        mapped_bytes: address space of the zygote.
        work: the candidate's folder.
    """
    layers = config["layers"]
    uid = config["uid"] if "uid" in layers and os.geteuid() == 0 else os.geteuid()
    _work_folder(config, limits, uid)
    own_ids = "uid" in layers and (os.geteuid() == 0 or "namespaces" in layers)
    os.chdir(work)
    if own_ids:
        _ids(config["uid"])
    # Not before the change of ids: the limit on processes would count the old user's.
    _rlimits(limits, mapped_bytes, own_ids, "namespaces" in layers)
    kernel.no_new_privileges()
    if os.geteuid() == 0 or own_ids or "namespaces" in layers:
        kernel.drop_capabilities()
    kernel.die_with_parent(signal.SIGKILL)
    kernel.not_dumpable()
    version = landlock.abi() if "landlock" in layers else 0
    if "landlock" in layers:
        read = ["/"] if "namespaces" in layers else config["read"]
        landlock.restrict(read=read, devices=root.DEVICES, work=work)
    if "seccomp" in layers:
        seccomp.install("namespaces" in layers or "landlock" not in layers or version >= landlock.SEES_TRUNCATION)
