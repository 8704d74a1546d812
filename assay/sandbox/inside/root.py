"""The zygote's own namespaces and its root: an empty tmpfs in which only what Python needs is bound, read-only.

The old root is gone after `pivot_root`; there is no /proc, /sys or /etc. Not covered: the time and cgroup namespaces, which a candidate
can't name anyway.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from . import kernel

WORK = "/tmp"
"""where a candidate's private folder is mounted in the new root"""
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")
_NOBODY = 65534
_STAGES = ("/mnt", "/srv", "/media", "/opt", "/var", "/run", "/tmp", "/home")


def unshare_all() -> None:
    """Leave the host's namespaces; a user namespace comes first where the host asks for it."""
    uid, gid = os.geteuid(), os.getegid()
    flags = kernel.CLONE_NEWNS | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS | kernel.CLONE_NEWNET
    try:
        kernel.unshare(flags)
    except OSError:
        kernel.unshare(flags | kernel.CLONE_NEWUSER)
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{_NOBODY} {uid} 1")
        Path("/proc/self/gid_map").write_text(f"{_NOBODY} {gid} 1")
    kernel.set_host_name(b"sandbox")


def _stage(sources: list[str]) -> str:
    for folder in _STAGES:
        if Path(folder).is_dir() and not any(source == folder or source.startswith(folder + "/") for source in sources):
            return folder
    raise OSError("no folder of the host can carry the new root")


def _bind(source: str, root: str) -> None:
    target = Path(root + source)
    if Path(source).is_dir():
        target.mkdir(parents=True, exist_ok=True)
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.touch()
    kernel.mount(source, str(target), flags=kernel.MS_BIND | kernel.MS_REC)


def build(layout: dict[str, Any]) -> None:
    """Make the root of `layout` and enter it.

    Args:
        layout: `binds` (folders), `masks` (folders below them to hide), `packages` (folders to show inside masks) and `links`
            (pairs of a symbolic link and its target).
    """
    kernel.mount("none", "/", flags=kernel.MS_REC | kernel.MS_PRIVATE)
    packages: list[str] = layout["packages"]
    root = _stage([*layout["binds"], *packages])
    plain = kernel.MS_NOSUID | kernel.MS_NODEV
    kernel.mount("tmpfs", root, kind="tmpfs", flags=plain, options="mode=755,size=1m")
    for source in layout["binds"]:
        _bind(source, root)
    for masked in layout["masks"]:
        kernel.mount("tmpfs", root + masked, kind="tmpfs", flags=plain, options="mode=755,size=64k")
    for source in [*packages, *DEVICES]:
        _bind(source, root)
    for masked in layout["masks"]:
        kernel.mount("", root + masked, flags=kernel.MS_REMOUNT | kernel.MS_BIND | kernel.MS_RDONLY | plain)
    for source in [*layout["binds"], *packages]:
        kernel.lock_mount(root + source)
    for link, target in layout["links"]:
        if not Path(root + link).exists():
            Path(root + link).symlink_to(target)
    Path(root + WORK).mkdir(exist_ok=True)
    kernel.pivot_root(root)
    kernel.mount("", "/", flags=kernel.MS_REMOUNT | kernel.MS_BIND | kernel.MS_RDONLY | plain)
