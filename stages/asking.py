"""Asking the model: attempts from conversations, with every finished completion kept below the stage.

Completions are keyed by the model's content, the conversation, the seed, the sampling numbers and the whole list that they were asked with
(rows of one batch share rounding), so a stage that was killed goes on where it was and ends with the same table.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay import canonical, extraction
from assay.errors import ModelError
from assay.models import Completion, Model, ModelSpec, Request, Sampling, open_model, sampler_identity
from assay.progress import Progress
from assay.records import Attempt, Instance, Message, Source
from assay.store import Store
from stages.context import Context
from stages.settings import SampleSettings


@dataclass(frozen=True)
class Question:
    """One conversation to be answered."""

    attempt_id: str
    instance_id: str
    draw: int
    messages: tuple[Message, ...]
    source: Source = "model"
    parent_id: str | None = None


def model_spec(context: Context) -> ModelSpec:
    """The model of the settings."""
    chosen = context.settings.model
    return ModelSpec(
        source=chosen.source,
        dtype=chosen.dtype,
        quantization=chosen.quantization,
        server_url=chosen.server_url,
        server_model=chosen.server_model,
        device=context.settings.runtime.device,
        cache=context.root / ".cache" / "models",
    )


def questions(context: Context, instances: Sequence[Instance], attempts: int) -> list[Question]:
    """`attempts` conversations an instance: the system's text and the prompt."""
    return [
        Question(
            attempt_id=f"{context.name}/{instance.instance_id}/model-{draw}",
            instance_id=instance.instance_id,
            draw=draw,
            messages=(Message("system", context.settings.model.system), Message("user", instance.prompt)),
        )
        for instance in instances
        for draw in range(attempts)
    ]


def ask(context: Context, wanted: Sequence[Question], numbers: SampleSettings, adapter: Path) -> list[Attempt]:
    """Have the model answer; one attempt a question, in their order."""
    if not wanted:
        return []
    if not any((adapter / name).is_file() for name in ("EMPTY", "adapter_model.safetensors")):
        raise ModelError(f"{adapter}: expected an adapter, or the marker EMPTY for the base model, received neither")
    model = open_model(model_spec(context), adapter, workers=context.settings.runtime.workers)
    try:
        requests = [
            Request(key=question.attempt_id, messages=question.messages, seed=_seed(context, question)) for question in wanted
        ]
        sampling = Sampling(temperature=numbers.temperature, top_p=numbers.top_p, max_new_tokens=numbers.max_new_tokens)
        with Store(context.cache / "completions.sqlite") as store:
            answers = _complete(model, requests, sampling, store)
        return [
            _attempt(context, question, request, answers[request.key], model.identity)
            for question, request in zip(wanted, requests, strict=True)
        ]
    finally:
        model.close()


def _seed(context: Context, question: Question) -> int:
    """The sampler's seed: the same draw of an instance has the same one in each round, so that rounds compare in pairs."""
    return canonical.seed(context.settings.seed, question.instance_id, question.source, question.draw) >> 16


def _complete(model: Model, requests: Sequence[Request], sampling: Sampling, store: Store) -> dict[str, Completion]:
    maker = [model.identity, sampler_identity(), dataclasses.asdict(sampling)]
    bare = [canonical.sha([maker, _plain(request)]) for request in requests]
    batch = canonical.sha(bare) if model.peers_matter else ""
    keys = {request.key: canonical.sha([key, batch]) for request, key in zip(requests, bare, strict=True)}
    stored = store.get_many(keys.values())
    answers = {name: Completion(**canonical.loads(stored[key])) for name, key in keys.items() if key in stored}
    progress = Progress("completions", len(requests))
    progress.add(len(answers), "kept from before")

    def keep(request: Request, completion: Completion) -> None:
        if request.key not in answers:
            store.put(keys[request.key], canonical.dumps(dataclasses.asdict(completion)))
            answers[request.key] = completion
            progress.add()

    if len(answers) < len(requests):
        model.complete(requests, sampling, on_done=keep, done=frozenset(answers))
    return answers


def _plain(request: Request) -> list[object]:
    return [[[message.role, message.content] for message in request.messages], request.seed]


def _attempt(context: Context, question: Question, request: Request, completion: Completion, identity: str) -> Attempt:
    text = completion.text.encode("utf-8", "replace").decode()  # half a character can't stand in a table
    found = extraction.extract(text)
    return Attempt(
        attempt_id=question.attempt_id,
        instance_id=question.instance_id,
        round=context.name,
        draw=question.draw,
        source=question.source,
        parent_id=question.parent_id,
        model_id=identity,
        seed=request.seed,
        messages=question.messages,
        completion=text,
        completion_tokens=completion.tokens,
        finish=completion.finish,
        submission=found.code,
        extraction=found.how,
    )
