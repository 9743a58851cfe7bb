"""How to run the kernels of test/corpus: grids, arguments, and inputs with an easy expected result.

A run is data, so that the same run can happen twice: compiled, in the tests' process, and in
Triton's interpreter, in a process of its own (`python corpus_runs.py FILE` writes all results
there). Inputs are small and mostly integers, even in float buffers: sums are then exact in any
order, and what the interpreter does not round as the hardware does (bf16) needs no rounding.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
import triton
import triton_shared

CORPUS = Path(__file__).parents[2] / "test" / "corpus" / "kernels.py"

TORCH_TYPES = {
    "fp64": torch.float64,
    "fp32": torch.float32,
    "fp16": torch.float16,
    "bf16": torch.bfloat16,
    "fp8e4nv": torch.float8_e4m3fn,
    "fp8e5": torch.float8_e5m2,
    "fp8e4b8": torch.float8_e4m3fnuz,
    "fp8e5b16": torch.float8_e5m2fnuz,
    "i64": torch.int64,
    "i32": torch.int32,
    "i16": torch.int16,
    "i8": torch.int8,
    "u64": torch.uint64,
    "u32": torch.uint32,
    "u16": torch.uint16,
    "u8": torch.uint8,
    "i1": torch.bool,
}

Fill = Callable[[torch.Generator, int], torch.Tensor]


def small(low: int, high: int) -> Fill:
    """Whole numbers from `low` to `high`, both included."""
    return lambda rng, n: torch.randint(low, high + 1, (n,), generator=rng)


def real(low: float, high: float) -> Fill:
    """Real numbers between `low` and `high`."""
    return lambda rng, n: low + (high - low) * torch.rand(n, generator=rng, dtype=torch.float64)


def zeros(rng: torch.Generator, n: int) -> torch.Tensor:
    return torch.zeros(n, dtype=torch.int64)


@dataclass(frozen=True)
class Run:
    """One launch. Buffers that are not named hold small whole numbers."""

    scalars: dict[str, Any] = field(default_factory=dict)
    fills: dict[str, Fill] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    grid: tuple[int, ...] = (1,)
    steps: float = 4.0
    """How many roundings of its own type may lie between two right float results."""


def load_corpus() -> ModuleType:
    """The module of kernels, decorated by the Triton of this process."""
    spec = importlib.util.spec_from_file_location("corpus_kernels", CORPUS)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def arguments(case: dict[str, Any], run: Run) -> tuple[dict[str, Any], dict[str, torch.Tensor]]:
    """All arguments by name, and those of them (also within tuples) that are buffers."""
    rng = torch.Generator().manual_seed(7)
    buffers: dict[str, torch.Tensor] = {}

    def make(name: str, kind: Any) -> Any:
        if isinstance(kind, tuple):
            return tuple(make(f"{name}[{i}]", member) for i, member in enumerate(kind))
        if not kind.startswith("*"):
            return run.scalars[name]
        values = run.fills.get(name, small(-8, 8))(rng, run.sizes.get(name, 4096))
        buffers[name] = values.to(TORCH_TYPES[kind.lstrip("*k")])
        return buffers[name]

    given = {n: make(n, kind) for n, kind in case["sig"].items() if n not in case["const"]}
    return {n: case["const"].get(n, given.get(n)) for n in case["fn"].arg_names}, buffers


def interpret(case: dict[str, Any], run: Run) -> dict[str, torch.Tensor]:
    """Runs `case` in Triton's interpreter and returns its buffers."""
    given, buffers = arguments(case, run)
    case["fn"][run.grid](**given, **case["opts"])
    return buffers


def compile_and_launch(case: dict[str, Any], run: Run) -> dict[str, torch.Tensor]:
    """Compiles `case` for its own signature, launches it and returns its buffers."""
    given, buffers = arguments(case, run)
    signature = {n: "constexpr" if n in case["const"] else case["sig"][n] for n in given}
    source = triton.compiler.ASTSource(case["fn"], signature, constexprs=case["const"])
    kernel = triton.compile(source, options=case["opts"])
    # One program after the other, as in the interpreter.
    with triton_shared.launches(threads=1):
        kernel[(*run.grid, 1, 1)[:3]](*given.values())
    return buffers


_MATMUL = {"M": 70, "N": 90, "K": 40}
_ATTENTION = Run(
    {"scale": 0.125, "sz": 8 * 100 * 64, "sh": 100 * 64, "sm": 64, "n_ctx": 100},
    {name: real(-1, 1) for name in "QKV"} | {"O": zeros},
    dict.fromkeys("QKVO", 8 * 100 * 64),
    grid=(2, 8),
    steps=16,
)

_SCALED = {n: small(124, 130) for n in ("sa", "sb")} | {n: small(32, 64) for n in "ab"}
_TILES = {"a": 128 * 64, "b": 64 * 64, "c": 128 * 64}

