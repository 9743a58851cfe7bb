"""Launches: arguments of every kind, grids, options, hooks, benchmarks and what is refused."""

from __future__ import annotations

import gc
import tracemalloc
import warnings
from typing import Any

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
import triton_shared
from guarded import Memory
from kernels import count_programs, scale, store_scalar

DTYPES = [
    torch.bool, torch.uint8, torch.int8, torch.int16, torch.uint16, torch.int32, torch.uint32,
    torch.int64, torch.uint64, torch.float16, torch.bfloat16, torch.float32, torch.float64,
    torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz,
]  # fmt: skip


@triton.jit
def copy(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n), mask=at < n)


def run_copy(x: torch.Tensor, **options: Any) -> Any:
    out = torch.zeros_like(x)
    kernel = copy[(triton.cdiv(x.numel(), 16),)](x, out, x.numel(), BLOCK=16, **options)
    assert torch.equal(out.view(torch.uint8), x.view(torch.uint8))
    return kernel


#
# Tensors
#


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_tensors_of_every_type(dtype: torch.dtype):
    run_copy(torch.randint(0, 2, (37,)).to(dtype))


def test_tensors_without_elements():
    run_copy(torch.zeros(0))
    empty = torch.zeros(0)
    copy[(1,)](empty, empty, 0, BLOCK=16)


@triton.jit
def copy_strided(x_ptr, out_ptr, stride, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at * stride))


@pytest.mark.parametrize("stride", [0, 1, 2, 3])
def test_views(memory: Memory, stride: int):
    x, out = memory.holding(torch.arange(40.0)), memory.empty(8)
    view = x.as_strided((8,), (stride,), x.storage_offset() + 3)
    copy_strided[(1,)](view, out, view.stride(0), BLOCK=8)
    assert torch.equal(out, view)


def test_parameters_and_subclasses_are_tensors():
    class Mine(torch.Tensor):
        pass

    for x in (torch.nn.Parameter(torch.ones(8)), torch.arange(8.0).as_subclass(Mine)):
        out = torch.zeros(8)
        copy[(1,)](x, out, 8, BLOCK=8)
        assert out.tolist() == x.tolist()


def test_whatever_has_an_address_is_a_tensor():
    class Buffer:
        def __init__(self, values: torch.Tensor):
            self.values, self.dtype = values, values.dtype

        def data_ptr(self) -> int:
            return self.values.data_ptr()

    x, out = torch.arange(8.0), torch.zeros(8)
    copy[(1,)](Buffer(x), Buffer(out), 8, BLOCK=8)
    assert torch.equal(out, x)


def fake_tensor() -> torch.Tensor:
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        return torch.zeros(8)


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: np.zeros(8, dtype=np.float32), TypeError, "ndarray"),
        (lambda: [1.0, 2.0], TypeError, "list"),
        (lambda: "x", TypeError, "str"),
        (lambda: np.float32(1), TypeError, "float32"),
        (lambda: torch.zeros(8, dtype=torch.complex64), TypeError, "elements of type 'complex64'"),
        (lambda: torch.zeros(8, device="meta"), ValueError, "argument 'x_ptr' .* device 'meta'"),
        (lambda: torch.eye(4).to_sparse(), RuntimeError, "doesn't have storage"),
        (fake_tensor, ValueError, "argument 'x_ptr' .* with 8 elements has no memory"),
        (lambda: 2**64, OverflowError, "does not fit in 64 bits"),
    ],
    ids=["numpy", "list", "text", "scalar", "complex", "meta", "sparse", "fake", "huge"],
)
def test_what_is_no_argument_is_refused(make: Any, error: type[Exception], text: str):
    argument = make()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of torch, about the address of a FakeTensor
        with pytest.raises(error, match=text):
            copy[(1,)](argument, torch.zeros(8), 8, BLOCK=8)


#
# Numbers
#


@triton.jit
def store_typed(out_ptr, a: tl.int8, b: tl.uint16, c: tl.int64, d: tl.float16, e: tl.float64):
    tl.store(out_ptr, a)
    tl.store(out_ptr + 1, b)
    tl.store(out_ptr + 2, c)
    tl.store(out_ptr + 3, d)
    tl.store(out_ptr + 4, e)


