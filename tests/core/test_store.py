"""The store: text by key, many threads and processes, nothing lost by a kill."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from assay import canonical
from assay.errors import StorageError
from assay.store import Store


def test_the_first_value_of_a_key_stays(tmp_path: Path) -> None:
    with Store(tmp_path / "s.sqlite") as store:
        assert store.get("a") is None
        store.put("a", "one")
        store.put("a", "two")
        assert store.get_many(["a", "b"]) == {"a": "one"}
    with Store(tmp_path / "s.sqlite") as store:
        assert store.get("a") == "one"


def test_threads_share_it(tmp_path: Path) -> None:
    with Store(tmp_path / "s.sqlite") as store, ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda number: store.put(str(number), str(number)), range(200)))
        assert len(store.get_many(map(str, range(200)))) == 200


def test_what_was_kept_survives_a_kill(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from assay.store import Store\n"
        "store = Store(Path(sys.argv[1]))\n"
        "for number in range(100000): store.put(str(number), 'x'); print(number, flush=True)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "s.sqlite")], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    said = [int(child.stdout.readline()) for _ in range(20)]
    child.send_signal(signal.SIGKILL)
    child.wait(30)
    child.stdout.close()
    time.sleep(0.01)
    with Store(tmp_path / "s.sqlite") as store:
        assert set(store.get_many(map(str, said))) == set(map(str, said))


def test_a_place_that_can_not_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="the store can't be opened"):
        Store(tmp_path / "file" / "s.sqlite")


def test_canonical_text_is_one_for_one_value() -> None:
    assert canonical.dumps({"b": 1, "a": [1.0, None, "ü"]}) == '{"a":[1.0,null,"ü"],"b":1}'
    assert canonical.sha({"a": 1, "b": 2}) == canonical.sha({"b": 2, "a": 1})
    with pytest.raises(ValueError):
        canonical.dumps(float("nan"))
    with pytest.raises(ValueError, match="JSON has no number NaN"):
        canonical.loads('{"score": NaN}')
    assert canonical.finite({"a": float("inf"), "b": 1.0}) == ({"a": None, "b": 1.0}, ("a",))
    assert canonical.seed("a", 1) != canonical.seed("a1") and 0 <= canonical.seed("x") < 2**63
