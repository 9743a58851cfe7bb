"""vLLM's attention: over pages of a cache, in pieces, and what fills the cache."""

from __future__ import annotations

import torch
from vllm_cases import Run, attention, case, normal, paged, starts, vllm, whole

UNIFIED = "v1.attention.ops.triton_unified_attention"
QUERIES, TOKENS = whole(1, 7, 20), whole(40, 33, 20)


def sequences(
    lengths: torch.Tensor, heads: int, size: int, dtype: torch.dtype = torch.float32
) -> list[torch.Tensor]:
    return [normal(int(n), heads, size, dtype=dtype) for n in lengths]


def unified(
    dtype: torch.dtype, queries: torch.Tensor, tokens: torch.Tensor, window: int = 0,
    softcap: float = 0.0, has_sinks: bool = False, segments: int = 0, cache_dtype: str = "",
) -> tuple[Run, Run]:  # fmt: skip
    """One launch over sequences of which some only begin and others go on."""
    heads, size = 4, 32
    function = vllm(UNIFIED).unified_attention
    qs = sequences(queries, heads, size, dtype)
    ks, vs = sequences(tokens, 2, size, dtype), sequences(tokens, 2, size, dtype)
    if cache_dtype:
        small = getattr(torch, cache_dtype)
        ks, vs = ([x.to(small).to(dtype) for x in xs] for xs in (ks, vs))
    k, v, table = paged(16, ks, vs)
    if cache_dtype:
        k, v = k.to(small), v.to(small)
    scale = size**-0.5
    sinks = normal(heads, dtype=dtype) if has_sinks else None
    parts = (
        {
            "seq_threshold_3D": 64,
            "num_par_softmax_segments": segments,
            "softmax_segm_output": torch.empty(int(queries.sum()), heads, segments, size),
            "softmax_segm_max": torch.empty(int(queries.sum()), heads, segments),
            "softmax_segm_expsum": torch.empty(int(queries.sum()), heads, segments),
        }
        if segments
        else {}
    )

    def run() -> torch.Tensor:
        out = torch.full((int(queries.sum()), heads, size), float("nan"), dtype=dtype)
        one = torch.ones(1) if cache_dtype else None
        function(
            q=torch.cat(qs), k=k, v=v, out=out, cu_seqlens_q=starts(queries),
            max_seqlen_q=int(queries.max()), seqused_k=tokens, max_seqlen_k=int(tokens.max()),
            softmax_scale=scale, causal=True, window_size=(window - 1, 0) if window else (-1, -1),
            block_table=table, softcap=softcap, q_descale=None, k_descale=one, v_descale=one,
            sinks=sinks, **parts,
        )  # fmt: skip
        return out

    def reference() -> torch.Tensor:
        return torch.cat(
            [
                attention(*one, scale, window=window, softcap=softcap, sinks=sinks)
                for one in zip(qs, ks, vs, strict=True)
            ]
        )

    return run, reference


@case(UNIFIED, "kernel_unified_attention")
def unified_attention() -> tuple[Run, Run]:
    return unified(torch.float32, QUERIES, TOKENS)


@case(UNIFIED, "kernel_unified_attention", tolerance=2e-2)
def unified_attention_bf16() -> tuple[Run, Run]:
    return unified(torch.bfloat16, QUERIES, TOKENS)


@case(UNIFIED, "kernel_unified_attention")
def unified_attention_window_softcap_sinks() -> tuple[Run, Run]:
    return unified(torch.float32, QUERIES, TOKENS, window=9, softcap=5.0, has_sinks=True)


@case(UNIFIED, "kernel_unified_attention", "reduce_segments")
def unified_attention_in_segments() -> tuple[Run, Run]:
    return unified(torch.float32, whole(1, 1, 1), whole(40, 7, 100), segments=4)


@case(UNIFIED, "kernel_unified_attention", tolerance=2e-2)
def unified_attention_over_8_bit_floats() -> tuple[Run, Run]:
    return unified(torch.bfloat16, QUERIES, TOKENS, cache_dtype="float8_e4m3fn")


