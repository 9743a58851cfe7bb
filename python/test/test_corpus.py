"""The kernels of test/corpus, executed: against Triton's interpreter, or against torch by hand."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import corpus_runs
import pytest
import torch
from corpus_runs import NOT_INTERPRETED, RUNS, Run
from triton.tools.tensor_descriptor import TensorDescriptor

CASES = {case["name"]: case for case in corpus_runs.load_corpus().CASES}
Buffers = dict[str, torch.Tensor]


@pytest.fixture(scope="session")
def interpreted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the interpreter makes of every run; it needs a process of its own."""
    path: Path = tmp_path_factory.mktemp("interpreter") / "results.pt"
    command = [sys.executable, "-W", "ignore", corpus_runs.__file__, str(path)]
    subprocess.run(command, env={**os.environ, "TRITON_INTERPRET": "1"}, check=True, timeout=300)
    results: dict[str, Any] = torch.load(path)
    return results


def assert_same(got: Buffers, want: Buffers, run: Run) -> None:
    for name, value in want.items():
        if not value.dtype.is_floating_point:
            assert torch.equal(got[name], value), name
            continue
        step = run.steps * torch.finfo(value.dtype).eps
        torch.testing.assert_close(
            got[name].double(),
            value.double(),
            rtol=step,
            atol=step,
            equal_nan=True,
            msg=lambda text, name=name: f"{name}: {text}",
        )


@pytest.mark.parametrize("name", sorted((RUNS.keys() & CASES.keys()) - set(NOT_INTERPRETED)))
def test_agrees_with_the_interpreter(name: str, interpreted: dict[str, Any]):
    assert isinstance(interpreted[name], dict), interpreted[name]
    got = corpus_runs.compile_and_launch(CASES[name], RUNS[name])
    assert_same(got, interpreted[name], RUNS[name])


def _desc_device(b: Buffers) -> Buffers:
    return {"o": torch.cat([3 * b["a"][: 40 * 72], b["o"][40 * 72 :]])}


def _desc_reduce_int(b: Buffers) -> Buffers:
    o = b["o"].clone()
    tile = o[: 6 * 12]
    tile.add_(3).clamp_(max=3).clamp_(min=3).bitwise_and_(3).bitwise_or_(3).bitwise_xor_(3)
    return {"o": o}


def _dot_variants(b: Buffers) -> Buffers:
    x, y = (b[n][:1024].view(32, 32) for n in "ab")
    product = (x @ y).flatten()
    c, e = b["c"].clone(), b["e"].clone()
    c[:1024] = 6 * product + (x @ y.T).flatten()
    e[:1024] = product.int()
    return {"c": c, "e": e}


def _dot_fp8(b: Buffers) -> Buffers:
    c = b["c"].clone()
    a, d = (b[n][:1024].float().view(32, 32) for n in "ab")
    c[:1024] = (a @ d).flatten()
    return {"c": c}


def _four_bits(codes: torch.Tensor, dim: int) -> torch.Tensor:
    """The numbers that lie in pairs in the bytes, the first of a pair in the low bits."""
    values = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6], dtype=torch.float64)
    halves = torch.stack([codes & 15, codes >> 4], dim + 1).flatten(dim, dim + 1).long()
    return torch.where(halves < 8, values[halves & 7], -values[halves & 7])


def _scaled(values: torch.Tensor, scales: torch.Tensor) -> torch.Tensor:
    """32 numbers of a row have one scale."""
    factors = torch.exp2(scales.double() - 127)
    return values.double() * factors[: values.numel() // 32].view(
        len(values), -1
    ).repeat_interleave(32, 1)


