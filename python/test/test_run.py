"""Scripts that were written for a GPU, on the CPU: `python -m triton_shared.run`."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import triton
from kernels import scale
from torch.utils._triton import has_triton_tma_device
from torch.utils.checkpoint import checkpoint
from triton.backends.compiler import GPUTarget
from triton_shared.run import cuda_means_cpu
from triton_shared.stand_in import torch_cuda

SCRIPT = """
import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    i = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    live = i < n_elements
    total = tl.load(x_ptr + i, mask=live) + tl.load(y_ptr + i, mask=live)
    tl.store(output_ptr + i, total, mask=live)


def add(x, y):
    output = torch.empty_like(x)
    assert x.is_cuda and y.is_cuda and output.is_cuda
    size = output.numel()
    kernel = add_kernel[lambda meta: (triton.cdiv(size, meta["BLOCK_SIZE"]),)](
        x, y, output, size, BLOCK_SIZE=1024
    )
    torch.cuda.synchronize()
    print(f"largest difference: {torch.max(torch.abs(x + y - output))}")
    for name, key in FILES.items():
        with open(name, "w") as file:
            print(kernel.asm[key], file=file)


FILES = {
    "triton_IR.txt": "ttir",
    "triton_TTGIR.txt": "ttgir",
    "triton_LLVMIR.txt": "llir",
    "triton_PTX.ptx": "ptx",
    "triton_cubin.txt": "cubin",
}
torch.manual_seed(0)
add(torch.rand(98432, device="cuda"), torch.rand(98432, device="cuda"))
"""
"""What a well-known walk through Triton's stages does, and how it does it."""


