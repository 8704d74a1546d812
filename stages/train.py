"""train ROUND: a LoRA adapter from the round's lessons. Writes adapter/, steps.parquet, and loss.csv for `dvc plots`."""

from __future__ import annotations

from assay import tables, training
from assay.progress import Progress
from assay.records import Lesson, Step
from assay.training import TrainSpec
from stages import asking
from stages.context import Context, main, rounds, say


def train(context: Context) -> None:
    """Go on from the adapter of the round before, on the lessons of this round."""
    home, numbers = context.round_folder(), context.settings.train
    lessons = tables.read(home / "lessons.parquet", Lesson)
    spec = TrainSpec(
        rank=numbers.rank,
        alpha=numbers.alpha,
        epochs=numbers.epochs,
        learning_rate=numbers.learning_rate,
        batch_rows=numbers.batch_rows,
        warmup=numbers.warmup,
        quantization=numbers.quantization,
        threads=numbers.threads,
        max_tokens=context.settings.pool.max_tokens,
        seed=context.settings.seed,
    )
    progress: list[Progress] = []

    def on_step(step: Step, total: int) -> None:
        if not progress:
            progress.append(Progress("training steps", total))
            progress[0].add(step.step - 1)
        progress[0].add(note=f"loss {step.loss:.3f}")

    previous = context.round_folder(context.previous) / "adapter"
    work = context.cache / "training"
    steps = training.train(lessons, asking.model_spec(context), previous, spec, home / "adapter", work, on_step)
    tables.write(home / "steps.parquet", steps, Step)
    lines = ["step,loss,learning_rate", *(f"{row.step},{row.loss!r},{row.learning_rate!r}" for row in steps)]
    tables.write_text(home / "loss.csv", "\n".join(lines) + "\n")
    said = f"loss {steps[0].loss:.3f} -> {steps[-1].loss:.3f}" if steps else "no lessons, the adapter stays as it was"
    say(f"{context.name}: {len(lessons)} lessons, {len(steps)} steps, {said}")


if __name__ == "__main__":
    main(train, argument="round", choices=rounds)
