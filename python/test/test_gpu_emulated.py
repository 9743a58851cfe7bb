"""Kernels for a GPU, run by the emulator on this machine: they do what the CPU leg does."""

from __future__ import annotations

import gc
import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import corpus_runs
import pytest
import torch
import triton
import triton.language as tl
import triton_shared
from corpus_runs import RUNS, Run
from test_corpus import assert_same
from triton_shared import emulate
from triton_shared.emulate import EmulationError

CASES = {case["name"]: case for case in corpus_runs.load_corpus().CASES}

ORDERS = (0, 1, 2)
"""Threads ascending, descending, and at random."""


def flatten(values: Any) -> Iterator[Any]:
    """The members of tuples, as the parameters of a kernel have them."""
    for value in values:
        if isinstance(value, tuple):
            yield from flatten(value)
        else:
            yield value


def hints(values: Any, path: tuple[int, ...] = ()) -> dict[tuple[int, ...], list[Any]]:
    """What Triton tells the compiler about these arguments: which are multiples of 16."""
    found: dict[tuple[int, ...], list[Any]] = {}
    for i, value in enumerate(values):
        if isinstance(value, tuple):
            found |= hints(value, (*path, i))
        elif isinstance(value, torch.Tensor) or (type(value) is int and value % 16 == 0):
            found[(*path, i)] = [["tt.divisibility", 16]]
    return found


def check(
    case: dict[str, Any],
    run: Run,
    folder: Path,
    warps: int,
    is_hinted: bool = True,
    stages: int = 3,
    keeps_warps: bool = True,
) -> None:
    """Runs `case` on the CPU, then with `warps` warps in the emulator, and compares."""
    given, want = corpus_runs.arguments(case, run)
    signature = {n: "constexpr" if n in case["const"] else case["sig"][n] for n in given}
    known = [None if n in case["const"] else value for n, value in given.items()]
    source = triton.compiler.ASTSource(
        case["fn"], signature, constexprs=case["const"], attrs=hints(known) if is_hinted else None
    )
    compiled = triton.compile(source, options={**case["opts"], "mode": "reference"})
    with triton_shared.launches(threads=1):
        compiled[(*run.grid, 1, 1)[:3]](*given.values())
    ttir = str(compiled.asm["ttir"])
    kernel = emulate.compile_kernel(ttir, warps, folder, stages, keeps_warps)
    for order in ORDERS:
        given, got = corpus_runs.arguments(case, run)
        passed = [value for n, value in given.items() if n not in case["const"]]
        emulate.launch(kernel, list(flatten(passed)), run.grid, order)
        assert_same(got, want, run)


# Two threads of these store to one address, and which comes last is open: no barrier is between
# the stores, in Triton's own lowering neither.
RACES = {"join_split_interleave"}

# One of each kind: `make test` has no time for all.
SOME = (
    "attention_fwd_causal", "atomics_i32", "cross_entropy_online", "desc_gather_scatter",
    "dot_fp8", "fp8_cast", "histogram", "layernorm_fwd", "map_elementwise", "matmul_grouped",
    "ptr_select_if", "reduce_custom_welford", "scans", "shape_ops", "softmax_row",
    "sort_flip_topk", "transpose_2d", "vec_add_bf16", "vec_add_unaligned", "while_loops",
)  # fmt: skip
REST = sorted((RUNS.keys() & CASES.keys()) - RACES - set(SOME))


@pytest.mark.every(2)
@pytest.mark.parametrize("name", [name for name in SOME if name in CASES])
def test_corpus(name: str, tmp_path: Path):
    check(CASES[name], RUNS[name], tmp_path, CASES[name]["opts"].get("num_warps", 4))


@pytest.mark.nightly
@pytest.mark.parametrize("warps", [1, 8])
@pytest.mark.parametrize("name", [name for name in SOME if name in CASES])
def test_corpus_with_other_warps_and_without_hints(name: str, warps: int, tmp_path: Path):
    check(CASES[name], RUNS[name], tmp_path, warps, is_hinted=False)


@pytest.mark.nightly
@pytest.mark.parametrize("name", REST)
def test_rest_of_corpus(name: str, tmp_path: Path):
    check(CASES[name], RUNS[name], tmp_path, CASES[name]["opts"].get("num_warps", 4))


