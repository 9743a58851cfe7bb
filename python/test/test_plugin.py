"""What Triton itself offers round a kernel works on this device."""

from __future__ import annotations

import importlib.machinery
import math
import os
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton_shared
from kernels import (
    count_programs,
    dot,
    fp8e4b15_round_trip,
    insist,
    nothing,
    print_values,
    program_order,
    scale,
)
from triton_shared import library


def run_scale(n: int = 100, **options: Any) -> Any:
    x, out = torch.arange(float(n)), torch.zeros(n)
    kernel = scale[(triton.cdiv(n, 32),)](x, out, n, 2.0, BLOCK=32, **options)
    assert torch.equal(out, 2 * x)
    return kernel


def test_asm_has_every_phase():
    kernel = run_scale()
    assert set(library.phases("cpu")) <= set(kernel.asm)
    assert "tt.func public @scale" in kernel.asm["ttir"]
    assert "tts.load" in kernel.asm["structured"]
    assert not re.search(r"\b(tt|tts)\.[a-z_]+ %", kernel.asm["memref"])
    assert "define" in kernel.asm["llir"]
    assert kernel.asm["obj"].startswith(b"\x7fELF")


def test_a_missing_key_names_the_others():
    with pytest.raises(KeyError, match=r"no 'hsaco'; it has cubin, linalg, llir, memref, obj"):
        run_scale().asm["hsaco"]


def test_triton_s_own_phases_are_made_when_they_are_asked_for():
    asm = run_scale(num_warps=8).asm
    assert "ttgir" not in asm
    assert '"ttg.num-warps" = 8' in asm["ttgir"]
    assert "sm_90" in asm["ptx"]
    assert asm["cubin"].startswith(b"\x7fELF")
    assert "EXIT" in asm["sass"]
    assert "@scale" in asm["llir"], "the CPU's"


def test_a_phase_that_triton_cannot_make_is_an_error_that_says_so(
    monkeypatch: pytest.MonkeyPatch,
):
    from triton_shared.backend import nvidia

    def fail(*_: Any) -> None:
        raise RuntimeError("PassManager::run failed")

    asm = run_scale().asm
    monkeypatch.setattr(nvidia, "make", fail)
    with pytest.raises(KeyError, match="does not compile this kernel of the CPU: PassManager"):
        asm["ptx"]


def test_launch_options_are_accepted():
    run_scale(num_warps=8, num_stages=4, num_ctas=1, maxnreg=64)


def test_an_unknown_option_is_refused():
    with pytest.raises(KeyError, match="num_worps"):
        run_scale(num_worps=8)


def test_autotune():
    configs = [triton.Config({"BLOCK": block}, num_warps=4) for block in (16, 64)]
    tuned = triton.autotune(configs, key=["n"])(scale)
    x, out = torch.arange(100.0), torch.zeros(100)
    tuned[lambda meta: (triton.cdiv(100, meta["BLOCK"]),)](x, out, 100, 3.0)
    assert torch.equal(out, 3 * x)
    assert tuned.best_config in configs


def test_heuristics():
    sized = triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(args["n"])})(scale)
    x, out = torch.arange(50.0), torch.zeros(50)
    sized[(1,)](x, out, 50, 3.0)
    assert torch.equal(out, 3 * x)


def test_do_bench():
    x = torch.arange(100.0)
    run = lambda: scale[(4,)](x, torch.empty_like(x), 100, 2.0, BLOCK=32)  # noqa: E731
    assert 0 < triton.testing.do_bench(run, warmup=1, rep=5) < 1000
    low, high = triton.testing.do_bench(run, warmup=1, rep=5, quantiles=[0.2, 0.8])
    assert 0 < low <= high


def test_launch_hooks(monkeypatch: pytest.MonkeyPatch):
    seen: list[tuple[str, str]] = []
    knobs = triton.knobs.runtime
    enter, leave = knobs.launch_enter_hook, knobs.launch_exit_hook
    first = lambda metadata: seen.append(("enter", metadata.get()["name"]))  # noqa: E731
    last = lambda metadata: seen.append(("exit", metadata.get()["name"]))  # noqa: E731
    enter.add(first)
    leave.add(last)
    try:
        run_scale()
    finally:
        enter.remove(first)
        leave.remove(last)
    assert seen == [("enter", "scale"), ("exit", "scale")]


