"""The zygote: a trusted, single-threaded process with libraries loaded and warmed, which forks one child a program.

It is started by exec with a clean environment, reads its settings from the control socket, enters its namespaces and then serves
one program at a time. It kills on our word, and ends itself, with everything it forked, when the control socket closes. Messages on
the socket are JSON datagrams: settings -> {"ready"}; a program with four descriptors -> {"started"} ... {"status"}; or {"error"}.
"""

from __future__ import annotations

import builtins
import contextlib
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import threading
from collections.abc import Collection, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any, NoReturn

from . import drop, folders, kernel, root, seccomp, warm

_MESSAGE = 1 << 18
_LOOK_MILLISECONDS = 200
_MOST_THREADS = 2 * drop.THREADS


def _leave(status: object = None) -> NoReturn:
    raise SystemExit(status)


class _OnlyVisible:
    """Finds what a candidate will find: an optional import of a library mustn't load what its root lacks, or start threads."""

    def __init__(self, visible: Collection[str], sites: Sequence[str]) -> None:
        self.visible, self.sites = visible, sites

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """As PathFinder's, less the packages beside the visible ones."""
        if "." not in name and name not in self.visible and PathFinder.find_spec(name, self.sites) is not None:
            return None
        return PathFinder.find_spec(name, path, target)