@triton.jit
def _then(a, b, c, d):
    """First x -> a x + b, then x -> c x + d: the order matters, the grouping does not."""
    return a * c, b * c + d


@triton.jit
def _ordered(x, o, ROWS: tl.constexpr, COLUMNS: tl.constexpr, IS_TURNED: tl.constexpr):
    # Turned, neighbours along the row lie in other warps, and lanes far apart.
    i, j = tl.arange(0, ROWS)[:, None], tl.arange(0, COLUMNS)[None, :]
    if IS_TURNED:
        v = tl.load(x + i + j * ROWS)
    else:
        v = tl.load(x + i * COLUMNS + j)
    flat = tl.reshape(v, (ROWS * COLUMNS,))
    a, b = tl.reduce((flat, flat + 1), 0, _then)
    c, d = tl.reduce((v, v + 1), 1, _then)
    e, f = tl.reduce((v, v + 1), 0, _then)
    tl.store(o, a)
    tl.store(o + 1, b)
    tl.store(o + 16 + tl.arange(0, ROWS), c)
    tl.store(o + 256 + tl.arange(0, ROWS), d)
    tl.store(o + 512 + tl.arange(0, COLUMNS), e)
    tl.store(o + 1024 + tl.arange(0, COLUMNS), f)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(("rows", "columns"), [(64, 16), (4, 128)])
def test_reductions_keep_the_order_of_elements(
    rows: int, columns: int, turned: bool, tmp_path: Path
):
    const = {"ROWS": rows, "COLUMNS": columns, "IS_TURNED": turned}
    case = {"fn": _ordered, "sig": {"x": "*i32", "o": "*i32"}, "const": const, "opts": {}}
    check(case, Run(), tmp_path, warps=4)


@triton.jit
def _argmax(x, o, N: tl.constexpr):
    v = tl.load(x + tl.arange(0, N))
    best, place = tl.max(v, 0, return_indices=True)
    tl.store(o, place)
    tl.store(o + 1, best.to(tl.int32))


@pytest.mark.parametrize("kind", ["*i8", "*fp16", "*fp64"])
def test_operands_of_different_sizes_are_aligned_in_shared_memory(kind: str, tmp_path: Path):
    case = {"fn": _argmax, "sig": {"x": kind, "o": "*i32"}, "const": {"N": 256}, "opts": {}}
    check(case, Run(), tmp_path, warps=4)


@triton.jit
def _one_index_twice(x, index, y, o, N: tl.constexpr):
    k = tl.load(index + tl.arange(0, N))
    tl.store(o + tl.arange(0, N), tl.load(y + k))
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    v = tl.load(x + k[:, None] * 64 + k[None, :])
    tl.store(o + N + i * N + j, v)


def test_one_tile_of_indices_may_gather_two_dimensions(tmp_path: Path):
    case = {
        "fn": _one_index_twice,
        "sig": {"x": "*fp32", "index": "*i32", "y": "*fp32", "o": "*fp32"},
        "const": {"N": 32},
        "opts": {},
    }
    run = Run(fills={"index": lambda rng, n: torch.randperm(n, generator=rng) % 64})
    check(case, run, tmp_path, warps=4)


@triton.jit
def _one_start_twice(a, b, x, o, n, N: tl.constexpr):
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    product = tl.zeros((N, N), tl.float32)
    total = tl.zeros((N, N), tl.float32)
    for k in range(n):
        left = tl.load(a + k + i * N + j)
        product = tl.dot(left, tl.load(b + i * N + j), product)
        total += tl.load(x + k + i + j * N)
    tl.store(o + i * N + j, product)
    tl.store(o + N * N + i + j * N, total)


def test_one_tile_may_start_two_variables_of_a_loop(tmp_path: Path):
    signature = dict.fromkeys(("a", "b", "x", "o"), "*fp32") | {"n": "i32"}
    case = {"fn": _one_start_twice, "sig": signature, "const": {"N": 32}, "opts": {}}
    check(case, Run({"n": 3}), tmp_path, warps=4)


@triton.jit
def _product(a, b, c, o, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, HOW: tl.constexpr):
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    left = tl.load(a + i[:, None] * K + k[None, :])
    right = tl.load(b + k[:, None] * N + j[None, :])
    place = i[:, None] * N + j[None, :]
    start = tl.load(c + place)
    product = tl.dot(left, right, start, input_precision=HOW, out_dtype=start.dtype)
    tl.store(o + place, product)