def test_numbers_of_annotated_types(memory: Memory):
    out = memory.empty(5, dtype=torch.float64)
    store_typed[(1,)](out, -128, 65535, -(2**50), 0.1, 0.1)
    assert out.tolist() == [-128, 65535, -(2**50), torch.tensor(0.1).half().item(), 0.1]


@triton.jit
def divide_large(out_ptr, x):
    tl.store(out_ptr, x // 3)
    tl.store(out_ptr + 1, (x > 5).to(tl.uint64))


@pytest.mark.parametrize("x", [2**31, 2**63 - 1, 2**63, 2**64 - 1])
def test_large_numbers_keep_their_sign(memory: Memory, x: int):
    """From 2^63 on, a number is unsigned."""
    out = memory.holding(torch.zeros(2, dtype=torch.uint64))
    divide_large[(1,)](out, x)
    assert out.tolist() == [x // 3, 1]


@pytest.mark.parametrize("value", [0.5, -0.0, 1e300, float("inf"), float("nan"), 5e-324])
def test_floats_are_single(memory: Memory, value: float):
    out = memory.empty(1)
    store_scalar[(1,)](out, value)
    want = torch.tensor([value], dtype=torch.float64).float()
    assert torch.equal(out.view(torch.int32), want.view(torch.int32)) or value != value


@triton.jit
def specialized(out_ptr, n, stride, flag):
    at = tl.arange(0, 16)
    tl.store(out_ptr + at * stride, n + at, mask=(at < 4) & flag)


@pytest.mark.parametrize("n", [0, 1, 2, 16, 17, -1, -16, 2**31 - 64, 2**31, 2**40])
@pytest.mark.parametrize("stride", [1, 2, 16])
def test_values_that_are_specialized_on(memory: Memory, n: int, stride: int):
    """Triton compiles anew for 1 and for multiples of 16."""
    out = memory.empty(4 * stride, dtype=torch.int64)
    specialized[(1,)](out, n, stride, True)
    assert out[::stride].tolist() == [n, n + 1, n + 2, n + 3]
    specialized[(1,)](out, n + 5, stride, False)
    assert out[0] == n


#
# Grids
#


@triton.jit
def number_programs(out_ptr):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    nx, ny, nz = tl.num_programs(0), tl.num_programs(1), tl.num_programs(2)
    at = (z * ny + y) * nx + x
    tl.store(out_ptr + at, at + 1000 * nx + 100000 * ny + 10000000 * nz)


@pytest.mark.parametrize(
    "grid", [(1,), (5,), [4], (2, 3), (2, 3, 4), (1, 1, 7), (np.int64(3),), (torch.tensor(2), 2)]
)
def test_grids(memory: Memory, grid: Any):
    x, y, z = (*(int(g) for g in grid), 1, 1)[:3]
    out = memory.empty(x * y * z, dtype=torch.int64)
    number_programs[grid](out)
    assert torch.equal(out, torch.arange(x * y * z) + 1000 * x + 100000 * y + 10000000 * z)


def test_a_grid_may_be_a_function(memory: Memory):
    out = memory.empty(100)
    x = memory.holding(torch.arange(100.0))
    copy[lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]),)](x, out, 100, BLOCK=32)
    assert torch.equal(out, x)


@pytest.mark.parametrize("grid", [(0,), (3, 0), (1, 0, 5)])
def test_an_empty_grid(grid: tuple[int, ...]):
    counter = torch.zeros(1, dtype=torch.int32)
    count_programs[grid](counter)
    assert counter.item() == 0


@pytest.mark.parametrize(
    ("grid", "error", "text"),
    [
        ((-1,), OverflowError, "grid of kernel 'count_programs': -1 does not fit"),
        ((2**32,), OverflowError, "grid of kernel 'count_programs': 4294967296 does not fit"),
        ((1.5,), TypeError, "grid of kernel 'count_programs': 'float'"),
        (("a",), TypeError, "grid of kernel 'count_programs': 'str'"),
    ],
)
def test_what_is_no_grid_is_refused(grid: Any, error: type[Exception], text: str):
    with pytest.raises(error, match=text):
        count_programs[grid](torch.zeros(1, dtype=torch.int32))


#
# Options
#

