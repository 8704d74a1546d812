"""The batch sampler: one unit of work, drawn token by token in plain torch.

Attempts of one prompt share its prefill; a row that ended gives its slot to the last live one, so a batch only shrinks. Every row
draws from its own stream of uniform numbers (Philox, keyed by its seed), one number a token, by inverting the cumulative
distribution: u falls on the first token whose cumulated probability exceeds it. Temperature and top-p are applied in float32.
Not covered: penalties, beams, logits out of vocabulary masks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from transformers.cache_utils import DynamicCache

from assay.models import Completion, Sampling
from assay.models.chat import Chat
from assay.models.fences import closed
from assay.models.slots import Slots

_PREFILL_TOKENS = 4096  # in one forward pass
_TOP = 512  # candidates that top-p looks at before it sorts everything


@dataclass(frozen=True)
class Unit:
    """What is generated as one batch."""

    prompts: tuple[tuple[int, ...], ...]
    """distinct prompts as tokens"""
    rows: tuple[tuple[int, int], ...]
    """a row's prompt (an index) and seed"""


class _Row:
    """One completion that is being written."""

    def __init__(self, chat: Chat, thinking: bool, seed: int, sampling: Sampling) -> None:
        self._chat, self._thinking, self._sampling = chat, thinking, sampling
        self._uniform = np.random.Generator(np.random.Philox(key=seed)).random(sampling.max_new_tokens, dtype=np.float64)
        self._ticks = False
        self.ids: list[int] = []
        self.finish: Literal["stop", "length"] | None = None

    @property
    def uniform(self) -> float:
        return float(self._uniform[len(self.ids)])

    def take(self, token: int) -> None:
        self.ids.append(token)
        if token in self._chat.stops or (self._sampling.stop_at_fence and self._fence(token)):
            self.finish = "stop"
        elif len(self.ids) == self._sampling.max_new_tokens:
            self.finish = "length"

    def _fence(self, token: int) -> bool:
        """Looks at the whole text only where a line with a fence may just have ended."""
        piece = self._chat.text([token])
        self._ticks = self._ticks or "`" in piece or "~" in piece
        if not self._ticks or "\n" not in piece:
            return False
        tail = self._chat.text(self.ids[-12:])
        return ("```" in tail or "~~~" in tail) and closed(self._chat.text(self.ids), self._thinking)

    def completion(self) -> Completion:
        assert self.finish is not None
        return Completion(self._chat.text(self.ids), len(self.ids), self.finish)


@torch.inference_mode()
def generate(model: Any, chat: Chat, unit: Unit, sampling: Sampling) -> list[Completion]:
    """The completions of a unit, in the order of its rows."""
    thinking = [chat.opens_thinking(prompt) for prompt in unit.prompts]
    rows = [_Row(chat, thinking[prompt], seed, sampling) for prompt, seed in unit.rows]
    width = max(len(prompt) for prompt in unit.prompts)
    slots = Slots(len(rows), width + sampling.max_new_tokens)
    logits = _prefill(model, unit, width, slots)
    seen = torch.zeros(len(rows), width + sampling.max_new_tokens, dtype=torch.int64, device=logits.device)
    lengths = torch.tensor([len(unit.prompts[prompt]) for prompt, _ in unit.rows], device=logits.device)
    seen[:, :width] = torch.arange(width, device=logits.device) >= (width - lengths)[:, None]
    live = list(rows)
    at = width
    while True:
        for row, token in zip(live, draw(logits, [row.uniform for row in live], sampling), strict=True):
            row.take(token)
        _retire(live, slots, seen, lengths)
        if not live:
            return [row.completion() for row in rows]
        seen[:, at] = 1
        at += 1
        ids = torch.tensor([[row.ids[-1]] for row in live], device=logits.device)
        logits = model(
            input_ids=ids,
            attention_mask=seen[: len(live), :at],
            position_ids=lengths[: len(live), None],
            cache=slots.cache,
            use_cache=True,
        ).logits[:, -1]
        lengths += 1


def _prefill(model: Any, unit: Unit, width: int, slots: Slots) -> torch.Tensor:
    """Run the distinct prompts, left-padded; (rows, vocabulary): what follows each row's prompt."""
    device = model.device
    step = max(1, _PREFILL_TOKENS // width)
    owner = torch.tensor([prompt for prompt, _ in unit.rows], device=device)
    last: list[torch.Tensor] = []
    for start in range(0, len(unit.prompts), step):
        chunk = unit.prompts[start : start + step]
        ids = torch.tensor([[0] * (width - len(prompt)) + list(prompt) for prompt in chunk], device=device)
        mask = torch.tensor([[0] * (width - len(prompt)) + [1] * len(prompt) for prompt in chunk], device=device)
        prompts = DynamicCache()
        positions = (mask.cumsum(1) - 1).clamp(min=0)
        out = model(input_ids=ids, attention_mask=mask, position_ids=positions, cache=prompts, use_cache=True, logits_to_keep=1)
        last.append(out.logits[:, -1])
        mine = ((owner >= start) & (owner < start + len(chunk))).nonzero()[:, 0]
        slots.fill(prompts, owner[mine] - start, mine)
    return torch.cat(last)[owner]


def _retire(live: list[_Row], slots: Slots, seen: torch.Tensor, lengths: torch.Tensor) -> None:
    """Take ended rows out; the last live row moves into each gap."""
    for at in range(len(live) - 1, -1, -1):
        if live[at].finish is None:
            continue
        last = len(live) - 1
        if at != last:
            slots.move(last, at)
            seen[at], lengths[at], live[at] = seen[last].clone(), lengths[last].clone(), live[last]
        live.pop()
    slots.keep(len(live))


def draw(logits: torch.Tensor, uniform: Sequence[float], sampling: Sampling) -> list[int]:
    """One token a row.

    Args:
        logits: (rows, vocabulary), any float.
        uniform: a number in [0, 1) for each row.
        sampling: temperature and top-p.
    """
    logits = logits[: len(uniform)].float()
    if sampling.temperature <= 0:
        return [int(token) for token in logits.argmax(-1)]
    probability = torch.softmax(logits / sampling.temperature, -1)
    numbers = torch.tensor(uniform, dtype=torch.float32, device=logits.device)[:, None]
    if sampling.top_p >= 1:
        return [int(token) for token in _invert(probability, numbers)]
    count = min(_TOP, probability.shape[-1])
    top, tokens = probability.topk(count, -1)
    if bool((top.sum(-1) < sampling.top_p).any()):  # a flat distribution: look at all of it
        top, tokens = probability.sort(stable=True, dim=-1, descending=True)
    before = top.cumsum(-1) - top
    places = _invert(torch.where(before < sampling.top_p, top, 0.0), numbers)
    return [int(token) for token in tokens.gather(-1, places[:, None])[:, 0]]


def _invert(probability: torch.Tensor, numbers: torch.Tensor) -> torch.Tensor:
    cumulated = probability.cumsum(-1)
    found = torch.searchsorted(cumulated, numbers * cumulated[:, -1:], right=True)[:, 0]
    return torch.minimum(found, (cumulated < cumulated[:, -1:]).sum(-1))
