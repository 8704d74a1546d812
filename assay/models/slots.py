"""A key-value cache whose rows are slots: filled from shared prompts, moved when a row ends, never copied as a whole.

Every layer holds (rows, heads, columns, head size) buffers made once; the model sees a view of the live rows and the columns so far.
Not covered: models with recurrent layers, and sliding windows only by mask (all columns are kept).
"""

from __future__ import annotations

from typing import Any

import torch
from transformers.cache_utils import Cache, CacheLayerMixin


class _Layer(CacheLayerMixin):  # type: ignore[no-untyped-call]
    is_sliding = False
    keys: Any
    values: Any

    def __init__(self, like: torch.Tensor, like_values: torch.Tensor, rows: int, columns: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        heads = like.shape[1]
        self.keys = torch.zeros(rows, heads, columns, like.shape[3], dtype=like.dtype, device=like.device)
        self.values = torch.zeros(rows, heads, columns, like_values.shape[3], dtype=like.dtype, device=like.device)
        self.is_initialized = True
        self.length, self.live = 0, rows

    def lazy_initialization(self, key_states: torch.Tensor, value_states: torch.Tensor) -> None:
        pass

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *_: Any, **__: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        end = self.length + key_states.shape[2]
        self.keys[: self.live, :, self.length : end] = key_states
        self.values[: self.live, :, self.length : end] = value_states
        self.length = end
        return self.keys[: self.live, :, :end], self.values[: self.live, :, :end]

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        return self.length + query_length, 0

    def get_seq_length(self) -> int:
        return self.length

    def get_max_length(self) -> int:
        return int(self.keys.shape[2])


class Slots:
    """The cache of one unit of work.

    Args:
        rows: completions in the unit.
        columns: the longest prompt plus the most new tokens.
    """

    def __init__(self, rows: int, columns: int) -> None:
        self._rows, self._columns = rows, columns
        self._layers: list[_Layer] = []
        self._cache: Cache | None = None

    @property
    def cache(self) -> Cache:
        """What the model is given."""
        if self._cache is None:
            self._cache = Cache(layers=list(self._layers))
        return self._cache

    def fill(self, prompts: Any, chosen: torch.Tensor, rows: torch.Tensor) -> None:
        """Copy prefilled prompts into slots.

        Args:
            prompts: a DynamicCache; (prompts, heads, width, head size) in every layer.
            chosen: (n,) int64: which prompt a slot gets.
            rows: (n,) int64: which slot.
        """
        if not self._layers:
            self._layers = [_Layer(layer.keys, layer.values, self._rows, self._columns) for layer in prompts.layers]
        for mine, theirs in zip(self._layers, prompts.layers, strict=True):
            mine.length = theirs.keys.shape[2]
            mine.keys[rows, :, : mine.length] = theirs.keys[chosen]
            mine.values[rows, :, : mine.length] = theirs.values[chosen]

    def move(self, source: int, target: int) -> None:
        """Copy one slot over another."""
        for layer in self._layers:
            layer.keys[target, :, : layer.length] = layer.keys[source, :, : layer.length]
            layer.values[target, :, : layer.length] = layer.values[source, :, : layer.length]

    def keep(self, live: int) -> None:
        """Only the first `live` slots go on."""
        for layer in self._layers:
            layer.live = live
