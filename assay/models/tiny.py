"""A random Llama of 30,000 numbers or so with a tokenizer of bytes, made on the spot: for tests of everything around a model.

It loads as a local folder, trains and samples in milliseconds, and writes nonsense.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from assay.models.source import new_folder

TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)


def make(folder: Path, seed: int = 0, hidden: int = 32, layers: int = 2, context: int = 2048) -> Path:
    """Write a tiny model into a folder that isn't there yet; the same arguments give the same bytes.

    Args:
        folder: where; returned as it is when it exists.
        seed: of the weights.
        hidden: size of the hidden state, a multiple of 16.
        layers: 1 and up.
        context: longest conversation in tokens.
    """
    if folder.is_dir():
        return folder
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    from assay.models.weights import quiet

    with new_folder(folder) as made, quiet(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        tokenizer = _tokenizer()
        config = LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=hidden,
            intermediate_size=2 * hidden,
            num_hidden_layers=layers,
            num_attention_heads=4,
            num_key_value_heads=2,
            max_position_embeddings=context,
            bos_token_id=1,
            eos_token_id=2,
            pad_token_id=2,
            tie_word_embeddings=True,
            initializer_range=0.2,
        )
        LlamaForCausalLM(config).save_pretrained(made)
        tokenizer.save_pretrained(made)
    return folder


def _tokenizer() -> Any:
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    fast_class: Any = importlib.import_module("transformers").PreTrainedTokenizerFast

    specials = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={token: at for at, token in enumerate(specials + letters)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(token, normalized=False, special=True) for token in specials])
    fast = fast_class(tokenizer_object=tokenizer, eos_token=specials[2], pad_token=specials[2], bos_token=specials[1])
    fast.chat_template = TEMPLATE
    return fast
