"""Measures and removes a work folder, whatever its owner made of it: however deep, and with folders that are closed to us.

Folders are reached through descriptors of their parents and links are never followed, so neither recursion, nor a path's length,
nor what is swapped meanwhile leads astray. Not covered: files that are unlinked and still open or mapped, which no folder shows.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_PATH = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_DEPTH = 64
_ENTRIES = 1024
_BLOCK = 512


def _unlock(name: str, parent: int | None) -> None:
    """Let us, who own a folder, list it, enter it and write into it."""
    number = os.open(name, _PATH, dir_fd=parent)
    try:
        os.chmod(f"/proc/self/fd/{number}", 0o700)  # noqa: PTH101  a bare name might be a link by now
    finally:
        os.close(number)


def _open(name: str, parent: int | None = None) -> int:
    try:
        return os.open(name, _OPEN, dir_fd=parent)
    except PermissionError:
        _unlock(name, parent)
        return os.open(name, _OPEN, dir_fd=parent)


def _status(name: str, parent: int) -> os.stat_result | None:
    """None where it is gone."""
    try:
        return os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        return None
    except PermissionError:  # a folder that may be listed and not entered
        os.chmod(f"/proc/self/fd/{parent}", 0o700)  # noqa: PTH101
        return os.stat(name, dir_fd=parent, follow_symlinks=False)


def _statuses(folder: str) -> Iterator[os.stat_result | None]:
    """The status of everything below a folder; None once for what can't be seen: closed to us, or too deep."""
    path = [(_open(folder), list[str]())]
    path[0][1].extend(os.listdir(path[0][0]))  # noqa: PTH208
    try:
        while path:
            number, names = path[-1]
            if not names:
                os.close(path.pop()[0])
                continue
            name = names.pop()
            status = _status(name, number)
            if status is None:
                continue
            yield status
            if not stat.S_ISDIR(status.st_mode):
                continue
            if len(path) > _DEPTH:
                yield None
                continue
            try:
                path.append((_open(name, number), []))
                path[-1][1].extend(os.listdir(path[-1][0]))  # noqa: PTH208
            except (FileNotFoundError, NotADirectoryError):
                continue  # it went meanwhile
            except OSError:
                yield None
    finally:
        for number, _ in path:
            os.close(number)


def outgrows(folder: str, at_most: int) -> bool:
    """Whether a folder holds more than it may, or something in it can't be seen; what runs in it may go on meanwhile.

    Args:
        folder: the work folder.
        at_most: bytes that its files may have, blocks beyond their ends included. They may be `_ENTRIES` at most.
    """
    total, linked = 0, set[int]()
    try:
        for count, status in enumerate(_statuses(folder), 1):
            if status is None or count > _ENTRIES:
                return True
            if stat.S_ISREG(status.st_mode) and status.st_ino not in linked:
                total += max(status.st_size, status.st_blocks * _BLOCK)
                if status.st_nlink > 1:
                    linked.add(status.st_ino)
            if total > at_most:
                return True
    except OSError:  # listing failed midway
        return True
    return False


def _empty(name: str, base: int, mark: str, moved: list[str]) -> None:
    """Move the folders of one folder up into the base, remove its other entries and itself; `moved` takes their new names."""
    _unlock(name, base)
    number = os.open(name, _OPEN, dir_fd=base)
    try:
        for index, entry in enumerate(os.listdir(number)):  # noqa: PTH208
            try:
                os.unlink(entry, dir_fd=number)
            except OSError:
                up = f"{mark}-{index}"
                try:
                    _unlock(entry, number)  # to move a folder changes it
                    os.rename(entry, up, src_dir_fd=number, dst_dir_fd=base)
                except OSError:
                    continue
                moved.append(up)
    finally:
        os.close(number)
    os.rmdir(name, dir_fd=base)


def remove(folder: str) -> bool:
    """Remove a folder and all below it, level by level, and say whether it is gone; nothing is raised."""
    mark, count = os.urandom(8).hex(), 0
    try:
        base = _open(folder)
    except OSError:
        return not os.path.lexists(folder)
    try:
        _unlock(folder, None)
        left = os.listdir(base)  # noqa: PTH208
        while left:
            name = left.pop()
            count += 1
            try:
                os.unlink(name, dir_fd=base)
            except OSError:
                try:
                    _empty(name, base, f"{mark}-{count}", left)
                except OSError:
                    continue
    except OSError:
        pass  # the folder itself tells
    finally:
        os.close(base)
    try:
        os.rmdir(folder)  # noqa: PTH106
    except OSError:
        return False
    return True
