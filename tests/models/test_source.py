from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from assay.errors import ModelError
from assay.models import ModelSpec, source, tiny


def test_of_two_who_make_a_folder_the_first_wins(tmp_path: Path) -> None:
    target = tmp_path / "folder"
    with source.new_folder(target) as mine:
        (mine / "who").write_text("second")
        with source.new_folder(target) as theirs:
            (theirs / "who").write_text("first")
    assert (target / "who").read_text() == "first"
    assert list(tmp_path.iterdir()) == [target]


def test_what_fails_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), source.new_folder(tmp_path / "folder"):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


def test_a_replaced_folder_clears_what_a_killed_writer_left(tmp_path: Path) -> None:
    (tmp_path / ".folder-killed").mkdir()
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "old").touch()
    with source.replaced_folder(tmp_path / "folder") as made:
        (made / "new").touch()
    assert [path.name for path in tmp_path.rglob("*")] == ["folder", "new"]


def test_identity_of_an_adapter_leaves_out_paths_and_set_order(tmp_path: Path) -> None:
    shas = []
    for name, targets in (("a", ["q", "k"]), ("b", ["k", "q"])):
        folder = tmp_path / name
        folder.mkdir()
        config = {"r": 4, "target_modules": targets, "base_model_name_or_path": str(folder)}
        (folder / "adapter_config.json").write_text(json.dumps(config))
        (folder / "adapter_model.safetensors").write_bytes(b"x")
        shas.append(source.adapter_sha(folder))
    assert shas[0] == shas[1] is not None
    (tmp_path / "b" / "adapter_model.safetensors").write_bytes(b"y")
    assert source.adapter_sha(tmp_path / "b") != shas[0]
    (tmp_path / "b" / "adapter_config.json").write_text("{")
    with pytest.raises(ModelError, match="can't be read"):
        source.adapter_sha(tmp_path / "b")


def test_a_tiny_model_is_the_same_twice(tmp_path: Path) -> None:
    one, two = tiny.make(tmp_path / "one"), tiny.make(tmp_path / "two")
    assert source.resolve(ModelSpec(source=str(one))).sha == source.resolve(ModelSpec(source=str(two))).sha
    other = tiny.make(tmp_path / "other", seed=1)
    assert source.resolve(ModelSpec(source=str(other))).sha != source.resolve(ModelSpec(source=str(one))).sha


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_gpu_that_isnt_there() -> None:
    assert source.device_name(ModelSpec(device="auto")) == "cpu"
    with pytest.raises(ModelError, match="no GPU"):
        source.device_name(ModelSpec(device="cuda"))
