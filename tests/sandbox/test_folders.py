"""Work folders are measured and removed whatever a candidate made of them."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

import pytest

from assay.sandbox import open_sandbox
from assay.sandbox.inside import folders
from tests.sandbox.conftest import program

SIZE = 1 << 16


def _deep(folder: Path, depth: int) -> None:
    here = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("a", dir_fd=here)
        below = os.open("a", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)


def _written(folder: Path, size: int) -> Path:
    path = folder / "data"
    path.write_bytes(b"x" * size)
    return path


def test_what_files_take_is_counted_once(tmp_path: Path) -> None:
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    data = _written(below, SIZE)
    assert not folders.outgrows(str(tmp_path), SIZE)
    for index in range(5):
        (tmp_path / f"link{index}").hardlink_to(data)
        (tmp_path / f"symlink{index}").symlink_to(data)
    assert not folders.outgrows(str(tmp_path), SIZE)
    assert folders.outgrows(str(tmp_path), SIZE - 1)


def test_blocks_behind_a_files_end_and_holes_are_counted(tmp_path: Path) -> None:
    path = _written(tmp_path, 0)
    os.truncate(path, SIZE)
    assert folders.outgrows(str(tmp_path), SIZE - 1)
    os.truncate(path, 0)
    with path.open("wb") as file:
        if ctypes.CDLL(None).fallocate(file.fileno(), 1, ctypes.c_long(0), ctypes.c_long(SIZE)):
            pytest.skip("this file system reserves nothing")
    assert path.stat().st_size == 0
    assert folders.outgrows(str(tmp_path), SIZE - 1)


def test_what_is_too_deep_or_too_many_is_full(tmp_path: Path) -> None:
    _deep(tmp_path, 2000)
    assert folders.outgrows(str(tmp_path), SIZE)
    assert folders.remove(str(tmp_path))
    tmp_path.mkdir()
    for index in range(1100):
        (tmp_path / str(index)).touch()
    assert folders.outgrows(str(tmp_path), SIZE)
    assert folders.outgrows(str(tmp_path / "nothing"), SIZE)


def test_a_deep_and_closed_tree_goes_and_what_links_name_stays(tmp_path: Path) -> None:
    kept, gone = tmp_path / "kept", tmp_path / "gone"
    for folder in (kept, gone, gone / "shut", gone / "shut" / "inner"):
        folder.mkdir()
    data = _written(kept, SIZE)
    _written(gone / "shut" / "inner", SIZE)
    (gone / "to-file").symlink_to(data)
    (gone / "shut" / "to-folder").symlink_to(kept)
    _deep(gone, 3000)
    for folder in (gone / "shut" / "inner", gone / "shut", gone):
        folder.chmod(0)
    kept.chmod(0o755)
    assert folders.remove(str(gone))
    assert not gone.exists()
    assert data.stat().st_size == SIZE
    assert kept.stat().st_mode & 0o777 == 0o755
    assert folders.remove(str(gone)), "it's gone already"


def _as_user() -> list[bool]:
    os.setgroups([])
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)
    for name, mode in (("enter", 0o300), ("list", 0o400), ("shut", 0)):
        below = Path("base", name, "below")
        below.mkdir(parents=True)
        Path("base", name, "data").write_bytes(b"x" * 4096)
        below.chmod(mode)
        below.parent.chmod(mode)
    found = [folders.outgrows("base", 3 * 4096 - 1), not folders.outgrows("base", 1 << 16)]
    for name in ("enter", "list", "shut"):
        Path("base", name).chmod(0o100)
    Path("base").chmod(0)
    return [*found, folders.remove("base"), not Path("base").exists()]


def test_an_owner_who_is_not_root_opens_what_is_closed(tmp_path: Path) -> None:
    if os.geteuid():
        pytest.skip("only root can become another user")
    tmp_path.chmod(0o777)
    pid = os.fork()
    if pid == 0:
        try:
            os.chdir(tmp_path)  # the folders above it are closed to others
            os._exit(0 if all(_as_user()) else 2)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


DEEP = 'import os\ndef f():\n    [(os.mkdir("a"), os.chdir("a")) for _ in range(1100)]\n    return 1.0'


def test_without_namespaces_deep_folders_cost_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    tmp_path.chmod(0o755)
    with open_sandbox(require="none", without=("namespaces",)) as pool:
        replies = [pool.run(program(DEEP)) for _ in range(2)]
        zygotes = [zygote.process.pid for slot in pool.slots for zygote in slot.zygotes.values()]
        assert [reply.fault in ("", "output_limit") for reply in replies] == [True, True]
        assert all(Path(f"/proc/{pid}").exists() for pid in zygotes)
    assert list(tmp_path.iterdir()) == []


def test_without_namespaces_threads_are_counted_too() -> None:
    source = (
        "import threading, time\ndef f():\n    threading.stack_size(1 << 15)\n    event = threading.Event()\n    print('began')\n"
        "    for _ in range(400):\n        threading.Thread(target=event.wait, daemon=True).start()\n"
        "    time.sleep(30)\n    return 1.0"
    )
    with open_sandbox(require="none", without=("namespaces", "cgroup")) as pool:
        if "seccomp" not in pool.isolation:
            pytest.skip(f"this host only reaches {pool.isolation}")
        reply = pool.run(program(source))
    assert (reply.fault, reply.detail) in (
        ("forbidden", "the program started more threads than it may"),
        ("exception", "call 0 raised RuntimeError at line 7"),
    )
