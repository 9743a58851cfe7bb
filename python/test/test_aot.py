"""Kernels made ahead of time: the files, their linking, and the C and C++ programs that call them.

The programs are in `aot/`. On a GPU scripts/gpu-check runs the same ones; here the launchers for
CUDA are built, linked and called with a driver that writes down what it is asked for.
"""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
from pathlib import Path

import aot_programs
import fake_cuda
import numpy as np
import pytest
import triton
from aot_programs import ADD, GRID, KERNELS, compile_variant
from fake_cuda import FakeCuda
from tree import ROOT
from triton_shared import CompilationError, TritonSharedError, aot
from triton_shared.aot import outputs, runtime
from triton_shared.aot.hidden import hidden_parameters

CPU_AND_GPU = pytest.mark.parametrize("target", ["cpu", "cuda:80", "cuda:90"])
BEFORE_37 = tuple(map(int, triton.__version__.split(".")[:2])) < (3, 7)
SEED = ("--kernel-name", "add_kernel", "--signature", "*fp32,*fp32,*fp32,i32,64")


def tool(name: str, *words: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", f"triton_shared.{name}", *map(str, words)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120)


@pytest.fixture(scope="module")
def cpu(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    folder = tmp_path_factory.mktemp("cpu")
    return folder, aot_programs.compile_all(folder, "cpu")


@pytest.fixture(scope="module")
def cuda(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    folder = tmp_path_factory.mktemp("cuda")
    return folder, aot_programs.compile_all(folder, "cuda:90")


# Programs.


def run(program: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program], capture_output=True, text=True, timeout=60)


def test_the_c_program_runs_on_the_cpu_under_address_sanitizer(cpu):
    done = run(aot_programs.build(*cpu_words(cpu), (*aot_programs.C, *aot_programs.CHECKED)))
    assert (done.stdout, done.stderr, done.returncode) == ("0 wrong\n", "", 0)


def test_the_same_program_links_to_the_output_for_cuda(cuda):
    folder, definitions = cuda
    program = aot_programs.build(folder, "cuda:90", definitions, aot_programs.C)
    undefined = subprocess.run(["nm", "-u", program], capture_output=True, text=True).stdout
    assert "dlopen" in undefined
    assert not re.search(r"\bcu[A-Z]", undefined)


def test_the_functors_run_in_cpp(cpu):
    assert run(aot_programs.build(*cpu_words(cpu), aot_programs.CPP)).stdout == "right\n"


def test_launchers_and_functors_for_cuda_are_cpp(cuda):
    folder, definitions = cuda
    assert aot_programs.build(folder, "cuda:90", definitions, aot_programs.CPP).is_file()


def cpu_words(cpu: tuple[Path, dict[str, str]]) -> tuple[Path, str, dict[str, str]]:
    return cpu[0], "cpu", cpu[1]


# Names and files, as Triton's own tool makes them.


@pytest.mark.parametrize(("target", "endings"), [("cpu", "c h kernel.o"), ("cuda:90", "c h")])
def test_hash_and_files_are_those_of_triton(tmp_path: Path, target: str, endings: str):
    grid = ("--grid=1024,1024,1024", "--target", target)
    done = tool("compile", *SEED, *grid, "-o", "out/add_kernel", KERNELS, cwd=tmp_path)
    suffix = "01234" if BEFORE_37 else ""
    expected = [f"out/add_kernel.9969bdda_{suffix}.{ending}" for ending in endings.split()]
    assert (done.stderr, done.stdout.split(), done.returncode) == ("", expected, 0)
    assert all((tmp_path / name).is_file() for name in expected)


def test_a_c_compiler_beside_the_kernel_leaves_it_alone(tmp_path: Path):
    kernel = aot.compile_kernel(KERNELS, "add_kernel", ADD.format(""), GRID)
    launcher, _, machine_code = aot.write(kernel, tmp_path / "add")
    before = machine_code.read_bytes()
    subprocess.run(["cc", "-c", launcher.name], cwd=tmp_path, check=True)
    assert machine_code.read_bytes() == before
    objects = sorted(path.name for path in tmp_path.glob("*.o"))
    assert objects == [f"{launcher.stem}.kernel.o", f"{launcher.stem}.o"]


def test_a_grid_may_cast_and_calculate():
    grid = "(int64_t)(n_elements + 0x3Fu) / 64, n_elements > 2 ? 1 : 2, sizeof(int) / 4"
    kernel = aot.compile_kernel(KERNELS, "add_kernel", ADD.format(""), grid)
    assert kernel.grid[2] == "sizeof(int) / 4"


@CPU_AND_GPU
def test_hints_are_in_the_suffix(target: str):
    kernel = aot.compile_kernel(
        KERNELS, "add_kernel", "*fp32:16, *fp32, *fp32:16, i32:1, 16", "1,1,1", target=target
    )
    assert kernel.suffix == ("0d12d3c4" if BEFORE_37 else "0d2d3c")
    assert [parameter.name for parameter in kernel.passed] == ["x_ptr", "y_ptr", "output_ptr"]


@CPU_AND_GPU
def test_every_output_is_made(tmp_path: Path, target: str):
    phases = "obj" if target == "cpu" else "ptx cubin"
    emit = f"c h hpp a so ttir linalg llir {phases}"
    kernel = compile_variant(tmp_path, "add_kernel", ADD.format(""), GRID, target, emit=emit)
    made = {path.name.rpartition(".")[2]: path for path in tmp_path.iterdir()}
    assert len(made) == len(emit.split())
    assert f"tt.func public @{kernel.symbol}(" in made["ttir"].read_text()
    assert "linalg." in made["mlir"].read_text()
    assert "define" in made["ll"].read_text()
    assert made["so"].read_bytes().startswith(b"\x7fELF")
    if target == "cpu":
        assert made["o"].read_bytes().startswith(b"\x7fELF")
    else:
        assert f".entry {kernel.symbol}(" in made["ptx"].read_text()
        assert made["cubin"].read_bytes().startswith(b"\x7fELF")


def test_triton_s_linker_reads_the_headers(tmp_path: Path):
    from triton.tools.link import HeaderParser

    parser = HeaderParser()
    for hint in ("", ":16"):
        kernel = compile_variant(tmp_path, "add_kernel", ADD.format(hint), GRID, "cpu")
        parser.extract_linker_meta((tmp_path / f"add_kernel{kernel.file_suffix}.h").read_text())
    ((name, metas),) = parser.kernels.items()
    assert name == "add_kernel_64_warps1xstages3"
    assert [meta.sizes for meta in metas] == [[None] * 4, [16] * 4]
    assert metas[0].arg_names == ["x_ptr", "y_ptr", "output_ptr", "n_elements"]


def test_a_file_of_ttir_is_a_kernel(tmp_path: Path):
    text = "module { tt.func public @inc(%p: !tt.ptr<i32>, %n: i32) {\n"
    text += "  tt.store %p, %n : !tt.ptr<i32>\n  tt.return } }\n"
    (tmp_path / "inc.ttir").write_text(text)
    kernel = aot.compile_kernel(tmp_path / "inc.ttir", "inc", "*i32, i32", "1,1,1")
    so, h = aot.write(kernel, tmp_path / "inc", ["so", "h"])
    memory = np.zeros(1, np.int32)
    aot.Program(so, h)(memory, 42)
    assert memory[0] == 42
    with pytest.raises(TritonSharedError, match=r"takes \(ptr, i32\), .* says \(ptr, i64\)"):
        aot.compile_kernel(tmp_path / "inc.ttir", "inc", "*i32, i64", "1,1,1")


def test_special_registers_are_read_without_the_library(tmp_path: Path):
    read = 'tt.elementwise_inline_asm "mov.u{0} $0, %{1};" {{constraints = "={2}", '
    read += "packed_element = 1 : i32, pure = false}} -> i{0}"
    text = f"""module {{ tt.func public @look(%p: !tt.ptr<i64>, %q: !tt.ptr<i32>) {{
        %t = {read.format(64, "globaltimer", "l")}
        tt.store %p, %t : !tt.ptr<i64>
        %n = {read.format(32, "smid", "r")}
        %c = {read.format(32, "nsmid", "r")}
        %fits = arith.cmpi ult, %n, %c : i32
        %bit = arith.extui %fits : i1 to i32
        tt.store %q, %bit : !tt.ptr<i32>
        tt.return }} }}"""
    (tmp_path / "look.ttir").write_text(text)
    kernel = aot.compile_kernel(tmp_path / "look.ttir", "look", "*i64, *i32", "1,1,1")
    look = aot.Program(*aot.write(kernel, tmp_path / "look", ["so", "h"]))
    times, fits = np.zeros(2, np.int64), np.zeros(1, np.int32)
    look(times, fits)
    look(times[1:], fits)
    assert 0 < times[0] <= times[1]
    assert fits[0] == 1


# Launchers.


def test_dispatch_takes_what_promises_most_and_fits(tmp_path: Path):
    signatures = ["*fp32, *fp32, *fp32, i32, 16", "*fp32:16, *fp32:16, *fp32:16, i32:16, 16"]
    signatures += ["*fp32, *fp32, *fp32, i32:1, 16"]
    for signature in signatures:
        compile_variant(tmp_path, "add_kernel", signature, "n_elements, 1, 1", "cpu")
    headers = sorted(tmp_path.glob("*.h"))
    source = aot.link_headers(headers, tmp_path / "add")[1].read_text()
    general, special, one = places(source, headers)
    assert special < one < general
    assert "if (n_elements == 1)" in source


def places(source: str, headers: list[Path]) -> tuple[int, int, int]:
    """Where the variants without hints, with most and with one are called."""
    found = {}
    for header in headers:
        variant = aot.linker.read_header(header)
        found[len(variant.conditions())] = source.index(f"return {variant.symbol}(")
    return found[0], found[4], found[1]


def test_a_failing_assertion_is_an_error_code(tmp_path: Path):
    kernel = aot.compile_kernel(
        aot_programs.KERNELS, "speaks", "*i32, i32", "1,1,1", options={"debug": True}
    )
    library, header = aot.write(kernel, tmp_path / "speaks", ["so", "h"])
    code = (
        "import sys, numpy; from triton_shared import aot\n"
        "p = aot.Program(*sys.argv[1:]); x = numpy.array([5], 'int32'); p(x, 7); p(x, 7)\n"
        "try: p(x, 7)\n"
        "except RuntimeError as e: print(e)\n"
        "print(x[0])"
    )
    command = [sys.executable, "-u", "-c", code, str(library), str(header)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines() == [
        "pid (0, 0, 0) idx () value: 5",
        "pid (0, 0, 0) idx () value: 6",
        "pid (0, 0, 0) idx () value: 7",
        f"'{kernel.symbol}' failed with CUresult 710",
        "7",
    ]
    assert "kernels.py:" in done.stderr
    assert "pid (0, 0, 0): assertion failed: too large" in done.stderr


def test_a_launcher_brings_along_the_files_of_the_runtime_that_its_kernel_needs():
    kernel_h, scratch = ((ROOT / "runtime/kernel" / file) for file in ("kernel.h", "scratch.c"))
    called = runtime.called_by(b"\0tritonSharedScratch\0")
    assert called == ["tritonSharedScratch"]
    text = runtime.source_of(called)
    assert text.startswith(kernel_h.read_text())
    assert text.endswith(scratch.read_text().partition('#include "kernel.h"\n\n')[2])
    assert "tritonSharedPrintText(const char *text, int64_t size) {" not in text
    assert not runtime.source_of(runtime.called_by(b"\0malloc\0"))


def test_a_launcher_for_cuda_finds_the_driver_as_the_library_does():
    kernel = aot.compile_kernel(KERNELS, "add_kernel", ADD.format(""), GRID, target="cuda:90")
    text = outputs.launcher(kernel, "")
    driver, launch = (
        (ROOT / "runtime/cuda" / file).read_text() for file in ("driver.h", "launch.h")
    )
    assert driver in text
    assert launch.replace('#include "driver.h"\n\n', "") in text
    own = text.replace(driver, "")
    assert "dlopen(" not in own
    assert "dlsym(" not in own


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> FakeCuda:
    monkeypatch.setenv("TRITON_SHARED_LIBCUDA", str(fake_cuda.LIBRARY))
    return FakeCuda()


def cuda_program(folder: Path, signature: str = ADD.format("")) -> aot.Program:
    kernel = aot.compile_kernel(KERNELS, "add_kernel", signature, GRID, target="cuda:90")
    return aot.Program(*aot.write(kernel, folder / "add", ["so", "h"]))


def make_current(driver: FakeCuda, device: int) -> None:
    library = driver._library
    context = ctypes.c_void_p()
    library.cuInit(0)
    library.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
    library.cuCtxSetCurrent(context)
    driver.take()


def test_arguments_reach_the_driver_as_the_kernel_reads_them(tmp_path: Path, driver: FakeCuda):
    kernel = aot.compile_kernel(
        KERNELS, "scalars", aot_programs.SCALARS, "5, 1, 1", target="cuda:90", num_warps=2
    )
    program = aot.Program(*aot.write(kernel, tmp_path / "scalars", ["so", "h"]))
    make_current(driver, 0)
    program(0x7000, 0.125, 0xC100, 0xC020, 1e300, -7, 200, 1, -(2**62), stream=7)
    (launch,) = [line for line in driver.take() if line.startswith("cuLaunchKernel")]
    assert f" {kernel.symbol} grid=5,1,1 block=32,1,1 " in launch
    assert " stream=7 " in launch
    values = [bytes.fromhex(text) for text in launch.partition("args=")[2].split(",")]
    # The natural sizes: a float is four bytes, which Triton's own tool gets wrong.
    assert values == [
        (0x7000).to_bytes(8, "little"),
        np.float32(0.125).tobytes(),
        (0xC100).to_bytes(2, "little"),
        (0xC020).to_bytes(2, "little"),
        np.float64(1e300).tobytes(),
        np.int8(-7).tobytes(),
        np.uint8(200).tobytes(),
        np.uint32(1).tobytes(),
        np.int64(-(2**62)).tobytes(),
    ]


def test_small_programs_share_a_block(tmp_path: Path, driver: FakeCuda):
    signature = "*fp32:16, *fp32:16, *fp32:16, i32:16, 64"
    kernel = aot.compile_kernel(
        KERNELS, "add_kernel", signature, "n_elements, 3, 1", target="cuda:90"
    )
    assert kernel.block == (32, 4)
    program = aot.Program(*aot.write(kernel, tmp_path / "add", ["so", "h"]))
    make_current(driver, 0)
    program(0x7000, 0x8000, 0x9000, 80, stream=0)
    (launch,) = [line for line in driver.take() if line.startswith("cuLaunchKernel")]
    assert f" {kernel.symbol} grid=20,3,1 block=32,4,1 " in launch
    assert launch.endswith((80).to_bytes(4, "little").hex())


def test_a_launcher_in_c_passes_what_the_list_says():
    listed = [{"kind": kind, "bytes": 4, "alignment": 4} for kind in ("grid.z", "grid.x")]
    passed = hidden_parameters("k", "cuda", listed)
    assert [(one.c_type, one.c_value) for one in passed] == [
        ("uint32_t", "(uint32_t)gridZ"),
        ("uint32_t", "(uint32_t)gridX"),
    ]
    with pytest.raises(
        TritonSharedError, match=r"hidden parameter 'programs.first', .*maps.missing\n"
    ):
        hidden_parameters("k", "cuda", [{"kind": "programs.first"}])


def test_a_kernel_is_loaded_once_for_each_device(tmp_path: Path, driver: FakeCuda):
    program = cuda_program(tmp_path)
    loads = []
    for device in (0, 1, 0, 1):
        make_current(driver, device)
        program(0, 0, 0, 100)
        loads += [line for line in driver.take() if line.startswith("cuModuleLoad")]
    assert loads == ["cuModuleLoadDataEx 0", "cuModuleLoadDataEx 1"]
    symbol = program._symbol
    assert program.call(f"unload_{symbol}") == 0
    assert sum(line.startswith("cuModuleUnload") for line in driver.take()) == 2
    assert program.call(f"load_{symbol}") == 0
    assert "cuModuleLoadDataEx 1" in driver.take()


def test_failures_of_the_driver_are_returned(tmp_path: Path, driver: FakeCuda):
    program = cuda_program(tmp_path)
    make_current(driver, 0)
    for function in ("cuModuleLoadDataEx", "cuModuleGetFunction", "cuLaunchKernelEx"):
        driver.fail(function, 719)
        with pytest.raises(TritonSharedError, match="failed with CUresult 719"):
            program(0, 0, 0, 100)
        driver.fail(function, 0)
    program(0, 0, 0, 100)
    driver._library.cuCtxSetCurrent(None)
    with pytest.raises(TritonSharedError, match="failed with CUresult 201"):
        program(0, 0, 0, 100)


def test_without_a_driver_a_launch_is_an_error_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("TRITON_SHARED_LIBCUDA", str(tmp_path / "absent.so"))
    program = cuda_program(tmp_path)
    with pytest.raises(TritonSharedError, match="failed with CUresult 303"):
        program(0, 0, 0, 100)


def test_a_library_that_is_no_driver_is_the_same_error_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("TRITON_SHARED_LIBCUDA", "libm.so.6")
    program = cuda_program(tmp_path)
    with pytest.raises(TritonSharedError, match="failed with CUresult 303"):
        program(0, 0, 0, 100)


def test_a_driver_that_does_not_start_says_why_by_its_code(
    tmp_path: Path, driver: FakeCuda, monkeypatch: pytest.MonkeyPatch
):
    program = cuda_program(tmp_path)
    with monkeypatch.context() as patch:
        patch.setenv("FAKE_CUDA_INIT", "100")
        with pytest.raises(TritonSharedError, match="failed with CUresult 100"):
            program(0, 0, 0, 100)
    driver._library.cuInit(0)


def test_an_empty_grid_needs_no_driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TRITON_SHARED_LIBCUDA", str(tmp_path / "absent.so"))
    program = cuda_program(tmp_path)
    program(0, 0, 0, 0)
    with pytest.raises(TritonSharedError, match=r"failed with CUresult 1$"):
        program(0, 0, 0, -1000)


def test_the_ctypes_loader_takes_arrays_and_tensors(tmp_path: Path):
    import torch

    kernel = aot.compile_kernel(KERNELS, "add_kernel", ADD.format(""), GRID)
    add = aot.Program(*aot.write(kernel, tmp_path / "add", ["so", "h"]))
    x, out = np.arange(100, dtype=np.float32), torch.zeros(100)
    add(x, x, out, 100)
    np.testing.assert_array_equal(out.numpy(), 2 * x)
    with pytest.raises(TypeError, match=r"takes \(x_ptr, y_ptr, output_ptr, n_elements\), got 1"):
        add(x)


@pytest.mark.parametrize(("kind", "dtype"), [("fp32", np.float32), ("fp64", np.float64)])
def test_rows_are_added_atomically(tmp_path: Path, kind: str, dtype: type):
    """By a function of the runtime, which the launcher has as C and as C++."""
    kernel = aot.compile_kernel(KERNELS, "add_row", f"*{kind}, *{kind}, i32, 32", "1, 1, 1")
    library, launcher, header = aot.write(kernel, tmp_path / "row", ("so", "c", "h"))
    add = aot.Program(library, header)
    x, sums = np.arange(32, dtype=dtype), np.ones(40, dtype=dtype)
    for at in range(8):
        add(sums, x, at)
    assert sums.tolist() == [
        1 + sum(i - at for at in range(8) if 0 <= i - at < 32) for i in range(40)
    ]
    for command in (aot_programs.C, (*aot_programs.CPP, "-x", "c++")):
        built = [*command, "-c", launcher, "-o", tmp_path / "launcher.o"]
        subprocess.run(built, check=True, capture_output=True)


# Libraries.


MAIN = """
#include "add.h"
int main(void) { return my_add_kernel_default(0, 0, 0, 0, 0); }
"""
PROJECT = """
cmake_minimum_required(VERSION 3.16)
project(consumer LANGUAGES C)
find_package(add REQUIRED)
add_executable(main main.c)
target_link_libraries(main PRIVATE {library})
"""


@pytest.fixture(
    params=[("cpu", "a"), ("cpu", "so"), ("cuda:90", "a,so")], ids=lambda p: "-".join(p)
)
def package(tmp_path: Path, request: pytest.FixtureRequest) -> tuple[Path, str]:
    """A folder with the files of `link --lib`, moved from where they were made; and the list."""
    target, libraries = request.param
    made = tmp_path / "made"
    for hint in ("", ":16"):
        compile_variant(made, "add_kernel", ADD.format(hint), GRID, target)
    words = ("-o", "out/add", "--prefix", "my_", "--lib", libraries)
    done = tool("link", *sorted(made.glob("*.h")), *words, cwd=tmp_path)
    files = ["add.h", "add.c", "add.hpp", *(f"libadd.{ending}" for ending in libraries.split(","))]
    expected = [f"out/{file}" for file in [*files, "add.pc", "addConfig.cmake"]]
    assert (done.stderr, done.stdout.split()) == ("", expected)
    (tmp_path / "main.c").write_text(MAIN)
    return (tmp_path / "out").rename(tmp_path / "moved"), libraries


def run_linked(program: Path, folder: Path) -> int:
    """The exit code; an archive is part of the program, a library is in `folder`."""
    return subprocess.run([program], env={"LD_LIBRARY_PATH": str(folder)}, timeout=60).returncode


def test_pkg_config_finds_a_linked_library(tmp_path: Path, package: tuple[Path, str]):
    folder, libraries = package
    asked = ["pkg-config", "--cflags", "--libs", "add"]
    said = subprocess.run(
        asked, env={"PKG_CONFIG_PATH": str(folder)}, capture_output=True, text=True, check=True
    )
    command = ["gcc", "-Wall", "-Werror", "main.c", "-o", "main", *said.stdout.split()]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert run_linked(tmp_path / "main", folder) == 0
    needed = subprocess.run(["readelf", "-d", tmp_path / "main"], capture_output=True, text=True)
    assert ("[libadd.so]" in needed.stdout) == ("so" in libraries)


def test_cmake_finds_a_linked_library(tmp_path: Path, package: tuple[Path, str]):
    folder, libraries = package
    # Of both, the shared one is usual; the archive has a name of its own.
    library = "add::static" if libraries == "a,so" else "add::add"
    (tmp_path / "CMakeLists.txt").write_text(PROJECT.format(library=library))
    build = ["cmake", "-G", "Ninja", "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={folder}"]
    subprocess.run(build, cwd=tmp_path, check=True, capture_output=True)
    subprocess.run(["ninja", "-C", "build"], cwd=tmp_path, check=True, capture_output=True)
    assert run_linked(tmp_path / "build" / "main", folder) == 0


# Errors.


@pytest.mark.parametrize(
    ("signature", "message"),
    [
        ("*fp32, *fp32, *fp32, i32", "has 4 types, but the kernel has 5 parameters: x_ptr, y_ptr"),
        ("*fp32, *fp32, *fp32, int, 64", "'n_elements' has the unknown type 'int'"),
        ("*fp32:8, *fp32, *fp32, i32, 64", r"'x_ptr' has the unknown hint '\*fp32:8'"),
        ("*fp32:1, *fp32, *fp32, i32, 64", r"'x_ptr' has the unknown hint '\*fp32:1'"),
        ("*fp32, *fp32, *fp32, fp32:16, 64", "'n_elements' has the unknown hint 'fp32:16'"),
        ("*fp33, *fp32, *fp32, i32, 64", r"'\*fp33', a pointer to the unknown type 'fp33'"),
        ("*fp32, *fp32, *fp32, i32, i32", "is a tl.constexpr\nwrite its value in the signature"),
        ("*fp32, 100, *fp32, i32, 64", "the number 100 for 'y_ptr', which is no tl.constexpr"),
    ],
)
def test_a_bad_signature_is_explained(signature: str, message: str):
    with pytest.raises(TritonSharedError, match=message):
        aot.compile_kernel(KERNELS, "add_kernel", signature, GRID)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--target", "cuda"), "unknown target 'cuda'; use cpu, or cuda:<compute capability>"),
        (("--emit", "ptx"), "target cpu has no 'ptx'; it has ttir, linalg, llir, obj"),
        (("--emit", "exe"), "unknown output 'exe'; use c, h, hpp, a, so, ttir"),
        (("--option", "speed=9"), "there is no option 'speed'; there are allow_flush_denorm, arch"),
        (("--grid", "1,1"), "the grid has three C expressions"),
        (("--grid", "n,1,1"), "'n' in the grid is no parameter of the kernel\nuse numbers and x_"),
        (("--grid", "(n_elements,1),1"), "the grid has three C expressions"),
        (("--grid", "n_elements),1,1"), "the grid has three C expressions"),
        (("-n", "sub"), "has no @triton.jit function 'sub'; it has add_kernel, add_row, scalars"),
    ],
)
def test_a_bad_command_line_is_explained(
    tmp_path: Path, words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
):
    from triton_shared import compile

    command = [*SEED, "--grid", "1,1,1", "-o", str(tmp_path / "x"), *words, str(KERNELS)]
    assert compile.main(command) == 1
    said = capsys.readouterr().err
    assert said.startswith("triton_shared.compile: error: ")
    assert message in said


def test_a_kernel_that_does_not_lower_says_why(tmp_path: Path):
    file = tmp_path / "bad.py"
    file.write_text(
        "import triton\nimport triton.language as tl\n@triton.jit\ndef bad(x):\n"
        '    y = tl.inline_asm_elementwise("ex2 $0, $1;", "=f,f", [tl.load(x)],\n'
        "                                  tl.float32, True, 1)\n"
        "    tl.store(x, y)\n"
    )
    with pytest.raises(CompilationError, match="phase 'linalg' failed") as caught:
        aot.compile_kernel(file, "bad", "*fp32", "1,1,1")
    assert re.search(rf"{re.escape(str(file))}:[56]:\d+: error: ", str(caught.value))


def test_kernels_that_do_not_belong_together_are_not_linked(tmp_path: Path):
    add = compile_variant(tmp_path, "add_kernel", ADD.format(""), GRID, "cpu")
    compile_variant(tmp_path, "scalars", aot_programs.SCALARS, "1,1,1", "cpu")
    wide = compile_variant(tmp_path, "add_kernel", "*fp32,*fp32,*fp32,i64,64", GRID, "cpu")
    headers = [tmp_path / f"add_kernel{kernel.file_suffix}.h" for kernel in (add, wide)]
    (other,) = tmp_path.glob("scalars*.h")
    with pytest.raises(TritonSharedError, match="different kernels: 'add_kernel' in"):
        aot.link_headers([headers[0], other], tmp_path / "all")
    with pytest.raises(TritonSharedError, match="differ in more than constants and hints"):
        aot.link_headers(headers, tmp_path / "all")
    with pytest.raises(TritonSharedError, match="is in several headers"):
        aot.link_headers([headers[0], headers[0]], tmp_path / "all")
    with pytest.raises(TritonSharedError, match=r"is not a header of triton_shared\.compile"):
        aot.link_headers([tmp_path / f"add_kernel{add.file_suffix}.c"], tmp_path / "all")


def test_a_missing_compiler_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CC", "no-such-compiler -m64")
    kernel = aot.compile_kernel(KERNELS, "add_kernel", ADD.format(""), GRID)
    with pytest.raises(TritonSharedError, match="need 'no-such-compiler', which is not there"):
        aot.write(kernel, tmp_path / "add", ["so"])
