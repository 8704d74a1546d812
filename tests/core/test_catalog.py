"""Finding tasks, and saying clearly what is wrong with one."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay import catalog, instances, submissions
from assay.errors import SubmissionError, TaskError, UnknownTask

GOOD = "id: one\ntitle: One\nkind: solution\ncontract: {}\ndifficulties: {easy: {}}\nreference: {full: [1, 1]}\n"


def folder(root: Path, text: str = GOOD, name: str = "one", domain: str = "field") -> Path:
    home = root / domain / name
    home.mkdir(parents=True)
    (home.parent / "verifier.py").write_text("")
    (home / "task.yaml").write_text(text)
    return home


def test_a_task_is_found_by_its_folder(tmp_path: Path) -> None:
    folder(tmp_path)
    tasks = catalog.scan(tmp_path)
    assert list(tasks) == ["one"] and tasks["one"].domain == "field"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("title: One", "titel: One"), "title: Field required"),
        (("kind: solution", "kind: poem"), "kind: Input should be 'solution' or 'patch', received 'poem'"),
        (("id: one", "id: two"), "id must be the folder's name 'one', received 'two'"),
        (("{full: [1, 1]}", "{full: [1, 2]}"), "less than or equal to 1"),
        (("{full: [1, 1]}", "{smoke: [1, 1]}"), "reference must give a band for each of full"),
        (("contract: {}", "contract: {"), "expected YAML"),
    ],
)
def test_a_broken_task_is_one_clear_line(change: tuple[str, str], said: str, tmp_path: Path) -> None:
    folder(tmp_path, GOOD.replace(*change))
    with pytest.raises(TaskError) as caught:
        catalog.scan(tmp_path)
    assert said in str(caught.value) and "task.yaml" in str(caught.value) and "\n" not in str(caught.value)


def test_an_id_stands_once(tmp_path: Path) -> None:
    folder(tmp_path)
    folder(tmp_path, domain="other")
    with pytest.raises(TaskError, match="stands in .* already"):
        catalog.scan(tmp_path)


def test_an_unknown_id_gets_near_ones(tmp_path: Path) -> None:
    folder(tmp_path, GOOD.replace("id: one", "id: t01_kalman_filter"), name="t01_kalman_filter")
    with pytest.raises(UnknownTask, match="did you mean t01_kalman_filter"):
        catalog.find(catalog.scan(tmp_path), "t01_kalmann")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def generate(**_): return 3", "must return a Draft"),
        ("def generate(**_): raise ValueError('no')", "generate.py raised ValueError: no"),
        ("def nothing(): pass", "generate.py raised AttributeError"),
        ("import nowhere", "can't be imported"),
    ],
)
def test_a_generator_that_fails_is_named(source: str, said: str, tmp_path: Path) -> None:
    home = folder(tmp_path)
    (home / "generate.py").write_text(source)
    task = catalog.scan(tmp_path)["one"]
    with pytest.raises(TaskError, match=said):
        instances.make(task, seed=0, difficulty="easy", split="train", folder=tmp_path / "made")
    with pytest.raises(TaskError, match="difficulty must be one of easy, received 'brutal'"):
        instances.make(task, seed=0, difficulty="brutal", split="train", folder=tmp_path / "made")


def test_a_solution_file_that_is_none_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "solution.py"
    with pytest.raises(SubmissionError, match=r"solution\.py: expected a solution file, received nothing"):
        submissions.read(path)
    path.write_bytes(b"x = '\xf0'\n")
    with pytest.raises(SubmissionError, match="expected UTF-8 text, received the byte 0xf0 at offset 5"):
        submissions.read(path)
    path.write_bytes(b" \n\t\n")
    with pytest.raises(SubmissionError, match="received an empty file"):
        submissions.read(path)
    path.write_bytes(b"#" * (submissions.MOST_BYTES + 1))
    with pytest.raises(SubmissionError, match="expected at most"):
        submissions.read(path)
    path.write_bytes(b"\xef\xbb\xbfx = 1\n")
    assert submissions.read(path) == "x = 1\n"