def run(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "script.py").write_text(script)
    command = [sys.executable, "-m", "triton_shared.run", "script.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)


def test_a_script_that_writes_a_gpu_s_phases_runs_to_its_end(tmp_path: Path):
    done = run(SCRIPT, tmp_path)
    assert (done.stdout, done.returncode) == ("largest difference: 0.0\n", 0), done.stderr
    text = (tmp_path / "triton_IR.txt").read_text()
    assert "tt.func public @add_kernel(" in text
    assert text.count("tt.divisibility = 16 : i32") == 4
    assert "noinline = false" in text
    assert "#ttg.blocked<" in (tmp_path / "triton_TTGIR.txt").read_text()
    assert "fadd" in (tmp_path / "triton_LLVMIR.txt").read_text()
    assert ".visible .entry add_kernel(" in (tmp_path / "triton_PTX.ptx").read_text()
    assert (tmp_path / "triton_cubin.txt").read_text().startswith("b'\\x7fELF")


@pytest.mark.parametrize(
    ("key", "nearest"),
    [("hsaco", "obj"), ("amdgcn", "ptx"), ("lnalg", "linalg"),
     ("llvmir", "llir"), ("something", None)],
)  # fmt: skip
def test_a_missing_phase_of_the_cpu_names_the_nearest(key: str, nearest: str | None):
    out = torch.zeros(20)
    asm = scale[(1,)](torch.ones(20), out, 20, 4.0, BLOCK=32).asm
    with pytest.raises(KeyError) as caught:
        asm[key]
    has = "it has cubin, linalg, llir, memref, obj, ptx, s, sass, source, structured, ttgir, ttir"
    end = f"{has}; the nearest is '{nearest}'" if nearest else has
    assert caught.value.args[0] == f"a kernel compiled for the CPU has no '{key}'; {end}"
    assert key not in asm


def test_what_others_call_the_phase_memref_is_known():
    asm = scale[(1,)](torch.ones(20), torch.zeros(20), 20, 4.0, BLOCK=32).asm
    assert asm["ttsharedir"] == asm["memref"]
    assert "memref.reinterpret_cast" in asm["ttsharedir"]


@pytest.mark.parametrize(
    ("key", "nearest"),
    [
        ("ttgir", "cta"),
        ("obj", "cubin"),
        ("memref", "gpu"),
        ("ttsharedir", "gpu"),
        ("amdgcn", "ptx"),
    ],
)
def test_a_missing_phase_of_a_gpu_names_the_nearest(key: str, nearest: str):
    signature = {"x_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32", "factor": "fp32"}
    source = triton.compiler.ASTSource(
        scale, {**signature, "BLOCK": "constexpr"}, constexprs={"BLOCK": 32}
    )
    asm = triton.compile(source, target=GPUTarget("shared_cuda", 90, 32)).asm
    with pytest.raises(KeyError) as caught:
        asm[key]
    has = "cta, cubin, gpu, linalg, llir, ptx, sass, source, structured, ttir"
    assert caught.value.args[0] == (
        f"a kernel compiled for the GPU has no '{key}'; it has {has}; the nearest is '{nearest}'"
    )


def test_cuda_is_the_cpu_in_the_block_only():
    was_there = torch.cuda.is_available()
    with cuda_means_cpu():
        assert torch.cuda.is_available()
        made = [
            torch.ones(3, device="cuda"),
            torch.ones(3, device=torch.device("cuda", 0)),
            torch.ones(3).to("cuda:0"),
            torch.ones(3).cuda(),
            torch.empty_like(torch.ones(3), device="cuda").fill_(1),
        ]
        assert all(x.is_cuda for x in made)
        torch.cuda.synchronize()
    assert all(x.device.type == "cpu" and not x.is_cuda and x.eq(1).all() for x in made)
    assert torch.cuda.is_available() == was_there


def test_exit_codes_and_arguments_are_the_script_s(tmp_path: Path):
    (tmp_path / "helper.py").write_text("code = 3\n")
    script = "import sys, helper\nprint(sys.argv)\nsys.exit(helper.code)\n"
    done = run(script, tmp_path)
    assert (done.stdout, done.returncode) == ("['script.py']\n", 3)


@pytest.mark.parametrize(
    "line",
    ["assert torch.equal(x, x + 1)", "raise RuntimeError('unknown backend')", "torch.nowhere"],
)
def test_a_script_that_fails_is_told_what_is_another_here(line: str, tmp_path: Path):
    done = run(f"import torch\nx = torch.ones(3, device='cuda')\n{line}\n", tmp_path)
    assert done.returncode == 1
    said = done.stderr.splitlines()
    assert "Traceback (most recent call last):" in said
    (note,) = (text for text in said if text.startswith("triton_shared.run: note: "))
    assert "Triton's backend is 'cpu' here, and torch computes on the CPU" in note
    assert note.endswith("; docs/gpu-scripts.md says what is not answered")


ANSWERS = """
import sys, torch
properties = torch.cuda.get_device_properties("cuda")
assert properties.multi_processor_count > 0 and properties.total_memory > 0
assert (properties.major, properties.minor) == torch.cuda.get_device_capability() == (9, 0)
assert torch.cuda.get_device_name(0) == properties.name != ""
assert torch.cuda.is_bf16_supported() and torch.cuda.device_count() == 1
torch.cuda.manual_seed(3)
first = torch.rand(4, device="cuda", generator=torch.Generator(device="cuda").manual_seed(5))
again = torch.rand(4, device="cuda", generator=torch.Generator("cuda").manual_seed(5))
assert torch.equal(first, again)
assert isinstance(torch.Generator(), torch.Generator)
start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
stream = torch.cuda.Stream()
with torch.cuda.stream(stream), torch.cuda.device(0):
    start.record()
    torch.cuda.current_stream().wait_stream(stream)
    end.record(stream)
stream.synchronize()
assert end.query() and 0 <= start.elapsed_time(end) < 1000
torch.cpu.set_stream(torch.cpu.Stream())
assert torch.cuda.max_memory_allocated() == 0 and torch.cuda.mem_get_info()[1] > 0
torch.cuda.nvtx.range_push("here")
torch.cuda.nvtx.range_pop()
print(sys.argv, __name__)
"""
"""What scripts ask of torch.cuda."""


def test_torch_cuda_answers_for_the_cpu(tmp_path: Path):
    done = run(ANSWERS, tmp_path)
    assert (done.stdout, done.returncode) == ("['script.py'] __main__\n", 0), done.stderr


def test_a_module_is_run_by_its_name(tmp_path: Path):
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "program.py").write_text(
        "import sys, torch\nfrom . import __name__ as parent\n"
        "print(parent, sys.argv[1:], torch.ones(1, device='cuda').is_cuda, __name__)\n"
    )
    command = [sys.executable, "-m", "triton_shared.run", "-m", "package.program", "-x", "-m"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.stdout == "package ['-x', '-m'] True __main__\n", done.stderr


def test_torch_has_its_own_answers_again_behind_the_block():
    names = [(torch.cuda, name) for name in torch_cuda.ANSWERS]
    names += [(torch.accelerator, name) for name in torch_cuda.ACCELERATOR]
    names += [(torch, "Generator"), (torch, "get_device_module")]
    before = [getattr(module, name, None) for module, name in names]
    had = hasattr(torch.cpu, "set_stream")
    with cuda_means_cpu():
        assert torch.cuda.Event is torch_cuda.Event
    assert [getattr(module, name, None) for module, name in names] == before
    assert hasattr(torch.cpu, "set_stream") == had


def test_torch_asks_again_whether_there_is_a_gpu_for_triton():
    assert not has_triton_tma_device()
    with cuda_means_cpu():
        assert has_triton_tma_device()
    assert not has_triton_tma_device()


class Doubled(torch.autograd.Function):
    """Asks where its tensors are, in both directions."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x + on_cuda(x)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return grad + on_cuda(grad)


def on_cuda(x: torch.Tensor) -> torch.Tensor:
    assert x.is_cuda
    return torch.empty_like(x, device="cuda").copy_(x)


@pytest.mark.parametrize("how", ["backward", "grad", "checkpoint"])
def test_gradients_are_computed_on_the_same_device(how: str):
    with cuda_means_cpu():
        x = torch.ones(3, device="cuda", requires_grad=True)
        if how == "checkpoint":
            y = checkpoint(lambda x: Doubled.apply(x).sin(), x, use_reentrant=False)
        else:
            y = Doubled.apply(x)
        if how == "grad":
            (gradient,) = torch.autograd.grad(y.sum(), [x])
        else:
            y.sum().backward()
            gradient = x.grad
    factor = math.cos(2) if how == "checkpoint" else 1
    assert torch.allclose(gradient, torch.full((3,), 2.0 * factor))


def define(name: str, *devices: str | None) -> Callable[[torch.Tensor], torch.Tensor]:
    """An operation of torch with a body for each of the devices; the CPU's own adds 100."""

    def body(x: torch.Tensor) -> torch.Tensor:
        return x + on_cuda(x)

    def other(x: torch.Tensor) -> torch.Tensor:
        return x + 100

    first, *rest = devices
    operation = torch.library.custom_op(
        f"triton_shared_test::{name}",
        other if first == "cpu" else body,
        mutates_args=(),
        device_types=first,
    )
    for device in rest:
        operation.register_kernel(device, other if device == "cpu" else body)
    return operation


BODIES = {"any": (None,), "cuda": ("cuda",), "cpu_first": ("cpu", "cuda"), "last": ("cuda", "cpu")}


@pytest.mark.parametrize(
    ("devices", "is_before"),
    [(d, before) for d in BODIES for before in (True, False) if not before or d != "cuda"],
)
def test_operations_with_bodies_of_python(devices: str, is_before: bool, recwarn: Any):
    name = f"{devices}_{is_before}"
    if is_before:
        operation = define(name, *BODIES[devices])
    with cuda_means_cpu():
        if not is_before:
            operation = define(name, *BODIES[devices])
        want = 101.0 if "cpu" in BODIES[devices] else 2.0
        assert operation(torch.ones(3, device="cuda")).tolist() == [want] * 3
    assert not recwarn.list


def test_an_operation_of_a_library_has_its_body_for_cuda():
    with cuda_means_cpu():
        library = torch.library.Library("triton_shared_test_library", "FRAGMENT")
        library.define("twice(Tensor x) -> Tensor")
        library.impl("twice", lambda x: x + on_cuda(x), "CUDA")
        x = torch.ones(3, device="cuda")
        assert torch.ops.triton_shared_test_library.twice(x).tolist() == [2.0] * 3


def test_the_module_of_a_device_is_that_of_cuda():
    with cuda_means_cpu():
        x = torch.arange(20.0, device="cuda")
        out = torch.empty_like(x)
        with torch.get_device_module(x.device).device(x.device.index):
            scale[(1,)](x, out, 20, 2.0, BLOCK=32)
        assert torch.equal(out, x * 2)
        assert torch.get_device_module("cuda") is torch.get_device_module() is torch.cuda
    assert torch.get_device_module("cpu") is torch.cpu


def test_cuda_is_the_accelerator():
    with cuda_means_cpu():
        assert torch.accelerator.is_available()
        assert torch.accelerator.current_accelerator().type == "cuda"
        with torch.accelerator.device_index(torch.accelerator.current_device_index()):
            x = torch.ones(3, device=torch.accelerator.current_accelerator())
        torch.accelerator.synchronize()
        assert x.is_cuda


def test_kernels_take_seed_and_offset_from_the_generator_of_the_device():
    with cuda_means_cpu():
        (generator,) = torch.cuda.default_generators
        torch.manual_seed(7)
        state = generator.get_state()
        assert state.view(torch.int64).tolist() == [7, 0]
        state.view(torch.int64)[1] += 12
        assert generator.get_offset() == 0
        generator.set_state(state)
        assert (generator.initial_seed(), generator.get_offset()) == (7, 12)
        torch.cuda.manual_seed(8)
        assert generator.get_state().view(torch.int64).tolist() == [8, 0]
        assert generator.seed() == generator.initial_seed() != 8
        generator.manual_seed(2**64 - 1)
        assert generator.initial_seed() == -1
        with pytest.raises(ValueError, match=r"16 elements of torch\.uint8"):
            generator.set_state(torch.zeros(8, dtype=torch.uint8))


def test_a_graph_calls_what_was_captured_again():
    with cuda_means_cpu():
        x, total = torch.arange(20.0), torch.zeros(20)
        out = torch.zeros(20)
        captured = torch.cuda.CUDAGraph()
        with torch.cuda.graph(captured):
            doubled = x * 2
            scale[(1,)](doubled, out, 20, 10.0, BLOCK=32)
            total += out
        assert total.eq(0).all(), "a capture changes nothing"
        assert out.eq(0).all()
        for factor in (1, 3):
            x.copy_(torch.arange(20.0) * factor)
            captured.replay()
            assert torch.equal(doubled, x * 2)
            assert torch.equal(out, x * 20)
        assert torch.equal(total, torch.arange(20.0) * 80)
        captured.reset()
        captured.replay()
        assert torch.equal(total, torch.arange(20.0) * 80)


def test_a_capture_that_fails_leaves_memory_and_launches_as_they_were():
    launch = triton.JITFunction.run
    with cuda_means_cpu():
        x = torch.ones(4)
        with pytest.raises(RuntimeError, match="The size of tensor a"):
            capture_what_fails(x)
    assert x.eq(1).all()
    assert triton.JITFunction.run is launch


def capture_what_fails(x: torch.Tensor) -> None:
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        x += 1
        x += torch.ones(3)


def test_do_bench_cudagraph():
    x, out = torch.arange(20.0), torch.zeros(20)
    with cuda_means_cpu():
        launch = lambda: scale[(1,)](x, out, 20, 2.0, BLOCK=32)  # noqa: E731
        assert 0 < triton.testing.do_bench_cudagraph(launch, rep=2) < 1000
    assert torch.equal(out, 2 * x)


def test_a_program_can_reckon_how_many_of_it_fit():
    """As the tutorial about softmax does, before it launches as many programs as fit at once."""
    driver = triton.runtime.driver.active
    facts = driver.utils.get_device_properties(driver.get_active_torch_device().index)
    x, out = torch.arange(20.0), torch.zeros(20)
    kernel = scale.warmup(x, out, 20, 2.0, BLOCK=32, num_warps=8, grid=(1,))
    kernel._init_handles()
    fit = facts["max_num_regs"] // (kernel.n_regs * facts["warpSize"] * 8)
    fit = min(fit, facts["max_shared_mem"] // kernel.metadata.shared)
    assert fit >= 1
    assert kernel.n_spills == 0


def test_a_program_may_compile_before_anything_else_has(tmp_path: Path):
    # What torch._dynamo asks of torch it asks once in a process.
    script = """
import torch

@torch.compile(backend="eager")
def f(x):
    return torch.sin(x) + torch.zeros(3, device=x.device)

assert torch.equal(f(torch.ones(3, device="cuda")), torch.sin(torch.ones(3)))
"""
    done = run(script, tmp_path)
    assert done.returncode == 0, done.stderr


def test_the_device_is_chosen_by_a_type_and_has_a_stream_by_number():
    with cuda_means_cpu():
        chosen = torch.cuda.device(0)
        assert isinstance(chosen, torch.cuda.device)
        assert chosen.idx == 0
        with chosen, torch.cuda.device_of(torch.ones(1)):
            assert torch._C._cuda_getCurrentRawStream(0) == 0
    assert not hasattr(torch._C, "_cuda_getCurrentRawStream")
