"""Loading weights: a folder, a number format and an adapter become a model of transformers that is ready to run.

For sampling an adapter is merged into unquantised weights, and kept beside quantised ones (merging would quantise again what was
rounded already). Not here: which folder (`assay.models.source`).
"""

from __future__ import annotations

import importlib
import importlib.util
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from logging import ERROR, NOTSET, getLogger
from pathlib import Path
from typing import Any

from safetensors import SafetensorError

from assay.errors import ModelError
from assay.models import Quantization


@contextmanager
def quiet() -> Iterator[None]:
    """No progress bars and no advice from the libraries within the block."""
    logging: Any = importlib.import_module("transformers.utils.logging")
    four_bit = getLogger("bitsandbytes")
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    four_bit.setLevel(ERROR)
    logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.set_verbosity(level)
        four_bit.setLevel(NOTSET)
        if bars:
            logging.enable_progress_bar()


def load(folder: Path, dtype: str, quantization: Quantization, device: str) -> Any:
    """A base model in evaluation mode, without gradients.

    Raises:
        ModelError: it can't be loaded, or 4-bit weights can't be had here.
    """
    import torch
    from transformers import AutoModelForCausalLM

    number = getattr(torch, dtype)
    options: dict[str, Any] = {"dtype": number, "local_files_only": True}
    try:
        with quiet():
            if quantization == "nf4":
                options |= {"quantization_config": _nf4(number), "device_map": {"": device}}
            model: Any = AutoModelForCausalLM.from_pretrained(folder, **options)
    except (OSError, ValueError, KeyError, RuntimeError, ImportError) as error:
        first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ModelError(f"{folder}: the model can't be loaded as {dtype}, quantization {quantization}: {first}") from error
    if quantization == "none":
        model = model.to(device)
    elif device == "cpu":
        _one_arithmetic(model)
    return model.eval().requires_grad_(False)


def load_adapted(folder: Path, adapter: Path | None, dtype: str, quantization: Quantization, device: str) -> Any:
    """A model for sampling: the base with its adapter merged in, or beside it when the base is quantised."""
    model = load(folder, dtype, quantization, device)
    if adapter is None:
        return model
    adapted = attach(model, adapter, trainable=False)
    return adapted.merge_and_unload() if quantization == "none" else adapted


def attach(model: Any, adapter: Path, trainable: bool) -> Any:
    """A base model with a saved adapter around it.

    Raises:
        ModelError: the adapter doesn't fit the model.
    """
    try:
        with quiet():
            from peft import PeftModel

            adapted = PeftModel.from_pretrained(model, str(adapter), is_trainable=trainable)
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise ModelError(f"{adapter}: the adapter can't be loaded: {str(error).strip().splitlines()[0]}") from error
    return adapted if trainable else adapted.eval()


def _nf4(compute: Any) -> Any:
    if importlib.util.find_spec("bitsandbytes") is None:
        raise ModelError("quantization nf4 needs bitsandbytes: pip install bitsandbytes, or set quantization to none")
    config: Any = importlib.import_module("transformers").BitsAndBytesConfig
    return config(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_use_double_quant=True, bnb_4bit_compute_dtype=compute)


def _one_arithmetic(model: Any) -> None:
    """No repacking of 4-bit weights for bfloat16 units, which not every CPU has, nor every shape allows."""
    for module in model.modules():
        if hasattr(module, "support_avx512bf16_for_cpu"):
            module.support_avx512bf16_for_cpu = False