RUNS: dict[str, Run] = {
    "vec_add": Run({"n": 3000}, grid=(4,)),
    "vec_add_bf16": Run({"n": 700}, grid=(3,)),
    "vec_add_unaligned": Run({"n": 333}, grid=(3,)),
    "vec_add_i8": Run({"n": 500}, grid=(4,)),
    "vec_add_const_ptr": Run({"n": 128}, grid=(1,)),
    "vec_add_bool": Run({"n": 200}, {n: small(0, 1) for n in "abc"}, grid=(2,)),
    "load_store_flags": Run({"n": 100}),
    "casts": Run(fills={"i": small(-99, 99), "u": small(0, 255), "f": small(0, 99)}),
    "fp8_cast": Run(fills={"x": real(-20, 20), "y8a": zeros, "y8b": zeros}),
    "float_math": Run(fills={"x": real(0.5, 4), "y": real(0.5, 4)}, steps=64),
    "float_math_f64": Run(fills={"x": real(0.5, 4), "y": real(0.5, 4)}, steps=64),
    "float_cmp_scalar": Run({"n": 5}),
    "int_math_i32": Run({"s": 3}, {"x": small(0, 999), "y": small(1, 20)}),
    "int_math_u32": Run({"s": 3}, {"x": small(0, 999), "y": small(1, 20)}),
    "int_math_i64": Run({"s": 3}, {"x": small(0, 999), "y": small(1, 20)}),
    "int_math_debug_overflow": Run({"n": 200}, grid=(2,)),
    "grid3": Run({"n": 50}, grid=(3, 4, 5)),
    "ptr_select_if": Run({"flag": 0}),
    "ptr_loop_carried": Run({"n": 300, "stride": 100}),
    "hints_assume": Run({"n": 256}, grid=(4,)),
    "gather_scatter": Run(
        {"n": 128, "m": 37}, {"idx": lambda rng, n: torch.randperm(n, generator=rng)}
    ),
    "wraparound_2d": Run({"n": 20}),
    "softmax_row": Run(
        {"so": 700, "sx": 650, "ncol": 600}, {"x": real(-9, 9)}, grid=(5,), steps=64
    ),
    "softmax_persistent": Run(
        {"so": 400, "sx": 410, "nrow": 9, "ncol": 399}, {"x": real(-9, 9)}, grid=(3,), steps=64
    ),
    "softmax_builtin": Run(fills={"x": real(-9, 9)}, steps=64),
    "layernorm_fwd": Run(
        {"stride": 800, "n": 777, "eps": 1e-5}, {"x": real(-2, 2)}, grid=(4,), steps=8
    ),
    "layernorm_bwd_dx_lock": Run(
        {"stride": 300, "n": 300},
        {n: real(-1, 1) for n in ("x", "dy", "w", "rstd")} | {"lock": zeros},
        {"dw": 64 * 300, "db": 64 * 300},
        grid=(9,),
        steps=64,
    ),
    "matmul_masked": Run(
        {**_MATMUL, "sam": 41, "sak": 1, "sbk": 95, "sbn": 1, "scm": 90, "scn": 1},
        sizes=dict.fromkeys("abc", 8192),
        grid=(2, 2),
    ),
    "matmul_unit_strides": Run(
        {**_MATMUL, "sam": 41, "sbk": 95, "scm": 90}, sizes=dict.fromkeys("abc", 8192), grid=(2, 2)
    ),
    "matmul_grouped": Run(
        {"M": 300, "N": 90, "K": 40, "sam": 41, "sbk": 95, "scm": 90},
        sizes={"a": 16384, "b": 8192, "c": 32768},
        grid=(6,),
    ),
    "dot_variants": Run(),
    "dot_f64": Run(),
    "dot_3d": Run(),
    "attention_fwd": _ATTENTION,
    "attention_fwd_causal": _ATTENTION,
    "block_ptr_matmul": Run(
        {"M": 70, "N": 64, "K": 64, "sam": 70, "sbk": 64, "scm": 64},
        sizes=dict.fromkeys("abc", 8192),
        grid=(2, 1),
    ),
    "desc_device": Run({"M": 40, "N": 72}, {"o": zeros}, grid=(3, 3)),
    "desc_reduce_int": Run({"M": 6, "N": 12}),
    "desc_gather_scatter": Run(
        {"M": 64, "N": 64}, {"idx": lambda rng, n: torch.randperm(64, generator=rng)}
    ),
    # What an atomic returns in a lane that is masked off is not defined, and the `atomic_cas`
    # has no mask: its comparison with 1 must fail there.
    "atomics_i32": Run({"n": 50}, {"p": small(2, 9)}),
    "atomics_u64": Run({"n": 50}, {"p": small(2, 99), "o": small(1, 99)}),
    "atomics_f32": Run(fills={"p": small(1, 9), "o": small(1, 9)}),
    "atomics_f16": Run(),
    "reduce_builtin_f32": Run(),
    "reduce_builtin_f16": Run(),
    "reduce_i32": Run(),
    "reduce_u16": Run(fills={"x": small(0, 99), "o": zeros}),
    "reduce_custom_welford": Run(fills={"x": real(0.5, 1.5)}, steps=128),
    "scans": Run(fills={"x": small(-2, 2), "fl": small(0, 1)}),
    "sort_flip_topk": Run(),
    "histogram": Run({"n": 99}, {"x": small(0, 15)}),
    "tl_gather": Run(fills={"i": small(0, 15)}),
    "shape_ops": Run(),
    "join_split_interleave": Run(),
    "cat_dim": Run(),
    "unsplat_item": Run(),
    "map_elementwise": Run(),
    "philox_dropout": Run({"n": 300, "seed": 5, "p": 0.25}, {"o": zeros}, grid=(3,), steps=64),
    "loops_static_range_neg": Run({"n": 7}),
    "early_return_cf": Run({"n": 30}, grid=(40,)),
    "early_return_if_exp": Run({"n": 30}, grid=(40,)),
    "call_noinline": Run({"s": 3.0}, grid=(1,)),
    "tuple_args": Run({"n": 40}),
    "if_else_yield": Run({"n": 15}),
    "scalar_arg_types": Run(
        {"a": -7, "b": -300, "c": 2**31 + 5, "d": 2**40, "e": 1.5, "f": 2.5, "g": 9.0}
    ),
    "scalar_arg_bool_bf16": Run(
        {"a": True, "b": 2**40, "c": -5, "d": 200, "e": 1.5, "f": 2.5, "g": 9.0}
    ),
    "transpose_2d": Run({"M": 50, "N": 40}, grid=(2, 2)),
    "conv1d_halo": Run({"n": 300}, grid=(3,)),
    "cross_entropy_online": Run(
        {"ncol": 600, "stride": 640},
        {"logits": real(-5, 5), "labels": small(0, 599)},
        grid=(6,),
        steps=64,
    ),
    "fdiv_ieee": Run(),
    "while_loops": Run({"n": 9, "tol": 0.25}, {"x": small(8, 8), "o": small(1, 1)}),
    "dot_fp8": Run(),
    # Codes of numbers between 1/128 and 2, and of scales between 1/8 and 8.
    "dot_scaled_e2m1": Run(fills=_SCALED | {n: small(0, 255) for n in "ab"}, sizes=_TILES),
    "dot_scaled_e2m1_bf16": Run(fills={"sa": _SCALED["sa"], "a": small(0, 255)}, sizes=_TILES),
    "dot_scaled_e4m3_e5m2": Run(fills=_SCALED, sizes=_TILES, steps=64),
    "matmul_persistent_loop_attrs": Run(
        {"M": 128, "N": 64, "K": 96}, sizes={"a": 128 * 96, "b": 96 * 64, "c": 128 * 64}, grid=(2,)
    ),
    "atomics_bf16": Run(),
    # Its last poll waits for a 1.
    "atomic_load_store_poll": Run(fills={"p": small(1, 1), "o": zeros}),
    "grid_dependency": Run(),
    "inline_asm": Run(),
    "fp8_amd_types": Run(fills={"z": zeros}),
    "libdevice": Run(fills={"x": real(0.1, 0.9), "y": real(0.1, 0.9), "oi": zeros}, steps=64),
}