def _dot_scaled(left: str, right: str) -> Callable[[Buffers], Buffers]:
    def operand(codes: torch.Tensor, format: str, rows: int, dim: int) -> torch.Tensor:
        if format == "e2m1":
            return _four_bits(codes[: rows * 32].view(*((rows, 32) if dim else (32, rows))), dim)
        kind = {"e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2}.get(format)
        floats = codes.view(kind) if kind else codes
        return floats[: rows * 64].double().view(*((rows, 64) if dim else (64, rows)))

    def expected(b: Buffers) -> Buffers:
        x = _scaled(operand(b["a"], left, 128, 1), b["sa"])
        y = operand(b["b"], right, 64, 0)
        product = x @ y
        if "sb" in b:
            product += x @ _scaled(y.T, b["sb"]).T
        return {"c": product.flatten().float()}

    return expected


def _int_math(b: Buffers) -> torch.Tensor:
    x, y = (b[n][:64].long() for n in "xy")
    r = x + y - x * y + x // y + x % y + (x & y) + (x | y) + (x ^ y) + (x << 3) + (x >> y)
    # All operands are small and positive: the high half of a product is zero.
    r += ~x - y + x + torch.minimum(x, y) + torch.maximum(x, y) + (x + 2) // 3
    o = b["o"].long()
    kept = (x < y) | ((x <= 3) & (x > y)) | (x >= 3) | (x == y) | (x != 3)
    o[:64] = torch.where(kept, r, 0)
    return o


def _int_math_i64(b: Buffers) -> Buffers:
    return {"o": _int_math(b)}


def _int_math_u32(b: Buffers) -> Buffers:
    return {"o": (_int_math(b) & 0xFFFFFFFF).to(torch.uint32)}


def _casts(b: Buffers) -> Buffers:
    x, j, w = (b[n][:64] for n in "fiu")
    of, oi, oh, ob = (b[n].clone() for n in ("of", "oi", "oh", "ob"))
    of[:64] = j.float() + w.float() + x.view(torch.int32).float()
    oi[:64] = x.int() + j.int() + w.int()
    oi[64:128] = (x > 0).int() + (j != 0).int() + x.int()
    oi[128:192] = (j != 0).int()
    oh[:64] = x.half()
    oh[64:128] = (2 * x).half()
    ob[:64] = x.bfloat16() + j.bfloat16()
    return {"of": of, "oi": oi, "oh": oh, "ob": ob}


def _fp8_cast(b: Buffers) -> Buffers:
    x = b["x"][:64]
    y8a, y8b, back = (b[n].clone() for n in ("y8a", "y8b", "back"))
    y8a[:64] = x.to(torch.float8_e4m3fn)
    y8b[:64] = x.to(torch.float8_e5m2)
    # The upper byte of an f16 is its e5m2, rounded towards zero.
    y8b.view(torch.uint8)[64:128] = x.half().view(torch.uint8)[1::2]
    back[:64] = y8a[:64].float() + y8b[:64].float()
    return {"y8a": y8a, "y8b": y8b, "back": back}


def _vec_add_bf16(b: Buffers) -> Buffers:
    return {"c": torch.cat([(b["a"] + b["b"])[:700], b["c"][700:]])}


def _vec_add_bool(b: Buffers) -> Buffers:
    return {"c": torch.cat([(b["a"] ^ b["b"])[:200], b["c"][200:]])}


def _map_elementwise(b: Buffers) -> Buffers:
    o = b["o"].clone()
    o[:64] = torch.maximum(b["x"], b["y"])[:64]
    return {"o": o}


def _matmul_persistent(b: Buffers) -> Buffers:
    return {"c": (b["a"].float().view(128, 96) @ b["b"].float().view(96, 64)).bfloat16().flatten()}


def _libdevice(b: Buffers) -> Buffers:
    x, y = (b[n][:64].double() for n in "xy")
    r = x**y + x.tanh() + y.asin() + x.log1p() + y.expm1()
    r += torch.atan2(x, y) + torch.fmod(x, y) + x.round() + torch.copysign(x, y) + x.trunc()
    o, oi = b["o"].double(), b["oi"].clone()
    o[:64] = r
    for i in range(64):
        bits = int(b["y"][i].view(torch.int32))
        oi[i] = (32 - bits.bit_length()) + i.bit_count()
    return {"o": o.float(), "oi": oi}


def _scalars(first: int) -> Callable[[Buffers], Buffers]:
    def expected(b: Buffers) -> Buffers:
        o = b["o"].clone()
        o[:2] = torch.tensor([first, 13])
        return {"o": o}

    return expected


def _while_loops(b: Buffers) -> Buffers:
    i, v = 0, 8.0
    while i < 9 and v > 0.25:
        v = v * 0.5 + (0.125 if i % 2 == 0 else 0)
        i += 1
    o, x = b["o"].clone(), b["x"].clone()
    o[0], x[0] = 18, v
    return {"o": o, "x": x}


def _fp8_amd_types(b: Buffers) -> Buffers:
    z = b["z"].clone()
    z[:64] = (b["xa"].half() + b["xb"].half())[:64]
    xb = b["xb"].half()
    xb[:64] = z[:64]
    return {"z": z, "xb": xb.to(torch.float8_e5m2fnuz)}


def _inline_asm(b: Buffers) -> Buffers:
    x, o = b["x"][:64].long() & 0xFFFFFFFF, b["o"].clone()
    turned = (x << 7 | x >> 25) & 0xFFFFFFFF
    o[:64] = (3 * turned).to(torch.int32)
    return {"o": o}


def _added(b: Buffers) -> Buffers:
    p = b["p"].clone()
    p[:64] += b["o"][:64]
    return {"p": p}


def _exchanged(b: Buffers) -> Buffers:
    return {"p": torch.cat([b["o"][:64], b["p"][64:]])}


def _atomic_load_store_poll(b: Buffers) -> Buffers:
    o = b["o"].clone()
    o[:40] = b["p"][:40]
    o[0] = 0  # 7 is never there
    return {"o": o}


def _copied(b: Buffers) -> Buffers:
    return {"o": torch.cat([b["x"][:32], b["o"][32:]])}


BY_HAND: dict[str, Callable[[Buffers], Buffers]] = {
    "atomic_load_store_poll": _atomic_load_store_poll,
    "atomics_bf16": _added,
    "atomics_f32": _exchanged,
    "desc_device": _desc_device,
    "desc_reduce_int": _desc_reduce_int,
    "dot_fp8": _dot_fp8,
    "dot_scaled_e2m1": _dot_scaled("e2m1", "e2m1"),
    "dot_scaled_e2m1_bf16": _dot_scaled("e2m1", "bf16"),
    "dot_scaled_e4m3_e5m2": _dot_scaled("e4m3", "e5m2"),
    "dot_variants": _dot_variants,
    "fp8_amd_types": _fp8_amd_types,
    "grid_dependency": _copied,
    "inline_asm": _inline_asm,
    "int_math_i64": _int_math_i64,
    "int_math_u32": _int_math_u32,
    "casts": _casts,
    "fp8_cast": _fp8_cast,
    "vec_add_bf16": _vec_add_bf16,
    "vec_add_bool": _vec_add_bool,
    "libdevice": _libdevice,
    "map_elementwise": _map_elementwise,
    "matmul_persistent_loop_attrs": _matmul_persistent,
    "scalar_arg_bool_bf16": _scalars(1 + 2**40 - 5 + 200),
    "scalar_arg_types": _scalars(-7 - 300 + 2**31 + 5 + 2**40),
    "while_loops": _while_loops,
}


@pytest.mark.parametrize("name", sorted(BY_HAND.keys() & CASES.keys()))
def test_agrees_with_torch(name: str):
    _, inputs = corpus_runs.arguments(CASES[name], RUNS[name])
    got = corpus_runs.compile_and_launch(CASES[name], RUNS[name])
    assert_same(got, BY_HAND[name](inputs), RUNS[name])


def test_every_run_has_an_oracle():
    assert set(NOT_INTERPRETED) == set(BY_HAND)


def test_table_of_pointers():
    rows = [torch.arange(64.0) + 100 * i for i in range(3)]
    table = torch.tensor([row.data_ptr() for row in rows])
    out = torch.zeros(3, 40)
    CASES["ptr_table_i64"]["fn"][(3,)](table, out, 40, BLK=64)
    assert torch.equal(out, torch.stack([row[:40] for row in rows]))


def test_pointers_made_of_integers():
    base = torch.arange(4096, dtype=torch.int32)
    out = torch.zeros(1, dtype=torch.int32)
    address = base.data_ptr()
    # Only the first element: the others lie 3 000 000 000 elements apart.
    CASES["ptr_int_bitcast"]["fn"][(1,)](base, out, BLK=1)
    low = (address // 8 + 1) & 0xFFFFFFFF
    assert int(out) & 0xFFFFFFFF == low
    assert base.view(torch.float16)[0] == 1.0


def test_descriptors_as_arguments():
    a = torch.randn(48, 128).half()
    o = torch.zeros_like(a)
    descriptors = [TensorDescriptor.from_tensor(t, [16, 64]) for t in (a, o)]
    CASES["desc_host_arg"]["fn"][(3,)](*descriptors, 128, BN=64)
    assert torch.equal(a, o)
