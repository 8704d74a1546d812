"""Tries each layer in a process of its own and prints which hold, as one JSON line: {"namespaces": "", "landlock": "why not", ...}.

An empty string means that the layer works. Not covered: cgroups, which our side makes.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import kernel, landlock, root, seccomp


def _attempt(action: Callable[[], None]) -> str:
    readable, writable = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            action()
        except BaseException as error:
            os.write(writable, f"{type(error).__name__}: {error}".encode()[:2000] or b"failed")
        finally:
            os._exit(0)
    os.close(writable)
    with open(readable, "rb") as pipe:
        why = pipe.read().decode(errors="replace")
    status = os.waitpid(pid, 0)[1]
    return why or ("" if status == 0 else f"ended with status {status}")


def _namespaces(config: dict[str, Any]) -> None:
    root.unshare_all()
    root.build(config)
    child = kernel.fork(kernel.CLONE_NEWPID | kernel.CLONE_NEWNS | kernel.CLONE_NEWIPC)
    if child == 0:
        try:
            kernel.mount("tmpfs", root.WORK, kind="tmpfs", options="size=64k")
            os._exit(0 if os.getpid() == 1 else 2)
        finally:
            os._exit(1)
    if os.waitpid(child, 0)[1]:
        raise OSError("a child can't mount its work folder")


def _uid(config: dict[str, Any]) -> None:
    if os.geteuid() == 0:
        if config["enter"]:
            root.unshare_all()
            root.build(config)
        if os.geteuid() == 0:
            os.setgroups([])
            os.setresgid(config["uid"], config["uid"], config["uid"])
            os.setresuid(config["uid"], config["uid"], config["uid"])
    elif not config["enter"]:
        raise PermissionError("only root or a user namespace can change ids")
    for folder in [*config["packages"], str(Path(os.__file__).parent)]:
        os.listdir(folder)  # noqa: PTH208


def _landlock(config: dict[str, Any]) -> None:
    kernel.no_new_privileges()
    landlock.restrict(read=["/usr"], devices=[], work="/tmp")
    try:
        os.listdir("/")  # noqa: PTH208
    except PermissionError:
        return
    raise OSError("a rule set didn't hold")


def _seccomp(config: dict[str, Any]) -> None:
    kernel.no_new_privileges()
    seccomp.install()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.socket(2, 1, 0) != -1 or ctypes.get_errno() != errno.EPERM:
        raise OSError("a filter didn't hold")


def main() -> None:
    """Read settings from stdin, print the finding."""
    config = json.load(sys.stdin)
    found = {"namespaces": _attempt(lambda: _namespaces(config))}
    if "namespaces" in config["without"]:
        found["namespaces"] = "left out"
    config["enter"] = not found["namespaces"]
    found["uid"] = _attempt(lambda: _uid(config))
    found["landlock"] = _attempt(lambda: _landlock(config))
    found["seccomp"] = _attempt(lambda: _seccomp(config))
    print(json.dumps(found))