def test_warmup_compiles_without_running():
    kernel = scale.warmup(torch.float32, torch.float32, 100, 2.0, BLOCK=128, grid=(1,))
    assert kernel.asm["obj"]
    x, out = torch.arange(100.0), torch.zeros(100)
    kernel[(1, 1, 1)](x, out, 100, 2.0, 128)
    assert torch.equal(out, 2 * x)


def test_print(capfd: pytest.CaptureFixture[str]):
    print_values[(2,)](torch.tensor([1.5, 2.5, 3.5, 4.5]), 42)
    printed = capfd.readouterr().out
    assert printed.count("value") >= 8
    for text in ("1.5", "4.5", "42"):
        assert text in printed


def test_assert():
    x, out = torch.tensor([1.0, 2.0]), torch.zeros(2)
    insist[(2,)](x, out, debug=True)
    assert torch.equal(out, x)
    with pytest.raises(triton_shared.DeviceAssertError, match="x must be positive"):
        insist[(2,)](-x, out, debug=True)
    insist[(2,)](-x, out)  # compiled out without `debug`
    assert torch.equal(out, -x)


def test_the_cache_is_used(fresh_cache: Path):
    hits: list[bool] = []
    triton.knobs.compilation.listener = lambda **event: hits.append(event["cache_hit"])
    try:
        for _ in range(2):
            scale.device_caches.clear()
            run_scale()
    finally:
        triton.knobs.compilation.listener = None
    assert hits == [False, True]
    kept = {path.name for path in fresh_cache.rglob("scale.*")}
    assert {f"scale.{phase}" for phase in library.phases("cpu")} <= kept


