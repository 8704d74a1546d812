"""A model's tokenizer and chat template: prompts for sampling, and conversations with a loss mask for training.

Sampling and training must see the same tokens, so a conversation is encoded as its prompt (exactly what the sampler would be given)
followed by the last turn, each tokenised on its own. Loss falls on the last turn's text and its end-of-turn token and on nothing
after it. Padding isn't here: both users pad by attention mask, since the padding token may be the end token.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import ModelError, TrainingError
from assay.models import ModelSpec, source
from assay.records import Message


@dataclass(frozen=True)
class Encoded:
    """A conversation as tokens."""

    ids: tuple[int, ...]
    """the whole conversation, up to the last end-of-turn token"""
    trained: tuple[bool, ...]
    """same length: whether predicting this token carries loss"""


class Chat:
    """The text side of a model.

    Args:
        tokenizer: of transformers, with a chat template.
        stops: ids that end a turn.
    """

    def __init__(self, tokenizer: Any, stops: frozenset[int]) -> None:
        self._tokenizer = tokenizer
        self.stops = stops
        self._prompt = functools.lru_cache(maxsize=4096)(self._make_prompt)

    def prompt(self, messages: Sequence[Message]) -> tuple[int, ...]:
        """The tokens that a completion follows."""
        return self._prompt(tuple(messages))

    def encode(self, messages: Sequence[Message]) -> Encoded:
        """A conversation with its loss mask.

        Raises:
            TrainingError: the last turn isn't the assistant's, or the template doesn't set it apart.
        """
        if not messages or messages[-1].role != "assistant":
            raise TrainingError("a conversation to train on must end with a turn of the assistant")
        before = self._text(messages[:-1], open_turn=True)
        whole = self._text(messages, open_turn=False)
        if not whole.startswith(before):
            raise TrainingError("the chat template doesn't continue its own prompt, so the last turn can't be told apart")
        prompt, turn = self._ids(before), self._ids(whole[len(before) :])
        ends = [at for at, token in enumerate(turn) if token in self.stops]
        if not ends:
            raise TrainingError("the chat template ends the assistant's turn without an end-of-turn token")
        turn = turn[: ends[-1] + 1]
        trained = bool(messages[-1].content.strip())
        return Encoded(tuple(prompt + turn), (False,) * len(prompt) + (trained,) * len(turn))

    def count_tokens(self, messages: Sequence[Message]) -> tuple[int, int]:
        """Tokens of a conversation, and how many of them carry loss."""
        encoded = self.encode(messages)
        return len(encoded.ids), sum(encoded.trained)

    def text(self, ids: Sequence[int]) -> str:
        """Tokens as text, special ones left out."""
        return str(self._tokenizer.decode(list(ids), skip_special_tokens=True, clean_up_tokenization_spaces=False))

    def opens_thinking(self, prompt: Sequence[int]) -> bool:
        """Whether the template has written the opening tag of the model's thinking."""
        tail = str(self._tokenizer.decode(list(prompt[-16:]), skip_special_tokens=False))
        return tail.rstrip().endswith(("<think>", "<thinking>"))

    def _make_prompt(self, messages: tuple[Message, ...]) -> tuple[int, ...]:
        return tuple(self._ids(self._text(messages, open_turn=True)))

    def _ids(self, text: str) -> list[int]:
        return list(self._tokenizer(text, add_special_tokens=False)["input_ids"])

    def _text(self, messages: Sequence[Message], open_turn: bool) -> str:
        from jinja2 import TemplateError

        turns = [{"role": message.role, "content": message.content} for message in messages]
        try:
            return str(self._tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=open_turn))
        except (TemplateError, ValueError) as error:
            raise ModelError(f"the chat template can't write these turns: {str(error).splitlines()[0]}") from error


def load(folder: Path) -> Chat:
    """The chat of a model's folder.

    Raises:
        ModelError: no tokenizer, no chat template or no end token in it.
    """
    from transformers import AutoTokenizer, GenerationConfig

    from assay.models.weights import quiet

    try:
        with quiet():
            tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    except (OSError, ValueError, KeyError) as error:
        raise ModelError(f"{folder}: no tokenizer to be loaded: {str(error).strip().splitlines()[0]}") from error
    if not tokenizer.chat_template:
        raise ModelError(f"{folder}: the tokenizer has no chat template: take an instruction-tuned model")
    stops = {tokenizer.eos_token_id}
    if (folder / "generation_config.json").is_file():
        named = GenerationConfig.from_pretrained(folder, local_files_only=True).eos_token_id
        stops |= set(named) if isinstance(named, list) else {named}
    stops.discard(None)
    if not stops:
        raise ModelError(f"{folder}: the tokenizer names no end-of-turn token")
    return Chat(tokenizer, frozenset(int(stop) for stop in stops))


def open_counter(spec: ModelSpec) -> Callable[[Sequence[Message]], tuple[int, int]]:
    """What counts a conversation's tokens, and those that carry loss: by the tokenizer, and by an estimate for a server's model.

    Raises:
        ModelError: there is no such model.
    """
    if spec.source == "server":
        return lambda messages: (estimate(messages), estimate(messages[-1:]))
    return load(source.resolve(spec, weights=False).path).count_tokens


def estimate(messages: Sequence[Message]) -> int:
    """Tokens of messages without a tokenizer: one for every four characters, and one for each end."""
    return sum(len(message.content) // 4 + 1 for message in messages)
