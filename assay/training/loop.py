"""The training loop: AdamW on the LoRA weights, a rate that rises and falls as a cosine, checkpoints, and the check of what was saved.

Everything that a step does follows from its number, the adapter and the optimiser's state, so those three are the checkpoint; no
random number is drawn after the adapter was made.
"""

from __future__ import annotations

import dataclasses
import json
import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from assay import canonical
from assay.errors import ModelError, StorageError, TrainingError
from assay.models import source, weights
from assay.models.chat import Encoded
from assay.records import Step
from assay.training.batches import order, parts, summed_losses

if TYPE_CHECKING:
    from assay.training import TrainSpec

_CLIP = 1.0


@dataclass(frozen=True)
class Job:
    """One training."""

    folder: Path
    """the base model"""
    dtype: str
    """of the base's weights, or of the arithmetic on 4-bit ones"""
    device: str
    """cpu or cuda"""
    start: Path | None
    """the adapter to go on from"""
    spec: TrainSpec
    """the numbers"""
    rows: Sequence[Encoded]
    """the lessons"""
    weights: Sequence[float]
    """their weights"""


def run(job: Job, out: Path, checkpoint: Path, on_step: Callable[[Step, int], None]) -> tuple[Step, ...]:
    """Train, save, load again and compare; see `assay.training.train`."""
    with _settled(job.spec.threads):
        model = _model(job)
        steps = _loop(job, model, checkpoint, on_step)
        _save(job, model, out)
    checkpoint.unlink(missing_ok=True)
    return tuple(steps)


@contextmanager
def _settled(threads: int) -> Iterator[None]:
    """Fixed threads and deterministic kernels; what was set before comes back."""
    before, strict = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    warn = torch.is_deterministic_algorithms_warn_only_enabled()
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.set_num_threads(threads)
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        yield
    finally:
        torch.set_num_threads(before)
        torch.use_deterministic_algorithms(strict, warn_only=warn)


def _model(job: Job) -> Any:
    """The base with a trainable float32 adapter around it."""
    spec = job.spec
    try:
        base = weights.load(job.folder, job.dtype, spec.quantization, job.device)
    except ModelError as error:
        raise TrainingError(f"training can't start: {error}") from error
    if spec.gradient_checkpointing:
        base.activation_checkpointing_enable(activation_checkpointing_kwargs={"use_reentrant": False})
        base.enable_input_require_grads()
    if job.start is not None:
        model = weights.attach(base, job.start, trainable=True)
        found = model.peft_config["default"]
        if (found.r, found.lora_alpha) != (spec.rank, spec.alpha):
            raise TrainingError(
                f"{job.start}: rank {found.r}, alpha {found.lora_alpha}; this training has rank {spec.rank}, alpha {spec.alpha}"
            )
    else:
        with torch.random.fork_rng(), weights.quiet():
            from peft import LoraConfig, get_peft_model

            torch.manual_seed(canonical.seed(spec.seed, "adapter"))
            config = LoraConfig(r=spec.rank, lora_alpha=spec.alpha, target_modules="all-linear", task_type="CAUSAL_LM")
            model = get_peft_model(base, config)
    return model.train()


def rate(spec: TrainSpec, step: int, total: int) -> float:
    """The learning rate of a step (1 .. total): linear up, then half a cosine down."""
    rising = max(1, round(spec.warmup * total)) if spec.warmup > 0 else 0
    if step <= rising:
        return spec.learning_rate * step / rising
    return spec.learning_rate * 0.5 * (1 + math.cos(math.pi * (step - rising - 1) / max(1, total - rising)))


