"""LoRA training: lessons in, an adapter out, through peft, transformers and bitsandbytes with a short loop of our own.

    loss of a step = sum over rows of  w_row * (sum over the last turn's tokens of cross-entropy)  /  (w_mean * tokens in the step)

with w_mean the token-weighted mean weight over all lessons, so a step of faint rows is a faint step. Each round goes on from the
adapter of the round before. The same inputs on the same machine give the same bytes; a killed training that starts again goes on
from its last checkpoint and ends with the same bytes too. Not here: which lessons (`assay.pool`) and whether the model got better
(`assay.evaluation`). Not covered: several GPUs, packing, preference losses.
"""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay import canonical
from assay.errors import TrainingError
from assay.models import ModelSpec, Quantization, chat, source
from assay.models.chat import Chat, Encoded
from assay.records import Lesson, Step

EMPTY = "EMPTY"
"""marker file of an adapter folder that stands for the base model"""
_VERSION = 1  # counted up when the same inputs would give another adapter


@dataclass(frozen=True)
class TrainSpec:
    """How to train."""

    rank: int = 16
    """of the LoRA matrices"""
    alpha: int = 32
    """LoRA's scale is alpha / rank"""
    epochs: int = 2
    """passes over the lessons, 1 and up"""
    learning_rate: float = 3e-4
    """at its highest"""
    batch_rows: int = 4
    """lessons a step"""
    max_tokens: int = 1024
    """longest lesson; a longer one is refused, never cut"""
    quantization: Quantization = "nf4"
    """of the frozen base"""
    warmup: float = 0.1
    """share of the steps over which the rate rises, before it falls as a cosine: 0 .. 1"""
    threads: int = 2
    """of the CPU; part of what the bytes depend on"""
    seed: int = 0
    """of the fresh adapter and the order of lessons"""
    gradient_checkpointing: bool = False
    """compute activations twice to hold fewer"""
    continue_from_previous: bool = True
    """start from the adapter of the round before; False: from a fresh one"""
    micro_tokens: int = 1280
    """padded tokens in one forward pass; a step's rows are cut into such parts, which changes its gradient by rounding only"""
    checkpoint_steps: int = 10
    """steps between checkpoints"""


def train(
    lessons: Sequence[Lesson],
    model: ModelSpec,
    previous_adapter: Path | None,
    spec: TrainSpec,
    out: Path,
    work: Path,
    on_step: Callable[[Step, int], None],
) -> tuple[Step, ...]:
    """Train an adapter and check that it can be loaded and changes the model.

    Args:
        lessons: what to learn; none at all copies the previous adapter, or writes an empty one.
        model: the base.
        previous_adapter: of the round before; None or a folder without weights is none.
        spec: how to train.
        out: the adapter's folder; replaced when it is there.
        work: where checkpoints are kept until the end.
        on_step: called after each step with the number of steps in all; a resumed training calls it for the next step on.

    Returns:
        Every step, those before a resumption included.

    Raises:
        TrainingError: a lesson can't be trained on, 4-bit weights can't be had, or the adapter changes nothing.
        ModelError: there is no such model.
    """
    previous = previous_adapter if source.has_adapter(previous_adapter) else None
    if not lessons:
        _carry(previous, out)
        return ()
    base = source.resolve(model)
    rows = check(lessons, chat.load(base.path), spec.max_tokens)
    key = _key(lessons, source.identity(model, base, None), source.adapter_sha(previous), spec)
    from assay.training import loop

    weights = [lesson.weight for lesson in lessons]
    start = previous if spec.continue_from_previous else None
    job = loop.Job(base.path, source.dtype_name(model), source.device_name(model), start, spec, rows, weights)
    return loop.run(job, out, work / f"{key}.pt", on_step)


def check(lessons: Sequence[Lesson], text: Chat, max_tokens: int) -> list[Encoded]:
    """Encode all lessons before anything is loaded.

    Raises:
        TrainingError: naming the first lesson that is too long, carries no loss, or has no weight.
    """
    rows = []
    for lesson in lessons:
        try:
            row = text.encode(lesson.messages)
        except TrainingError as error:
            raise TrainingError(f"lesson {lesson.lesson_id}: {error}") from error
        if len(row.ids) > max_tokens:
            raise TrainingError(f"lesson {lesson.lesson_id}: {len(row.ids)} tokens, the longest allowed is {max_tokens}")
        if not any(row.trained):
            raise TrainingError(f"lesson {lesson.lesson_id}: no token of it carries loss")
        if not 0 < lesson.weight < float("inf"):
            raise TrainingError(f"lesson {lesson.lesson_id}: weight {lesson.weight}, expected a number above 0")
        rows.append(row)
    return rows


def _key(lessons: Sequence[Lesson], base: str, previous: str | None, spec: TrainSpec) -> str:
    content = [[[[turn.role, turn.content] for turn in lesson.messages], lesson.weight] for lesson in lessons]
    numbers = {name: value for name, value in dataclasses.asdict(spec).items() if name != "checkpoint_steps"}
    return canonical.sha([_VERSION, base, previous, numbers, content])


def _carry(previous: Path | None, out: Path) -> None:
    """An adapter folder without training."""
    with source.replaced_folder(out) as made:
        if previous is None:
            (made / EMPTY).write_text("no lessons yet: the base model\n", encoding="utf-8")
            return
        for name in ("adapter_config.json", "adapter_model.safetensors"):
            shutil.copyfile(previous / name, made / name)
