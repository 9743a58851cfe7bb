"""Small models of HuggingFace's classes with random weights: nothing is downloaded.

Each has what the large ones of its kind have; widths and numbers of layers are small, so that a
step takes milliseconds.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch

from . import packages

Inputs = dict[str, torch.Tensor]
WORDS = 1000
"""Of each vocabulary."""


@dataclass(frozen=True)
class Model:
    """A model, and what it is given."""

    name: str
    make: Callable[[], torch.nn.Module]
    inputs: Callable[[int], Inputs]
    """By batch, which is the size that changes where shapes are dynamic."""


def texts(length: int = 64, **others: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    """Numbers of words, with labels and whatever else is made of them."""

    def inputs(batch: int) -> Inputs:
        words = torch.randint(0, WORDS, (batch, length))
        return {"input_ids": words, **{name: make(words) for name, make in others.items()}}

    return inputs


def pictures(batch: int) -> Inputs:
    """Of 64 by 64 pixels."""
    return {"pixel_values": torch.randn(batch, 3, 64, 64), "labels": torch.randint(0, 10, (batch,))}


def _of(model: str, config: str, **settings: Any) -> Callable[[], torch.nn.Module]:
    def make() -> torch.nn.Module:
        packages.use()
        # These would import torchao, which asks then whether there is a GPU: its own cases say so.
        with _hidden("torchao"):
            import transformers

            torch.manual_seed(0)
            made = getattr(transformers, model)(getattr(transformers, config)(**settings))
        return made.eval()  # Without dropout, so that results can be compared.

    return make


@contextmanager
def _hidden(package: str) -> Iterator[None]:
    """Inside the block, a package that was not imported is not there."""
    if package in sys.modules:
        yield
        return
    sys.modules[package] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[package]


_WIDTH = {"hidden_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
_TEXT = {**_WIDTH, "vocab_size": WORDS, "intermediate_size": 256}
_SMALL_WORDS = {**_TEXT, "embedding_size": 64}
_LLAMA = {**_TEXT, "num_key_value_heads": 2, "tie_word_embeddings": False}
_CAUSAL = texts(labels=torch.clone)

MODELS = (
    Model("BERT", _of("BertForMaskedLM", "BertConfig", **_TEXT), _CAUSAL),
    Model("RoBERTa", _of("RobertaForMaskedLM", "RobertaConfig", **_TEXT), _CAUSAL),
    Model("ELECTRA", _of("ElectraForMaskedLM", "ElectraConfig", **_SMALL_WORDS), _CAUSAL),
    Model("ALBERT", _of("AlbertForMaskedLM", "AlbertConfig", **_SMALL_WORDS), _CAUSAL),
    Model(
        "DistilBERT",
        _of("DistilBertForMaskedLM", "DistilBertConfig", dim=128, n_layers=2, n_heads=4,
            hidden_dim=256, vocab_size=WORDS),
        _CAUSAL,
    ),
    Model("MPNet", _of("MPNetForMaskedLM", "MPNetConfig", **_TEXT), _CAUSAL),
    Model(
        "GPT-2",
        _of("GPT2LMHeadModel", "GPT2Config", n_embd=128, n_layer=2, n_head=4, vocab_size=WORDS,
            bos_token_id=1, eos_token_id=2),
        _CAUSAL,
    ),
    Model(
        "GPT-NeoX",
        _of("GPTNeoXForCausalLM", "GPTNeoXConfig", bos_token_id=1, eos_token_id=2, **_TEXT),
        _CAUSAL,
    ),
    Model(
        "OPT",
        _of("OPTForCausalLM", "OPTConfig", ffn_dim=256, vocab_size=WORDS, word_embed_proj_dim=128,
            **_WIDTH),
        _CAUSAL,
    ),
    Model("Llama", _of("LlamaForCausalLM", "LlamaConfig", **_LLAMA), _CAUSAL),
    Model(
        "Mistral",
        _of("MistralForCausalLM", "MistralConfig", sliding_window=16, **_LLAMA),
        _CAUSAL,
    ),
    Model("Qwen2", _of("Qwen2ForCausalLM", "Qwen2Config", **_LLAMA), _CAUSAL),
    Model("Gemma", _of("GemmaForCausalLM", "GemmaConfig", head_dim=32, **_LLAMA), _CAUSAL),
    Model(
        "T5",
        _of("T5ForConditionalGeneration", "T5Config", d_model=128, d_kv=32, d_ff=256, num_layers=2,
            num_heads=4, vocab_size=WORDS, decoder_start_token_id=0),
        _CAUSAL,
    ),
    Model(
        "BART",
        _of("BartForConditionalGeneration", "BartConfig", d_model=128, encoder_layers=2,
            decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4,
            encoder_ffn_dim=256, decoder_ffn_dim=256, vocab_size=WORDS),
        _CAUSAL,
    ),
    Model(
        "ViT",
        _of("ViTForImageClassification", "ViTConfig", image_size=64, patch_size=16, num_labels=10,
            intermediate_size=256, **_WIDTH),
        pictures,
    ),
    Model(
        "ConvNeXt",
        _of("ConvNextForImageClassification", "ConvNextConfig", depths=[1, 1, 2, 1],
            hidden_sizes=[16, 32, 64, 128], num_labels=10),
        pictures,
    ),
    Model(
        "ResNet",
        _of("ResNetForImageClassification", "ResNetConfig", depths=[1, 1, 1, 1],
            hidden_sizes=[32, 64, 128, 128], embedding_size=32, num_labels=10),
        pictures,
    ),
)  # fmt: skip


def step(run: Callable[..., Any], model: torch.nn.Module, inputs: Inputs) -> list[torch.Tensor]:
    """Loss, logits and the gradients of all parameters; `run` is the model, or it compiled."""
    model.zero_grad(set_to_none=True)
    out = run(**inputs)
    out.loss.backward()
    return [out.loss.detach(), out.logits.detach(), *(
        p.grad for p in model.parameters() if p.grad is not None
    )]  # fmt: skip