def _loop(job: Job, model: Any, checkpoint: Path, on_step: Callable[[Step, int], None]) -> list[Step]:
    spec, lengths = job.spec, [len(row.ids) for row in job.rows]
    plan = order(lengths, spec.batch_rows, spec.epochs, spec.seed)
    trained = [sum(row.trained) for row in job.rows]
    mean_weight = sum(w * n for w, n in zip(job.weights, trained, strict=True)) / sum(trained)
    named = {name: value for name, value in model.named_parameters() if value.requires_grad}
    optimiser = torch.optim.AdamW(list(named.values()), lr=spec.learning_rate, weight_decay=0.0)
    steps = _restore(checkpoint, named, optimiser)
    for number in range(len(steps) + 1, len(plan) + 1):
        chosen = plan[number - 1]
        tokens = sum(trained[at] for at in chosen)
        total = 0.0
        for part in parts(chosen, lengths, spec.micro_tokens):
            losses = summed_losses(model, [job.rows[at] for at in part])
            scale = torch.tensor([job.weights[at] for at in part], device=losses.device) / (mean_weight * tokens)
            (losses * scale).sum().backward()  # type: ignore[no-untyped-call]
            total += float(losses.detach().sum())
        if not math.isfinite(total):
            raise TrainingError(f"step {number}: the loss is {total}; a lower learning rate may help")
        for group in optimiser.param_groups:
            group["lr"] = rate(spec, number, len(plan))
        torch.nn.utils.clip_grad_norm_(list(named.values()), _CLIP, foreach=False)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        steps.append(Step(number, total / tokens, rate(spec, number, len(plan)), sum(lengths[at] for at in chosen)))
        if number % spec.checkpoint_steps == 0 or number == len(plan):
            _keep(checkpoint, named, optimiser, steps)
        on_step(steps[-1], len(plan))
    return steps


def _keep(path: Path, named: dict[str, Any], optimiser: torch.optim.Optimizer, steps: Sequence[Step]) -> None:
    """Write a checkpoint under another name and rename it."""
    draft = path.with_suffix(f".{os.getpid()}.draft")
    state = {
        "adapter": {name: value.detach() for name, value in named.items()},
        "optimiser": optimiser.state_dict(),
        "steps": [dataclasses.astuple(step) for step in steps],
    }
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        torch.save(state, draft)
        draft.replace(path)
    except (OSError, RuntimeError) as error:
        draft.unlink(missing_ok=True)
        raise StorageError(f"{path}: the checkpoint can't be written: {error}") from error


def _restore(path: Path, named: dict[str, Any], optimiser: torch.optim.Optimizer) -> list[Step]:
    """Take up a checkpoint; an unreadable one counts as none."""
    if not path.is_file():
        return []
    try:
        state = torch.load(path, weights_only=True, map_location="cpu")
        steps = [Step(*row) for row in state["steps"]]
        saved = state["adapter"]
        if set(saved) != set(named):
            return []
    except Exception:  # whatever a torn file raises: training from the start gives the same result
        return []
    with torch.no_grad():
        for name, value in named.items():
            value.copy_(saved[name])
    optimiser.load_state_dict(state["optimiser"])
    return steps


def _save(job: Job, model: Any, out: Path) -> None:
    """Write the adapter, load it again and compare what it does with the base."""
    model.eval()
    row = min(job.rows, key=lambda row: len(row.ids))
    with source.replaced_folder(out) as made:
        with weights.quiet():
            model.save_pretrained(str(made), safe_serialization=True, save_embedding_layers=False)
        for path in list(made.iterdir()):
            if path.name not in ("adapter_config.json", "adapter_model.safetensors"):
                path.unlink()
        config = source.canonical_config(json.loads((made / "adapter_config.json").read_text("utf-8")))
        (made / "adapter_config.json").write_text(json.dumps(config, sort_keys=True, indent=1) + "\n", encoding="utf-8")
        trained = _logits(model, row)
        base = model.unload()
        plain = _logits(base, row)
        again = _logits(weights.attach(base, made, trainable=False), row)
        if not bool(torch.isfinite(again).all()) or torch.equal(again, plain):
            raise TrainingError("the saved adapter doesn't change what the model says")
        if not torch.allclose(again, trained, rtol=1e-3, atol=1e-2):
            raise TrainingError("the saved adapter isn't the trained one: loaded again it gives other logits")


@torch.inference_mode()
def _logits(model: Any, row: Encoded) -> torch.Tensor:
    ids = torch.tensor([list(row.ids)], device=model.device)
    logits: torch.Tensor = model(input_ids=ids, use_cache=False).logits.float()
    return logits
