from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
from itertools import chain
from pathlib import Path

import pytest
import torch

from assay.errors import TrainingError
from assay.models import Completion, ModelSpec, Request, Sampling, chat, open_model, source
from assay.models.weights import attach, load
from assay.records import Lesson, Message, Step
from assay.training import EMPTY, TrainSpec, train
from assay.training.batches import order, parts, summed_losses
from assay.training.loop import rate

SPEC = TrainSpec(rank=4, alpha=8, epochs=3, learning_rate=1e-2, quantization="none", threads=1, checkpoint_steps=2)


def lesson(at: int, answer: str = "", weight: float = 1.0) -> Lesson:
    turns = (Message("system", "s"), Message("user", "q" * (3 + at)), Message("assistant", answer or f"answer {at}"))
    return Lesson(f"r00/{at}", f"a{at}", "i", "positive", turns, weight, "", 0, 0)


LESSONS = [lesson(at, weight=0.5 + at / 10) for at in range(10)]


def go(
    model: Path, out: Path, spec: TrainSpec = SPEC, previous: Path | None = None, lessons: list[Lesson] = LESSONS
) -> tuple[Step, ...]:
    return train(lessons, ModelSpec(source=str(model)), previous, spec, out, out.parent / "work", lambda *_: None)


def adapter(out: Path) -> tuple[bytes, bytes]:
    return (out / "adapter_model.safetensors").read_bytes(), (out / "adapter_config.json").read_bytes()


def test_loss_falls_bytes_repeat_and_the_adapter_works(tiny_model: Path, tmp_path: Path) -> None:
    steps = go(tiny_model, tmp_path / "one")
    assert steps[-1].loss < steps[0].loss and [step.step for step in steps] == list(range(1, 10))
    assert sorted(path.name for path in (tmp_path / "one").iterdir()) == ["adapter_config.json", "adapter_model.safetensors"]
    assert not list((tmp_path / "work").iterdir())
    assert go(tiny_model, tmp_path / "two") == steps
    assert adapter(tmp_path / "one") == adapter(tmp_path / "two")
    spec = ModelSpec(source=str(tiny_model))
    plain, adapted = open_model(spec, None), open_model(spec, tmp_path / "one")
    assert plain.identity != adapted.identity == open_model(spec, tmp_path / "two").identity
    said: list[Completion] = []
    for model in (plain, adapted):
        model.complete(
            [Request("k", LESSONS[0].messages[:-1], 1)], Sampling(0.0, 1.0, 8), lambda _, completion: said.append(completion)
        )
    assert said[0] != said[1]
    again = go(tiny_model, tmp_path / "next", previous=tmp_path / "one")
    assert again[0].loss < steps[0].loss
    fresh = dataclasses.replace(SPEC, continue_from_previous=False)
    assert go(tiny_model, tmp_path / "fresh", spec=fresh, previous=tmp_path / "one") == steps


def test_a_merged_adapter_says_what_the_adapter_beside_the_base_says(tiny_model: Path, tmp_path: Path) -> None:
    go(tiny_model, tmp_path / "one")
    beside = attach(load(tiny_model, "float32", "none", "cpu"), tmp_path / "one", trainable=False)
    ids = torch.tensor([chat.load(tiny_model).prompt(LESSONS[0].messages[:-1])])
    with torch.inference_mode():
        apart = beside(input_ids=ids).logits
        merged = beside.merge_and_unload()(input_ids=ids).logits
    assert torch.allclose(apart, merged, atol=1e-4)


def test_a_killed_training_goes_on_and_ends_with_the_same_bytes(tiny_model: Path, tmp_path: Path) -> None:
    steps = go(tiny_model, tmp_path / "calm")
    program = (
        "import os, signal, sys; sys.path.insert(0, sys.argv[1])\n"
        "from pathlib import Path\nimport test_training as t\n"
        "def on_step(step, total):\n    if step.step == 5: os.kill(os.getpid(), signal.SIGKILL)\n"
        "t.train(t.LESSONS, t.ModelSpec(source=sys.argv[2]), None, t.SPEC, Path(sys.argv[3]) / 'out', Path(sys.argv[3]) / 'work', on_step)\n"
    )
    root = str(Path(__file__).parents[2])
    command = [sys.executable, "-c", program, str(Path(__file__).parent), str(tiny_model), str(tmp_path)]
    killed = subprocess.run(command, env=os.environ | {"PYTHONPATH": root}, capture_output=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    assert len(list((tmp_path / "work").glob("*.pt"))) == 1 and not (tmp_path / "out").exists()
    told: list[int] = []
    resumed = train(
        LESSONS,
        ModelSpec(source=str(tiny_model)),
        None,
        SPEC,
        tmp_path / "out",
        tmp_path / "work",
        lambda step, _: told.append(step.step),
    )
    assert told == [5, 6, 7, 8, 9] and resumed == steps
    assert adapter(tmp_path / "out") == adapter(tmp_path / "calm")


def test_a_torn_checkpoint_counts_as_none(tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = go(tiny_model, tmp_path / "calm")
    monkeypatch.setattr("assay.training._key", lambda *_: "torn")
    (tmp_path / "work" / "torn.pt").write_bytes(b"PK\x03\x04 half")
    assert go(tiny_model, tmp_path / "out") == steps


def test_small_parts_give_the_same_training(tiny_model: Path, tmp_path: Path) -> None:
    whole = go(tiny_model, tmp_path / "whole")
    small = go(tiny_model, tmp_path / "small", dataclasses.replace(SPEC, micro_tokens=64))
    checked = go(tiny_model, tmp_path / "checked", dataclasses.replace(SPEC, gradient_checkpointing=True))
    for other in (small, checked):
        assert [step.loss for step in other] == pytest.approx([step.loss for step in whole], rel=1e-4)


def test_losses_are_those_of_the_last_turn(tiny_model: Path) -> None:
    model, text = load(tiny_model, "float32", "none", "cpu"), chat.load(tiny_model)
    rows = [text.encode(one.messages) for one in (LESSONS[0], lesson(20, "a longer answer"))]
    batch = summed_losses(model, rows)
    for row, loss in zip(rows, batch, strict=True):
        logits = model(input_ids=torch.tensor([row.ids])).logits[0, :-1]
        each = torch.nn.functional.cross_entropy(logits, torch.tensor(row.ids[1:]), reduction="none")
        assert float(loss) == pytest.approx(float(each[torch.tensor(row.trained[1:])].sum()), rel=1e-4)


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (lesson(3, "x" * 2000), r"lesson r00/3: \d+ tokens, the longest allowed is 1024"),
        (lesson(3, " "), "lesson r00/3: no token of it carries loss"),
        (lesson(3, weight=0.0), "lesson r00/3: weight 0.0"),
        (
            dataclasses.replace(lesson(3), messages=lesson(3).messages[:2]),
            "lesson r00/3: .* must end with a turn of the assistant",
        ),
    ],
)
def test_lessons_that_cant_be_trained_on_are_named(tiny_model: Path, tmp_path: Path, bad: Lesson, says: str) -> None:
    with pytest.raises(TrainingError, match=says):
        go(tiny_model, tmp_path / "out", lessons=[*LESSONS, bad])
    assert not (tmp_path / "out").exists()