# The fragments of the emulator are those of the PTX manual, said without our layouts.
@pytest.mark.every(2)
@pytest.mark.parametrize(("m", "n", "k"), [(16, 16, 64), (64, 32, 32)])
@pytest.mark.parametrize(
    ("operand", "result", "how", "instruction"),
    [
        ("*fp16", "*fp32", "ieee", "shape<m = 16, n = 8, k = 16>"),
        ("*bf16", "*fp32", "ieee", "shape<m = 16, n = 8, k = 16>"),
        ("*i8", "*i32", "ieee", "shape<m = 16, n = 8, k = 32>"),
        ("*fp32", "*fp32", "tf32", "shape<m = 16, n = 8, k = 8>"),
        ("*fp64", "*fp64", "ieee", "nvvm.mma.m16n8k16.row.col.f64"),
        ("*fp32", "*fp32", "ieee", "fma"),
        ("*fp16", "*fp16", "ieee", "shape<m = 16, n = 8, k = 16>"),
    ],
)
def test_products(
    operand: str, result: str, how: str, instruction: str, m: int, n: int, k: int, tmp_path: Path
):
    case = {
        "fn": _product,
        "sig": {"a": operand, "b": operand, "c": result, "o": result},
        "const": {"M": m, "N": n, "K": k, "HOW": how},
        "opts": {},
    }
    # Groups of four warps have instructions of their own: test_gpu_warpgroups.py.
    check(case, Run(), tmp_path, warps=2)
    llvm = emulate.lower((tmp_path / "kernel.mlir").read_text(), 2, tmp_path)
    assert instruction in llvm


_WITHIN_WARPS = """
#from = #cta.layout<register = [[64]], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>
#to = #cta.layout<register = [[64]], lane = [[16], [1], [9], [2], [4]], warp = [[32]]>
func.func @f(%x: memref<*x{kind}>, %o: memref<*x{kind}>, %gx: i32, %gy: i32, %gz: i32,
             %px: i32, %py: i32, %pz: i32) attributes {{cta.num_warps = 2 : i32, cta.shared = 0 : i64}} {{
  %zero = arith.constant 0 : i64
  %v = tts.load %x[%zero] strides [1] : memref<*x{kind}> -> tensor<128x{kind}, #from>
  %c = cta.convert_layout %v : tensor<128x{kind}, #from> -> tensor<128x{kind}, #to>
  tts.store %c to %o[%zero] strides [1] : tensor<128x{kind}, #to>, memref<*x{kind}>
  return
}}
"""  # noqa: E501


# What is stored under the new layout lies where it was loaded from.
@pytest.mark.parametrize(
    ("kind", "dtype"), [("i8", torch.int8), ("f16", torch.float16), ("i32", torch.int32)]
)
def test_layouts_change_by_shuffles_within_warps(kind: str, dtype: torch.dtype, tmp_path: Path):
    kernel = emulate.compile_kernel(_WITHIN_WARPS.format(kind=kind), 2, tmp_path)
    assert kernel.shared == 0
    assert "nvvm.shfl" in kernel.llvm
    for order in ORDERS:
        x, o = torch.arange(128).to(dtype), torch.zeros(128, dtype=dtype)
        emulate.launch(kernel, [x, o], (1,), order)
        assert o.tolist() == x.tolist()


# The emulator itself: what it must find.

_LLVM = """
module attributes {{gpu.container_module}} {{
  gpu.module @kernels {{
    llvm.mlir.global external @cta_shared() {{addr_space = 3 : i32, alignment = 1024 : i64}} : !llvm.array<0 x i8>
    llvm.func @f(%x: !llvm.ptr<1>) attributes {{cta.num_warps = 2 : i32, cta.shared = 256 : i64, nvvm.kernel}} {{
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %one = llvm.mlir.constant(1 : i32) : i32
      %limit = llvm.mlir.constant(32 : i32) : i32
      %shared = llvm.mlir.addressof @cta_shared : !llvm.ptr<3>
      %mine = llvm.getelementptr %shared[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      %next = llvm.xor %tid, %one : i32
      %other = llvm.getelementptr %shared[%next] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      %out = llvm.getelementptr %x[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      {body}
      llvm.return
    }}
  }}
}}
"""  # noqa: E501