# The interpreter lacks an operation, computes bf16 as integers, adds truth values without wrapping,
# has a wrong `umulhi` of i64, loses the carry when it rounds to fp8, or does not end
# (`tl.condition`).
NOT_INTERPRETED = (
    "atomic_load_store_poll", "atomics_bf16", "atomics_f32", "casts", "desc_device",
    "desc_reduce_int", "dot_fp8", "dot_scaled_e2m1", "dot_scaled_e2m1_bf16",
    "dot_scaled_e4m3_e5m2", "dot_variants", "fp8_amd_types", "fp8_cast", "grid_dependency",
    "inline_asm", "int_math_i64", "int_math_u32", "libdevice", "map_elementwise",
    "matmul_persistent_loop_attrs",
    "scalar_arg_bool_bf16", "scalar_arg_types", "vec_add_bf16", "vec_add_bool", "while_loops",
)  # fmt: skip


def run_all() -> dict[str, Any]:
    """The buffers of every run, or the reason why the interpreter cannot do it."""
    cases = {case["name"]: case for case in load_corpus().CASES}
    results: dict[str, Any] = {}
    for name, run in RUNS.items():
        if name not in cases or name in NOT_INTERPRETED:
            continue
        try:
            results[name] = interpret(cases[name], run)
        except Exception as error:
            results[name] = f"{type(error).__name__}: {error}"
    return results


if __name__ == "__main__":
    assert os.environ.get("TRITON_INTERPRET") == "1"
    torch.save(run_all(), sys.argv[1])