def test_always_compile(fresh_cache: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    hits: list[bool] = []
    triton.knobs.compilation.listener = lambda **event: hits.append(event["cache_hit"])
    try:
        for _ in range(2):
            scale.device_caches.clear()
            run_scale()
    finally:
        triton.knobs.compilation.listener = None
    assert hits == [False, False]


def test_dumps(fresh_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TRITON_SHARED_DUMP", str(tmp_path / "dump"))
    monkeypatch.setenv("TRITON_KERNEL_DUMP", "1")
    monkeypatch.setenv("TRITON_DUMP_DIR", str(tmp_path / "theirs"))
    scale.device_caches.clear()
    run_scale()
    ours = sorted(path.name for path in (tmp_path / "dump").rglob("*.*"))
    assert "input.mlir" in ours
    assert [name for name in ours if name[0].isdigit()] == [
        "01.ttir.mlir",
        "02.structured.mlir",
        "03.linalg.mlir",
        "04.memref.mlir",
        "05.llir.ll",
        "06.obj.o",
    ]
    theirs = {path.name for path in (tmp_path / "theirs").rglob("scale.*")}
    assert {f"scale.{phase}" for phase in library.phases("cpu")} <= theirs


def test_a_kernel_from_the_cache_is_dumped_as_one_that_is_compiled(
    fresh_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    run_anew()
    found: list[dict[Path, bytes]] = []
    for number, force in enumerate(("", "1")):
        folder = tmp_path / str(number)
        monkeypatch.setenv("TRITON_SHARED_DUMP", str(folder))
        monkeypatch.setenv("TRITON_ALWAYS_COMPILE", force)
        run_anew()
        files = (path for path in folder.rglob("*") if path.is_file())
        found.append({path.relative_to(folder): path.read_bytes() for path in files})
    assert len(found[0]) == 7
    assert found[0].keys() == found[1].keys()
    # The TTIR is as Triton has printed it, or we; an object is never the same twice.
    texts = [{p: c for p, c in kept.items() if p.name[:2] not in ("01", "06")} for kept in found]
    assert len(texts[0]) == 5
    assert texts[0] == texts[1]


def test_an_entry_without_the_phases_is_compiled_again_for_a_dump(
    fresh_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with monkeypatch.context() as only:
        only.setenv("TRITON_STORE_BINARY_ONLY", "1")
        run_anew()
    monkeypatch.setenv("TRITON_SHARED_DUMP", str(tmp_path / "dump"))
    for _ in range(2):
        run_anew()
    assert list((tmp_path / "dump").glob("*/03.linalg.mlir"))
    assert not list(fresh_cache.glob("[!.]*/scale.linalg")), "the entry stays for its readers"


def run_anew() -> None:
    """Launches as a new process would."""
    scale.device_caches.clear()
    run_scale()


def test_a_kernel_from_a_file(tmp_path: Path):
    path = tmp_path / "scale.ttir"
    path.write_text(run_scale().asm["ttir"])
    kernel = triton.compile(str(path))
    x, out = torch.arange(20.0), torch.zeros(20)
    kernel[(1, 1, 1)](x, out, 20, 5.0)
    assert torch.equal(out, 5 * x)


def test_override(fresh_cache: Path, tmp_path: Path):
    text = run_scale().asm["ttir"]
    path = tmp_path / "other.ttir"
    path.write_text(text.replace("arith.mulf", "arith.addf"))
    configs = [triton.Config({"BLOCK": 32}, ir_override=str(path))]
    tuned = triton.autotune(configs, key=[])(scale)
    x, out = torch.arange(20.0), torch.zeros(20)
    tuned[(1,)](x, out, 20, 2.0)
    assert torch.equal(out, x + 2)


@pytest.mark.parametrize("order", ["forward", "reverse", "random"])
def test_grid_order(order: str):
    seen = torch.zeros(50, dtype=torch.int32)
    with triton_shared.launches(threads=1, grid_order=order, grid_seed=3):
        program_order[(50,)](seen, torch.zeros(1, dtype=torch.int32))
    assert sorted(seen.tolist()) == list(range(50))
    if order != "random":
        assert seen.tolist() == sorted(range(50), reverse=order == "reverse")
    else:
        assert seen.tolist() not in (list(range(50)), list(range(49, -1, -1)))


def test_threads_do_not_change_results():
    x = torch.randn(10000)
    results = []
    for threads in (1, 2, 5):
        out = torch.empty_like(x)
        with triton_shared.launches(threads=threads):
            scale[(40,)](x, out, 10000, 1.1, BLOCK=256)
        results.append(out)
    assert torch.equal(results[0], results[1])
    assert torch.equal(results[0], results[2])


@pytest.mark.parametrize("grid", [(70000,), (2, 70000), (3, 5, 7)])
def test_large_grids(grid: tuple[int, ...]):
    counter = torch.zeros(1, dtype=torch.int32)
    count_programs[grid](counter)
    assert counter.item() == math.prod(grid)


def test_a_kernel_without_arguments():
    nothing[(4,)]()


@pytest.mark.parametrize("precision", ["", "ieee", "tf32", "tf32x3", "bf16x3", "bf16x6"])
def test_f32_is_rounded_only_where_the_kernel_says_so(precision: str):
    a, b = torch.randn(32, 32), torch.randn(32, 32)
    c = torch.empty(32, 32)
    dot[(1,)](a, b, c, N=32, PRECISION=precision)
    if precision == "tf32":
        a, b = (to_tf32(t) for t in (a, b))
    torch.testing.assert_close(c.double(), a.double() @ b.double(), rtol=1e-5, atol=1e-5)


def to_tf32(x: torch.Tensor) -> torch.Tensor:
    """Rounds to ten bits of mantissa, ties to even."""
    bits = x.view(torch.int32)
    return ((bits + 0xFFF + (bits >> 13 & 1)) & ~0x1FFF).view(torch.float32)


def test_launches_in_a_forked_process():
    """Small enough for torch, whose own threads do not survive a fork."""
    run_scale(1 << 14)
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        run_scale(1 << 14)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def test_programs_leave_no_memory_behind():
    """What a program allocates it frees: 200 000 programs would show a leak of 100 bytes each."""
    x = torch.randn(1 << 16)
    out = torch.empty_like(x)
    grid = (x.numel() // 32,)
    scale[grid](x, out, x.numel(), 1.5, BLOCK=32)
    before = resident_bytes()
    for _ in range(100):
        scale[grid](x, out, x.numel(), 1.5, BLOCK=32)
    assert resident_bytes() - before < 10 << 20


def resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def test_fp8e4b15():
    x = torch.tensor([0.0, 1.0, -1.0, 0.375, 1.75, -9.0, 1.3, 2**-9], dtype=torch.float16)
    out = torch.zeros_like(x)
    fp8e4b15_round_trip[(1,)](x, out, N=8)
    assert out.tolist() == [0.0, 1.0, -1.0, 0.375, 1.75, -1.75, 1.25, 2**-9]


def test_two_devices_do_not_share_kernels():
    from triton_shared.backend.driver import DEVICE

    run_scale()
    assert DEVICE in scale.device_caches
    assert 0 not in scale.device_caches


def test_the_device_is_put_back():
    config = triton.runtime.driver
    before = config.active
    with triton_shared.device("cpu"):
        assert config.active is before  # ours already
    assert config.active is before
    with pytest.raises(ValueError, match="device must be one of cpu, cuda; got 'gpu'"):
        triton_shared.device("gpu").__enter__()


def test_launches_in_threads():
    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(run_scale, 100 + i) for i in range(20)]:
            done.result()


IMPORT = "import triton, triton_shared; assert 'cpu' in triton.backends.backends"


@pytest.mark.parametrize("broken", [False, True], ids=["missing", "broken"])
def test_import_without_the_native_library(broken: bool, tmp_path: Path):
    """Importing triton works and says nothing; compiling says what is wrong."""
    if broken:
        suffix = importlib.machinery.EXTENSION_SUFFIXES[0]
        (tmp_path / f"_native{suffix}").write_bytes(b"not a library")
    environment = {**os.environ, "TRITON_SHARED_LIBRARY": str(tmp_path)}
    command = [sys.executable, "-c", IMPORT]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

    compile_one = f"{IMPORT}; import kernels, torch; x = torch.ones(1)\n"
    compile_one += "with triton_shared.device('cpu'): kernels.store_scalar[(1,)](x, 1)"
    done = subprocess.run(
        [sys.executable, "-c", compile_one],
        env=environment,
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode != 0
    assert "LibraryError: the native library of triton-shared" in done.stderr
    assert "make setup" in done.stderr


BESIDE_A_GPU = """
import os, torch
torch.cuda.is_available = lambda: True  # a GPU that only says that it is there
{before}
import triton
{after}
from kernels import scale
x, out = torch.arange(20.0), torch.zeros(20)
scale[(1,)](x, out, 20, 2.0, BLOCK=32)
print(type(triton.runtime.driver.active).__name__, torch.equal(out, 2 * x))
"""
ACTIVATE = "os.environ['TRITON_SHARED_ACTIVE'] = '1'"


def run_beside_a_gpu(before: str = "", after: str = "", **more: str) -> tuple[str, str]:
    environment = {k: v for k, v in os.environ.items() if k != "TRITON_SHARED_ACTIVE"}
    path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", BESIDE_A_GPU.format(before=before, after=after)],
        env={**environment, "PYTHONPATH": path, **more},
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.stdout.strip(), done.stderr


def test_the_cpu_can_be_the_default_device_beside_a_gpu():
    assert run_beside_a_gpu(TRITON_SHARED_ACTIVE="1")[0] == "CpuDriver True"
    assert run_beside_a_gpu(before=ACTIVATE)[0] == "CpuDriver True"


def test_the_cpu_does_not_push_itself_before_a_gpu():
    said = run_beside_a_gpu()
    assert "CpuDriver" not in said[0]
    assert "CudaDriver" in said[1] or "nvidia" in said[1]


def test_a_default_device_that_is_chosen_too_late_says_how():
    error = run_beside_a_gpu(after=ACTIVATE)[1]
    assert "Triton's device 'nvidia' is active, too, and Triton " in error
    assert "set the variable before Triton is imported, or choose the device" in error


def test_triton_s_own_variable_is_above_ours():
    said = run_beside_a_gpu(TRITON_SHARED_ACTIVE="1", TRITON_DEFAULT_BACKEND="nvidia")
    if tuple(map(int, triton.__version__.split(".")[:2])) >= (
        3,
        7,
    ):  # Before, Triton did not know it.
        assert "CpuDriver" not in said[0]
    else:
        assert said[0] == "CpuDriver True"
    said = run_beside_a_gpu(TRITON_SHARED_ACTIVE="1", TRITON_DEFAULT_BACKEND="cpu")
    assert said[0] == "CpuDriver True"


def test_compile_without_a_launch():
    source = triton.compiler.ASTSource(
        scale,
        {"x_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32", "factor": "fp32", "BLOCK": "constexpr"},
        constexprs={"BLOCK": 32},
    )
    for arch in ("", "cpu"):
        target = triton.backends.compiler.GPUTarget("cpu", arch, 32)
        assert triton.compile(source, target=target).metadata.entry