_STORE_MINE = "llvm.store %tid, %mine : i32, !llvm.ptr<3>\n"
_LOAD_OTHER = "%v = llvm.load %other : !llvm.ptr<3> -> i32\n"
_STORE_OUT = "llvm.store %v, %out : i32, !llvm.ptr<1>\n"


def launch_llvm(body: str, folder: Path, order: int = 0) -> torch.Tensor:
    x = torch.zeros(64, dtype=torch.int32)
    kernel = emulate.build_kernel(_LLVM.format(body=body), folder)
    emulate.launch(kernel, [x], (1,), order)
    return x


@pytest.mark.parametrize("order", ORDERS)
def test_the_emulator_exchanges_through_shared_memory(order: int, tmp_path: Path):
    x = launch_llvm(_STORE_MINE + "nvvm.barrier0\n" + _LOAD_OTHER + _STORE_OUT, tmp_path, order)
    assert torch.equal(x, torch.arange(64, dtype=torch.int32) ^ 1)


@pytest.mark.parametrize("order", ORDERS)
def test_the_emulator_shuffles(order: int, tmp_path: Path):
    body = """
      %all = llvm.mlir.constant(-1 : i32) : i32
      %clamp = llvm.mlir.constant(31 : i32) : i32
      %a = nvvm.shfl.sync bfly %all, %tid, %one, %clamp : i32 -> i32
      %v = nvvm.shfl.sync bfly %all, %a, %one, %clamp : i32 -> i32
    """
    x = launch_llvm(body + _STORE_OUT, tmp_path, order)
    assert torch.equal(x, torch.arange(64, dtype=torch.int32))


@pytest.mark.parametrize(
    "operation",
    ["llvm.fadd %given, %one_f", "llvm.fmul %one_f, %given", "llvm.fdiv %given, %given"],
)
def test_there_is_one_nan(operation: str, tmp_path: Path):
    """That of an operand has a sign and a payload; what is computed of it has not."""
    body = f"""
      %nan = llvm.mlir.constant(0xFFC00100 : i32) : i32
      %bits = llvm.or %nan, %tid : i32
      %given = llvm.bitcast %bits : i32 to f32
      %one_f = llvm.sitofp %tid : i32 to f32
      %f = {operation} : f32
      %v = llvm.bitcast %f : f32 to i32
    """
    assert set(launch_llvm(body + _STORE_OUT, tmp_path).tolist()) == {0x7FFFFFFF}


def test_the_emulator_gives_back_its_memory(tmp_path: Path):
    """A process that has emulated thousands of kernels would be too large to fork."""

    def mapped_bytes() -> int:
        gc.collect()
        return int(Path("/proc/self/statm").read_text().split()[0]) * mmap.PAGESIZE

    body = "%v = llvm.add %tid, %one : i32\n" + _STORE_OUT
    for number in range(5):
        folder = tmp_path / str(number)
        folder.mkdir()
        launch_llvm(body, folder)
        if number == 0:
            before = mapped_bytes()
    assert mapped_bytes() - before < 16 << 20


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        (_STORE_MINE + _LOAD_OTHER + _STORE_OUT, "shared memory, which"),
        (_LOAD_OTHER + _STORE_OUT, "which nobody has written"),
        ("llvm.store %tid, %shared : i32, !llvm.ptr<3>\n", "wrote differently"),
        (
            "%far = llvm.getelementptr %mine[64] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32\n"
            "llvm.store %tid, %far : i32, !llvm.ptr<3>\n",
            "of 256 bytes of shared memory",
        ),
        (
            "%far = llvm.getelementptr %out[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32\n"
            "llvm.store %tid, %far : i32, !llvm.ptr<1>\n",
            "outside of every buffer",
        ),
        (
            "%v = llvm.load %out {alignment = 8 : i64} : !llvm.ptr<1> -> i32\n" + _STORE_OUT,
            "no multiple of 8",
        ),
        (
            "%is = llvm.icmp \"slt\" %tid, %limit : i32\n"
            "llvm.cond_br %is, ^wait, ^end\n^wait:\nnvvm.barrier0\nllvm.br ^end\n^end:\n",
            "32 of 64 threads wait for ever",
        ),
    ],
)  # fmt: skip
def test_the_emulator_finds(body: str, complaint: str, order: int, tmp_path: Path):
    with pytest.raises(EmulationError, match=complaint):
        launch_llvm(body, tmp_path, order)
