"""Weights on this machine: the requests are cut into units of work, and units go to one process or to several.

How units are cut depends on the full list of requests alone, and a unit is generated whole or not at all, on one thread; so the
number of workers changes nothing, and after a kill an unfinished unit is generated again and gives the same completions.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from assay.errors import ModelError
from assay.models import Completion, ModelSpec, Request, Sampling, chat, source
from assay.models.chat import Chat
from assay.models.pool import Pool, Task, Weights
from assay.records import Message

UNIT_ROWS = 64
UNIT_TOKENS = {"cpu": 32_768, "cuda": 262_144}


@dataclass(frozen=True)
class Planned:
    """A unit and whose completions it gives."""

    requests: tuple[Request, ...]
    """in the order of the unit's rows"""
    prompts: tuple[tuple[int, ...], ...]
    """distinct prompts as tokens"""
    owners: tuple[int, ...]
    """each row's prompt"""


class _Engine(Protocol):
    def run(self, tasks: Sequence[Task]) -> Iterator[tuple[int, list[Completion]]]: ...

    def close(self) -> None: ...


class LocalModel:
    """A model of transformers, sampled by `assay.models.sampler`.

    Args:
        spec: which model.
        adapter: a LoRA folder or None.
        workers: processes; one means this process.
    """

    peers_matter = True

    def __init__(self, spec: ModelSpec, adapter: Path | None, workers: int) -> None:
        base = source.resolve(spec)
        self._device = source.device_name(spec)
        self._chat = chat.load(base.path)
        self._context = _context(base.path)
        self._weights = Weights(
            folder=str(base.path.resolve()),
            adapter=str(adapter.resolve()) if adapter is not None and source.has_adapter(adapter) else None,
            dtype=source.dtype_name(spec),
            quantization=spec.quantization,
            device=self._device,
        )
        self._workers = 1 if self._device == "cuda" else workers
        self._engine: _Engine | None = None
        self.identity = source.identity(spec, base, adapter)

    def complete(
        self,
        requests: Sequence[Request],
        sampling: Sampling,
        on_done: Callable[[Request, Completion], None],
        done: Container[str] = (),
    ) -> None:
        """See `assay.models.Model`."""
        units = plan(requests, self._chat, sampling.max_new_tokens, UNIT_TOKENS[self._device], self._context)
        open_units = [unit for unit in units if any(request.key not in done for request in unit.requests)]
        if not open_units:
            return
        if self._engine is None:
            self._engine = _InProcess(self._weights, self._chat) if self._workers == 1 else Pool(self._weights, self._workers)
        tasks = [_task(unit, sampling) for unit in open_units]
        for at, completions in self._engine.run(tasks):
            for request, completion in zip(open_units[at].requests, completions, strict=True):
                if request.key not in done:
                    on_done(request, completion)

    def count(self, messages: Sequence[Message]) -> int:
        """See `assay.models.Model`."""
        return len(self._chat.prompt(messages))

    def close(self) -> None:
        """See `assay.models.Model`."""
        if self._engine is not None:
            self._engine.close()
            self._engine = None


def plan(requests: Sequence[Request], text: Chat, new_tokens: int, unit_tokens: int, context: int | None) -> list[Planned]:
    """Cut requests into units: rows of similar length together, a prompt's rows side by side.

    Args:
        requests: the full list; its order doesn't matter.
        text: the model's chat.
        new_tokens: the most that a completion takes.
        unit_tokens: rows times (prompt + new tokens) stay below this where a unit has several rows.
        context: the most that the model takes; None when it doesn't say.

    Raises:
        ModelError: two requests of one key, an empty prompt, or a prompt that doesn't fit.
    """
    if len({request.key for request in requests}) != len(requests):
        raise ModelError("two requests have the same key")
    prompts = {request.messages: text.prompt(request.messages) for request in requests}
    for request in requests:
        length = len(prompts[request.messages])
        if length == 0 or (context is not None and length + new_tokens > context):
            raise ModelError(f"{request.key}: a prompt of {length} and {new_tokens} new tokens; the model takes 1 to {context}")
    order = sorted(requests, key=lambda request: (len(prompts[request.messages]), prompts[request.messages], request.key))
    units: list[Planned] = []
    while order:
        size = 1
        while size < min(UNIT_ROWS, len(order)):
            if (size + 1) * (len(prompts[order[size].messages]) + new_tokens) > unit_tokens:
                break
            size += 1
        chosen, order = order[:size], order[size:]
        distinct = tuple(ids for ids, _ in itertools.groupby(prompts[request.messages] for request in chosen))
        place = {ids: at for at, ids in enumerate(distinct)}
        units.append(Planned(tuple(chosen), distinct, tuple(place[prompts[request.messages]] for request in chosen)))
    return units


def _task(unit: Planned, sampling: Sampling) -> Task:
    rows = tuple((owner, request.seed) for owner, request in zip(unit.owners, unit.requests, strict=True))
    return Task(unit.prompts, rows, sampling)


def _context(folder: Path) -> int | None:
    from transformers import AutoConfig

    try:
        config = AutoConfig.from_pretrained(folder, local_files_only=True)
    except (OSError, ValueError, KeyError) as error:
        raise ModelError(f"{folder}: no model configuration to be loaded: {str(error).strip().splitlines()[0]}") from error
    length = getattr(config.get_text_config(), "max_position_embeddings", None)
    return int(length) if length else None


class _InProcess:
    """The same work as a worker's, here: no process to start."""

    def __init__(self, weights: Weights, text: Chat) -> None:
        self._weights, self._chat = weights, text
        self._model: Any = None

    def run(self, tasks: Sequence[Task]) -> Iterator[tuple[int, list[Completion]]]:
        import torch

        from assay.models.sampler import Unit, generate

        threads = torch.get_num_threads()
        for at, task in enumerate(tasks):
            torch.set_num_threads(1)
            try:
                if self._model is None:
                    self._model = self._weights.load()
                completions = generate(self._model, self._chat, Unit(task.prompts, task.rows), task.sampling)
            finally:
                torch.set_num_threads(threads)
            yield at, completions

    def close(self) -> None:
        self._model = None