OPTIONS: list[dict[str, Any]] = [
    {"num_warps": 1},
    {"num_warps": 32},
    {"num_stages": 1},
    {"num_stages": 7},
    {"num_ctas": 2},
    {"maxnreg": 32},
    {"enable_fp_fusion": False},
    {"debug": True},
    {"sanitize_overflow": False},
    {"launch_cooperative_grid": True},
    {"launch_pdl": True},
    {"extern_libs": {}},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_options_of_a_launch(options: dict[str, Any]):
    kernel = run_copy(torch.arange(40.0), **options)
    for name, value in options.items():
        if name != "extern_libs":
            assert getattr(kernel.metadata, name) == value


def test_an_option_is_part_of_what_is_compiled():
    compiled: list[dict[str, Any]] = []
    runtime = triton.knobs.runtime
    before = runtime.jit_post_compile_hook
    runtime.jit_post_compile_hook = lambda **event: compiled.append(event["compile"])
    try:
        copy.device_caches.clear()
        for options in ({}, {"num_warps": 2}, {"num_warps": 2}, {"enable_fp_fusion": False}):
            run_copy(torch.arange(16.0), **options)
    finally:
        runtime.jit_post_compile_hook = before
    assert [(c["num_warps"], c["enable_fp_fusion"]) for c in compiled] == [
        (4, True),
        (2, True),
        (4, False),
    ]


@triton.jit
def add_bytes(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, x + x)


def test_overflow_is_checked_in_debug_mode_only():
    x, out = torch.full((4,), 2**30, dtype=torch.int32), torch.zeros(4, dtype=torch.int32)
    add_bytes[(1,)](x, out, BLOCK=4)
    assert out.tolist() == [-(2**31)] * 4
    add_bytes[(1,)](x, out, BLOCK=4, debug=True, sanitize_overflow=False)
    with pytest.raises(triton_shared.DeviceAssertError, match="overflow"):
        add_bytes[(1,)](x, out, BLOCK=4, debug=True)


#
# Round a launch
#


def test_ways_to_launch():
    x, out = torch.arange(8.0), torch.zeros(8)
    bound = copy[(1,)]
    kernels = [
        lambda: bound(x, out, 8, 8),
        lambda: bound(x, out_ptr=out, BLOCK=8, n=8),
        lambda: copy.run(x, out, 8, BLOCK=8, grid=(1,), warmup=False),
        lambda: bound(x, out, 8, 8)[(1, 1, 1)](x, out, 8, 8),
    ]
    for launch in kernels:
        out.zero_()
        launch()
        assert torch.equal(out, x)


def test_the_device_has_the_name_that_torch_gives_it():
    driver = triton.runtime.driver.active
    assert driver.get_current_device() == torch.cpu.current_device()
    assert driver.get_active_torch_device() == torch.device("cpu")
    assert driver.get_current_target().backend == "cpu"
    run_copy(torch.arange(4.0))
    assert copy.device_caches[torch.cpu.current_device()][0]


def test_launch_metadata():
    seen: list[dict[str, Any]] = []

    def describe(grid: Any, kernel: Any, args: dict[str, Any]) -> dict[str, Any]:
        return {"grid": grid, "n": args["n"], "name": kernel.name}

    described = triton.jit(launch_metadata=describe)(copy.fn)
    hook = triton.knobs.runtime.launch_enter_hook
    record = lambda metadata: seen.append(metadata.get())  # noqa: E731
    hook.add(record)
    try:
        described[(1, 3, 2)](torch.zeros(8), torch.zeros(8), 6, BLOCK=8)
    finally:
        hook.remove(record)
    assert [(s["grid"], s["n"], s["name"]) for s in seen] == [((1, 3, 2), 6, "copy")]


def test_load_hooks(fresh_cache: Any):
    names: list[tuple[str, str]] = []
    runtime = triton.knobs.runtime
    start = lambda module, function, name, group, hash: names.append(("start", name))  # noqa: E731
    end = lambda module, function, name, group, hash: names.append(("end", name))  # noqa: E731
    runtime.kernel_load_start_hook.add(start)
    runtime.kernel_load_end_hook.add(end)
    try:
        copy.device_caches.clear()
        run_copy(torch.arange(4.0))
    finally:
        runtime.kernel_load_start_hook.remove(start)
        runtime.kernel_load_end_hook.remove(end)
    assert names == [("start", "copy"), ("end", "copy")]


def test_hooks_before_a_run():
    def refuse(*args: Any, **kwargs: Any) -> None:
        raise PermissionError("not today")

    guarded = triton.jit(copy.fn)
    guarded.add_pre_run_hook(refuse)
    with pytest.raises(PermissionError, match="not today"):
        guarded[(1,)](torch.zeros(4), torch.zeros(4), 4, BLOCK=4)


def test_launches_leave_no_python_objects_behind():
    x, out = torch.arange(8.0), torch.zeros(8)
    copy[(1,)](x, out, 8, BLOCK=8)
    tracemalloc.start()
    try:
        gc.collect()
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(300):
            copy[(1,)](x, out, 8, BLOCK=8)
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 5000


def test_compiled_kernels_say_what_they_need():
    kernel = copy.warmup(torch.float32, torch.float32, 8, BLOCK=8, grid=(1,))
    kernel._init_handles()
    assert (kernel.n_regs, kernel.n_spills, kernel.metadata.shared) == (32, 0, 1)
    assert kernel.metadata.name == kernel.name == "copy"
    assert kernel.metadata.target.backend == "cpu"


#
# Benchmarks and tuning
#


@pytest.mark.parametrize("mode", ["min", "max", "mean", "median", "all"])
def test_benchmarks(mode: str):
    x = torch.arange(64.0)
    milliseconds = triton.testing.do_bench(
        lambda: run_copy(x), warmup=1, rep=3, return_mode=mode, grad_to_none=[x]
    )
    times = milliseconds if mode == "all" else [milliseconds]
    assert times
    assert all(0 < time < 1000 for time in times)


def test_the_benchmark_of_the_driver():
    bench = triton.runtime.driver.active.get_benchmarker()
    low, middle, high = bench(lambda: run_copy(torch.arange(4.0)), quantiles=[0.2, 0.5, 0.8])
    assert 0 < low <= middle <= high


@triton.jit
def add_one(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, tl.load(x_ptr + at, mask=at < n) + 1, mask=at < n)


def quickly(call: Any, quantiles: Any) -> Any:
    return triton.testing.do_bench(call, quantiles=quantiles, warmup=1, rep=1)


CONFIGS = [triton.Config({"BLOCK": block}) for block in (16, 64)]


@pytest.mark.parametrize("named", [False, True])
def test_tuning_restores_what_it_changed(named: bool):
    tuned = triton.autotune(CONFIGS, key=["n"], restore_value=["x_ptr"], do_bench=quickly)(add_one)
    x = torch.zeros(100)
    grid = lambda meta: (triton.cdiv(100, meta["BLOCK"]),)  # noqa: E731
    tuned[grid](x_ptr=x, n=100) if named else tuned[grid](x, 100)
    assert torch.equal(x, torch.ones(100))


def test_tuning_resets_to_zero():
    tuned = triton.autotune(CONFIGS, key=["n"], reset_to_zero=["x_ptr"], do_bench=quickly)(add_one)
    x = torch.full((50,), 7.0)
    tuned[lambda meta: (triton.cdiv(50, meta["BLOCK"]),)](x, 50)
    assert torch.equal(x, torch.ones(50))


def test_tuning_calls_its_hooks_and_prunes():
    calls: list[str] = []
    tuned = triton.autotune(
        CONFIGS,
        key=["n"],
        do_bench=quickly,
        pre_hook=lambda *args, **kwargs: calls.append("pre"),
        post_hook=lambda *args, exception: calls.append("post"),
        prune_configs_by={"early_config_prune": lambda configs, named, **kwargs: configs[:1]},
    )(add_one)
    tuned[(4,)](torch.zeros(50), 50)
    assert calls.count("pre") - calls.count("post") in (0, 1)
    assert tuned.best_config.kwargs == {"BLOCK": 16}


def test_tuned_results_are_kept_per_key():
    tuned = triton.autotune(CONFIGS, key=["n"], do_bench=quickly)(add_one)
    for n in (10, 20, 10):
        x = torch.zeros(n)
        tuned[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, n)  # noqa: B023
    assert len(tuned.cache) == 2


def test_scaled_twice_by_one_compiled_kernel():
    """The launcher of a kernel keeps nothing of the arguments of its last launch."""
    x = torch.arange(32.0)
    for factor in (2.0, -1.0):
        out = torch.zeros(32)
        scale[(1,)](x, out, 32, factor, BLOCK=32)
        assert torch.equal(out, factor * x)