def test_an_adapter_that_changes_nothing_is_an_error(tiny_model: Path, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="doesn't change"):
        go(tiny_model, tmp_path / "out", dataclasses.replace(SPEC, learning_rate=0.0))
    assert not (tmp_path / "out").exists()


def test_an_adapter_of_another_rank_is_refused(tiny_model: Path, tmp_path: Path) -> None:
    go(tiny_model, tmp_path / "one")
    with pytest.raises(TrainingError, match="rank 4, alpha 8; this training has rank 2"):
        go(tiny_model, tmp_path / "two", dataclasses.replace(SPEC, rank=2), previous=tmp_path / "one")


def test_no_lessons_no_training(tiny_model: Path, tmp_path: Path) -> None:
    assert go(tiny_model, tmp_path / "none", lessons=[]) == ()
    assert [path.name for path in (tmp_path / "none").iterdir()] == [EMPTY]
    go(tiny_model, tmp_path / "one", previous=tmp_path / "none")
    go(tiny_model, tmp_path / "two", lessons=[], previous=tmp_path / "one")
    assert adapter(tmp_path / "one") == adapter(tmp_path / "two")
    assert source.adapter_sha(tmp_path / "one") == source.adapter_sha(tmp_path / "two")


def test_four_bit_weights_train_and_sample(tiny_model: Path, tmp_path: Path) -> None:
    pytest.importorskip("bitsandbytes")
    spec = dataclasses.replace(SPEC, quantization="nf4")
    steps = go(tiny_model, tmp_path / "one", spec)
    assert steps[-1].loss < steps[0].loss
    go(tiny_model, tmp_path / "two", spec)
    assert adapter(tmp_path / "one") == adapter(tmp_path / "two")
    model = open_model(ModelSpec(source=str(tiny_model), quantization="nf4"), tmp_path / "one")
    said: list[Completion] = []
    model.complete([Request("k", LESSONS[0].messages[:-1], 1)], Sampling(0.0, 1.0, 4), lambda _, one: said.append(one))
    assert len(said) == 1


def test_four_bit_weights_without_bitsandbytes(tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.models.weights.importlib.util.find_spec", lambda _: None)
    with pytest.raises(TrainingError, match="needs bitsandbytes"):
        go(tiny_model, tmp_path / "out", dataclasses.replace(SPEC, quantization="nf4"))


def test_every_lesson_once_an_epoch_and_parts_stay_small() -> None:
    lengths = [10, 200, 30, 40, 50, 60, 700]
    plan = order(lengths, rows=3, epochs=2, seed=1)
    assert len(plan) == 6 and sorted(chain(*plan[:3])) == sorted(chain(*plan[3:])) == list(range(7))
    assert plan == order(lengths, rows=3, epochs=2, seed=1) != order(lengths, rows=3, epochs=2, seed=2)
    cut = list(parts(range(7), lengths, 250))
    assert sorted(chain(*cut)) == list(range(7))
    assert all(len(part) == 1 or len(part) * max(lengths[at] for at in part) <= 250 for part in cut)


def test_the_rate_rises_and_falls() -> None:
    rates = [rate(TrainSpec(learning_rate=1.0, warmup=0.2), step, 10) for step in range(1, 11)]
    assert rates[:3] == [0.5, 1.0, 1.0] and rates[2:] == sorted(rates[2:], reverse=True) and 0 < rates[-1] < 0.1
    assert rate(TrainSpec(learning_rate=1.0, warmup=0.0), 1, 1) == 1.0