def decode(heads: int, kv_heads: int, page: int) -> tuple[Run, Run]:
    """One new token for each sequence, over splits of what it has."""
    module = vllm("v1.attention.ops.triton_decode_attention")
    lengths, size, splits = whole(37, 5, 64), 32, 4
    q = normal(3, heads, size)
    ks, vs = sequences(lengths, kv_heads, size), sequences(lengths, kv_heads, size)
    k, v, table = paged(page, ks, vs)

    def run() -> tuple[torch.Tensor, ...]:
        out, lse = torch.empty(3, heads, size), torch.empty(3, heads)
        parts = torch.empty(3, heads, splits, size + 1)
        module.decode_attention_fwd(
            q, k, v, out, lse, table, lengths, parts, splits, size**-0.5, page
        )
        return out, lse

    def reference() -> tuple[torch.Tensor, ...]:
        outs, sums = [], []
        for one, key, value in zip(q, ks, vs, strict=True):
            outs.append(attention(one[None], key, value, size**-0.5)[0])
            wide = key.repeat_interleave(heads // kv_heads, 1)
            sums.append((torch.einsum("hd,khd->hk", one, wide) * size**-0.5).logsumexp(-1))
        return torch.stack(outs), torch.stack(sums)

    return run, reference


DECODE = "v1.attention.ops.triton_decode_attention"


@case(DECODE, "_fwd_kernel_stage1", "_fwd_kernel_stage2")
def decode_attention() -> tuple[Run, Run]:
    return decode(4, 4, 16)


@case(DECODE, "_fwd_grouped_kernel_stage1", "_fwd_kernel_stage2")
def decode_attention_in_groups() -> tuple[Run, Run]:
    return decode(8, 2, 1)


@case("v1.attention.ops.triton_prefill_attention", "_fwd_kernel")
def prefill_attention() -> tuple[Run, Run]:
    function = vllm("v1.attention.ops.triton_prefill_attention").context_attention_fwd
    lengths, size = whole(17, 40), 32
    qs = sequences(lengths, 4, size)
    ks, vs = sequences(lengths, 2, size), sequences(lengths, 2, size)

    def run() -> torch.Tensor:
        out = torch.empty(int(lengths.sum()), 4, size)
        q, k, v = (torch.cat(x) for x in (qs, ks, vs))
        function(q, k, v, out, starts(lengths)[:-1].contiguous(), lengths, 40)
        return out

    def reference() -> torch.Tensor:
        return torch.cat(
            [attention(q, k, v, size**-0.5) for q, k, v in zip(qs, ks, vs, strict=True)]
        )

    return run, reference


@case("v1.attention.ops.triton_merge_attn_states", "merge_attn_states_kernel")
def merge_attention_states() -> tuple[Run, Run]:
    function = vllm("v1.attention.ops.triton_merge_attn_states").merge_attn_states
    first, second = normal(9, 3, 24), normal(9, 3, 24)
    a, b = normal(3, 9), normal(3, 9)
    a[1, 4] = float("-inf")

    def run() -> tuple[torch.Tensor, ...]:
        out, lse = torch.empty_like(first), torch.empty_like(a)
        function(out, first, a, second, b, lse)
        return out, lse

    def reference() -> tuple[torch.Tensor, ...]:
        lse = torch.logaddexp(a, b)
        x, y = ((part - lse).exp().T[..., None] for part in (a, b))
        return first * x + second * y, lse

    return run, reference


def fill(layout: str) -> tuple[Run, Run]:
    """New keys and values go to their slots; -1 is none."""
    function = vllm("v1.attention.ops.triton_reshape_and_cache_flash")
    key, value = normal(5, 2, 16), normal(5, 2, 16)
    slots = whole(3, 17, -1, 0, 9, dtype=torch.int64)
    dtype = torch.float8_e4m3fn if layout == "fp8" else torch.float32
    one = torch.tensor(1.0)

    def run() -> tuple[torch.Tensor, ...]:
        caches = [torch.zeros(3, 8, 2, 16).to(dtype) for _ in range(2)]
        function.triton_reshape_and_cache_flash(key, value, *caches, slots, layout, one, one)
        return tuple(cache.float() for cache in caches)

    def reference() -> tuple[torch.Tensor, ...]:
        caches = []
        for new in (key, value):
            cache = torch.zeros(24, 2, 16)
            for row, slot in zip(new, slots.tolist(), strict=True):
                if slot >= 0:
                    cache[slot] = row.to(dtype).float()
            caches.append(cache.view(3, 8, 2, 16))
        return tuple(caches)

    return run, reference


CACHE = "v1.attention.ops.triton_reshape_and_cache_flash"


@case(CACHE, "reshape_and_cache_kernel_flash", tolerance=0)
def reshape_and_cache() -> tuple[Run, Run]:
    return fill("auto")


@case("v1.attention.ops.common", "_pack_seq_kernel", "_unpack_seq_triton_kernel", tolerance=0)
def pack_and_unpack_sequences() -> tuple[Run, Run]:
    module = vllm("v1.attention.ops.common")
    lengths = whole(3, 11, 1)
    x = normal(15, 20)

    def run() -> tuple[torch.Tensor, ...]:
        packed = module.pack_seq_triton(x, lengths)
        return packed, module.unpack_seq_triton(packed, lengths)

    def reference() -> tuple[torch.Tensor, ...]:
        rows = x.split(lengths.tolist())
        packed = torch.nn.utils.rnn.pad_sequence(rows, True, float("-inf"))
        return packed, x

    return run, reference
