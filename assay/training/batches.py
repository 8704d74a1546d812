"""Which lessons make a step, and in which order: rows of like length together, shuffled by seed alone."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

import torch

from assay import canonical
from assay.models.chat import Encoded

_LIKE = 16  # lengths that differ by less count as alike


def order(lengths: Sequence[int], rows: int, epochs: int, seed: int) -> list[list[int]]:
    """The lessons (by index) of every step of all epochs; each lesson stands once in each epoch."""
    steps: list[list[int]] = []
    for epoch in range(epochs):
        draw = random.Random(canonical.seed(seed, "order", epoch))
        places = list(range(len(lengths)))
        draw.shuffle(places)
        places.sort(key=lambda at: lengths[at] // _LIKE)
        cut = [places[start : start + rows] for start in range(0, len(places), rows)]
        draw.shuffle(cut)
        steps += cut
    return steps


def parts(step: Sequence[int], lengths: Sequence[int], tokens: int) -> Iterator[list[int]]:
    """Cut a step so that no part has more than `tokens` padded tokens, a single long row aside."""
    part: list[int] = []
    for at in sorted(step, key=lambda at: (lengths[at], at)):
        if part and (len(part) + 1) * lengths[at] > tokens:
            yield part
            part = []
        part.append(at)
    if part:
        yield part


def summed_losses(model: Any, rows: Sequence[Encoded]) -> torch.Tensor:
    """Each row's cross-entropy, summed over its trained tokens.

    Only the columns in which some row has a trained token go through the output layer.

    Args:
        model: of transformers or peft.
        rows: conversations with their masks.

    Returns:
        (rows,) float32, nats.
    """
    width = max(len(row.ids) for row in rows)
    ids = torch.tensor([list(row.ids) + [0] * (width - len(row.ids)) for row in rows], device=model.device)
    mask = torch.tensor([[1] * len(row.ids) + [0] * (width - len(row.ids)) for row in rows], device=model.device)
    trained = torch.tensor([list(row.trained) + [False] * (width - len(row.ids)) for row in rows], device=model.device)
    columns = trained[:, 1:].any(0).nonzero()[:, 0]  # a column predicts its right neighbour
    logits = model(input_ids=ids, attention_mask=mask, use_cache=False, logits_to_keep=columns).logits.float()
    targets = torch.where(trained, ids, -100)[:, columns + 1]
    losses = torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-100, reduction="none")
    return losses.view(len(rows), -1).sum(1)
