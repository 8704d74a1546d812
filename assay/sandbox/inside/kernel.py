"""The Linux calls that Python's standard library lacks, by ctypes: namespaces, mounts, prctl, capabilities, raw clone.

Each function raises OSError with the call's name. Not covered: other systems than Linux on x86_64 and aarch64.
"""

from __future__ import annotations

import ctypes
import os
import platform

from .syscalls import NUMBERS

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC = 0x00020000, 0x04000000, 0x08000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND = 1, 2, 4, 8, 32, 4096
MS_REC, MS_PRIVATE = 16384, 1 << 18
_SIGCHLD = 17
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 1, 4, 24, 36, 38
_PR_SET_SECCOMP, _PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL = 22, 47, 4
_CAPABILITY_VERSION_3 = 0x20080522

machine = platform.machine()
_libc = ctypes.CDLL(None, use_errno=True)
_held = ctypes.PyDLL(None, use_errno=True)  # keeps the interpreter's lock: a clone must not let anything run between
_libc.syscall.restype = ctypes.c_long
_held.syscall.restype = ctypes.c_long


def _check(result: int, what: str) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result


def call(name: str, number: int, *arguments: object) -> int:
    """Make a raw system call; integers are passed as longs."""
    longs = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    return _check(_libc.syscall(ctypes.c_long(number), *longs), name)


def fork(flags: int) -> int:
    """Fork into new namespaces: 0 in the child, its process id in the caller. The caller must have one thread."""
    if not flags:
        return os.fork()
    api = ctypes.pythonapi
    number = {"x86_64": 56, "aarch64": 220}[machine]
    api.PyOS_BeforeFork()
    zero = ctypes.c_long(0)
    pid = int(_held.syscall(ctypes.c_long(number), ctypes.c_long(flags | _SIGCHLD), zero, zero, zero, zero))
    if pid == 0:
        api.PyOS_AfterFork_Child()
        return 0
    code = ctypes.get_errno()
    api.PyOS_AfterFork_Parent()
    if pid < 0:
        raise OSError(code, f"clone: {os.strerror(code)}")
    return pid


def unshare(flags: int) -> None:
    """Leave namespaces that the caller shares."""
    _check(_libc.unshare(flags), "unshare")


def mount(source: str, target: str, *, kind: str = "", flags: int = 0, options: str = "") -> None:
    """Mount, bind or remount."""
    arguments = [text.encode() if text else None for text in (source, target, kind)]
    data = options.encode() if options else None
    _check(_libc.mount(*arguments, ctypes.c_ulong(flags), data), f"mount {target}")


def lock_mount(target: str) -> None:
    """Make a bind mount and all below it read-only, without set-uid programs and devices."""

    class Attributes(ctypes.Structure):
        _fields_ = [(name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "userns")]

    wanted = Attributes(MS_RDONLY | MS_NOSUID | MS_NODEV, 0, 0, 0)
    at_fdcwd, recursive = -100, 0x8000
    try:
        number = NUMBERS[machine]["mount_setattr"]
        size = ctypes.sizeof(wanted)
        call("mount_setattr", number, at_fdcwd, target.encode(), recursive, ctypes.byref(wanted), size)
    except OSError:  # kernels before 5.12; flags that the source carries must stay
        kept = os.statvfs(target).f_flag & (MS_NOEXEC | MS_NOSUID | MS_NODEV)
        mount("", target, flags=MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV | kept)


def pivot_root(new_root: str) -> None:
    """Make a mount point the root and let go of the old one."""
    os.chdir(new_root)
    call("pivot_root", NUMBERS[machine]["pivot_root"], b".", b".")
    _check(_libc.umount2(b".", 2), "umount of the old root")
    os.chdir("/")


def set_host_name(name: bytes) -> None:
    """Name this uts namespace."""
    _check(_libc.sethostname(name, ctypes.c_size_t(len(name))), "sethostname")


def prctl(option: int, *arguments: object) -> int:
    """prctl with its arguments as unsigned longs."""
    longs = [ctypes.c_ulong(a) if isinstance(a, int) else a for a in (*arguments, 0, 0, 0, 0)[:4]]
    return _check(_libc.prctl(option, *longs), f"prctl {option}")


def die_with_parent(signal_number: int) -> None:
    """Get a signal when the parent dies; set after changes of ids, which clear it."""
    prctl(_PR_SET_PDEATHSIG, signal_number)


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent died."""
    prctl(_PR_SET_CHILD_SUBREAPER, 1)


def not_dumpable() -> None:
    """No core file, and no look at our memory by processes of the same user."""
    prctl(_PR_SET_DUMPABLE, 0)


def no_new_privileges() -> None:
    """No program started from here gains rights."""
    prctl(_PR_SET_NO_NEW_PRIVS, 1)


def set_filter(program: object) -> None:
    """Install a seccomp program."""
    prctl(_PR_SET_SECCOMP, 2, program)


def drop_capabilities() -> None:
    """Give up every capability, the bounding and ambient sets included."""
    for capability in range(64):
        if _libc.prctl(_PR_CAPBSET_DROP, ctypes.c_ulong(capability), 0, 0, 0) < 0:
            break
    _libc.prctl(_PR_CAP_AMBIENT, ctypes.c_ulong(_PR_CAP_AMBIENT_CLEAR_ALL), 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    nothing = (ctypes.c_uint32 * 6)()
    call("capset", NUMBERS[machine]["capset"], ctypes.byref(header), ctypes.byref(nothing))