class Zygote:
    """One process's state between programs."""

    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self.config: dict[str, Any] = json.loads(control.recv(_MESSAGE))
        self.namespaces = "namespaces" in self.config["layers"]
        self.mapped_bytes = 0
        self.count = 0

    def prepare(self) -> None:
        """Load and warm the libraries, then enter the namespaces."""
        builtins.exit = builtins.quit = _leave  # type: ignore[assignment]
        sys.orig_argv.clear()
        sys.path.extend(self.config["site"] if self.namespaces else [self._own_site()])
        clean, place = dict(os.environ), sys.meta_path.index(PathFinder)
        sys.meta_path[place] = _OnlyVisible(self.config["visible"], self.config["site"])
        for name in (*self.config["imports"], f"{__package__}.serve", f"{__package__}.workspace"):
            importlib.import_module(name)
        warm.WARM[self.config["warm"]]()
        sys.meta_path[place] = PathFinder
        for name in os.environ.keys() - clean.keys():  # torch leaves the name of a folder
            del os.environ[name]
        self.null = os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC)
        self.proc = os.open("/proc", os.O_PATH | os.O_CLOEXEC)
        self.mapped_bytes = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        threads = len(os.listdir("/proc/self/task"))  # noqa: PTH208
        if threads != 1 or threading.active_count() != 1:
            raise RuntimeError(f"a zygote must have one thread and has {threads}")
        if self.namespaces:
            root.unshare_all()
            root.build(self.config)
            seccomp.prepared(1, True)
        else:
            kernel.adopt_orphans()
        gc.collect()
        gc.freeze()

    def _own_site(self) -> str:
        """A folder of links to the visible packages, so that others installed beside them aren't found and refused."""
        site = Path(self.config["base"]) / "site"
        site.mkdir(mode=0o755)
        for package in self.config["packages"]:
            (site / Path(package).name).symlink_to(package)
        self.config["read"].append(str(site))
        return str(site)

    def say(self, message: dict[str, Any]) -> None:
        """One message to our side."""
        self.control.send(json.dumps(message).encode())

    def loop(self) -> None:
        """Serve programs until the control socket closes."""
        while True:
            data, numbers, _, _ = socket.recv_fds(self.control, _MESSAGE, 5)
            if not data:
                return
            if not numbers:
                continue  # a word to kill that crossed the child's end
            try:
                self.one(json.loads(data), numbers)
            except OSError as error:
                self.say({"error": f"{type(error).__name__}: {error}"})
            finally:
                for number in numbers:
                    with contextlib.suppress(OSError):
                        os.close(number)

    def _work(self) -> str:
        if self.namespaces:
            return root.WORK
        self.count += 1
        work = Path(self.config["base"]) / f"w{self.count}"
        work.mkdir(mode=0o700)
        if "uid" in self.config["layers"] and os.geteuid() == 0:
            os.chown(work, self.config["uid"], self.config["uid"])
        return str(work)

    def one(self, program: dict[str, Any], numbers: Sequence[int]) -> None:
        """Fork a child for one program and watch it to its end."""
        work = self._work()
        ours, theirs = socket.socketpair()
        flags = kernel.CLONE_NEWPID | kernel.CLONE_NEWNS | kernel.CLONE_NEWIPC if self.namespaces else 0
        pid = kernel.fork(flags)
        if pid == 0:
            ours.close()
            self._child(program, numbers, theirs, work)
        theirs.close()
        try:
            answer = ours.recv(4096)
            if answer == b"ready":
                self.say({"started": pid})
                ours.send(b"g")
            self._watch(pid, answer, "" if self.namespaces else work, 2 * int(program["limits"]["file_bytes"]))
        finally:
            ours.close()
            if not self.namespaces:
                folders.remove(work)

    def _child(self, program: dict[str, Any], numbers: Sequence[int], setup: socket.socket, work: str) -> NoReturn:
        try:
            os.setsid()
            drop.first_to_be_killed(self.proc)
            drop.descriptors(self.null, numbers, setup.detach())
            try:
                drop.confine(self.config, program["limits"], mapped_bytes=self.mapped_bytes, work=work)
            except BaseException as error:
                os.write(drop.SETUP, f"{type(error).__name__}: {error}".encode()[:4096])
                os._exit(1)
            os.write(drop.SETUP, b"ready")
            if os.read(drop.SETUP, 1) != b"g":  # the zygote died meanwhile
                os._exit(1)
            os.close(drop.SETUP)
            if not self.namespaces:
                os.environ["HOME"] = os.environ["TMPDIR"] = work
            from . import serve  # loaded by `prepare`: it needs NumPy

            serve.serve(drop.JOB, drop.RESULT)
        finally:
            os._exit(1)

    def _watch(self, pid: int, answer: bytes, folder: str, folder_bytes: int) -> None:
        pidfd = os.pidfd_open(pid)
        poller = select.poll()
        poller.register(pidfd, select.POLLIN)
        poller.register(self.control, select.POLLIN)
        gone, over = False, ""
        while not gone:
            events = poller.poll(_LOOK_MILLISECONDS if folder else None)
            if folder and not events:  # a mounted work folder has its own cap
                over = self._over(pid, folder, folder_bytes)
                if over:
                    signal.pidfd_send_signal(pidfd, signal.SIGKILL)
            for number, _ in events:
                if number == pidfd:
                    gone = True
                elif self.control.recv(64) != b"":
                    signal.pidfd_send_signal(pidfd, signal.SIGKILL)
                else:
                    signal.pidfd_send_signal(pidfd, signal.SIGKILL)
                    poller.unregister(self.control)
        os.close(pidfd)
        status, used = self._reap(pid)
        if answer != b"ready":
            raise OSError(f"a layer failed in the child: {answer.decode(errors='replace')}")
        self.say({"status": status, "cpu": used, "over": over})

    def _over(self, pid: int, folder: str, folder_bytes: int) -> str:
        """What a child without namespaces has too much of: `folder`, `threads` or nothing."""
        if folders.outgrows(folder, folder_bytes):
            return "folder"
        with contextlib.suppress(OSError):  # no limit of the kernel's holds root without an id or a control group of its own
            if "seccomp" in self.config["layers"] and Path(f"/proc/{pid}/task").stat().st_nlink - 2 > _MOST_THREADS:
                return "threads"
        return ""

    def _reap(self, pid: int) -> tuple[int, float]:
        if not self.namespaces:  # the child is still a zombie, so that its number can't be another's
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
        _, status, usage = os.wait4(pid, 0)
        if not self.namespaces:
            self._sweep()
        return status, usage.ru_utime + usage.ru_stime

    def _sweep(self) -> None:
        """Kill what a child left behind, until we have no descendant."""
        while True:
            try:
                done, _ = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if done:
                continue
            for folder in Path("/proc").glob("[0-9]*"):
                with contextlib.suppress(OSError, IndexError, ValueError):
                    fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
                    if int(fields[1]) == os.getpid():
                        os.kill(int(folder.name), signal.SIGKILL)


def main() -> None:
    """Run a zygote on the control socket whose number is the only argument."""
    control = socket.socket(fileno=int(sys.argv[1]))
    zygote = Zygote(control)
    try:
        zygote.prepare()
    except Exception as error:
        zygote.say({"error": f"{type(error).__name__}: {error}"})
        return
    try:
        zygote.say({"ready": zygote.mapped_bytes})
        zygote.loop()
    except (BrokenPipeError, ConnectionError):
        pass  # our side is gone
    finally:
        if not zygote.namespaces:
            folders.remove(zygote.config["base"])
