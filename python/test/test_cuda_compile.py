"""Kernels compiled for a GPU that is not there: their phases, and the launch of the real cubin.

The driver is a fake that reads from the cubin how large each parameter is; so what is checked here
is that the bytes of a launch are those that the compiled kernel reads.
"""

from __future__ import annotations

import pickle
import re
import struct
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import fake_cuda
import kernels
import pytest
import torch
import triton
import triton.language as tl
import triton_shared
from fake_cuda import Array, FakeCuda
from triton.backends.compiler import GPUTarget
from triton_shared import library
from triton_shared.diff import cubins, recorder, replay

SIGNATURE = {
    "x_ptr": "*fp32",
    "out_ptr": "*fp32",
    "n": "i32",
    "factor": "fp32",
    "BLOCK": "constexpr",
}


def compile_scale(arch: int = 90, block: int = 128, **options: Any) -> Any:
    source = triton.compiler.ASTSource(kernels.scale, SIGNATURE, constexprs={"BLOCK": block})
    return triton.compile(source, target=GPUTarget("shared_cuda", arch, 32), options=options)


@pytest.fixture
def cuda() -> Iterator[FakeCuda]:
    fake_cuda.choose()
    with triton_shared.device("cuda"):
        fake = FakeCuda()
        yield fake


def test_asm_has_every_phase():
    asm = compile_scale().asm
    assert set(library.phases("cuda")) <= set(asm)
    assert "tt.func public @scale" in asm["ttir"]
    assert "tts.load" in asm["structured"]
    assert "cta." in asm["cta"]
    assert "define" in asm["llir"]
    assert ".entry scale" in asm["ptx"]
    assert asm["cubin"].startswith(b"\x7fELF")


@pytest.mark.parametrize(("arch", "target"), [(80, "sm_80"), (90, "sm_90a")])
def test_the_architecture_is_the_target(arch: int, target: str):
    assert re.search(rf"\.target {target}\b", compile_scale(arch).asm["ptx"])


def test_sass_is_made_when_it_is_asked_for():
    kernel = compile_scale()
    assert "sass" not in kernel.asm
    assert "EXIT" in kernel.asm["sass"]


def test_a_missing_key_names_the_others():
    with pytest.raises(
        KeyError, match=r"for the GPU has no 'ttgir'; it has cta, cubin, gpu, linalg"
    ):
        compile_scale().asm["ttgir"]


def test_warps_are_those_of_the_block():
    for warps in (1, 4, 8):
        kernel = compile_scale(block=1024, num_warps=warps)
        assert kernel.metadata.num_warps == warps
        assert re.search(rf"\.reqntid {32 * warps}, 1, 1\b", kernel.asm["ptx"])


def test_small_programs_share_a_block():
    kernel = compile_scale(num_warps=4)
    assert kernel.metadata.num_warps == 4
    assert list(kernel.metadata.block) == [32, 4]
    assert ".reqntid 32, 4, 1" in kernel.asm["ptx"]
    assert kernel.metadata.hidden == [{"kind": "grid.x", "bytes": 4, "alignment": 4}]


def test_an_error_of_the_compiler_is_one_of_the_kernel():
    @triton.jit
    def waits(out, n):
        text: tl.constexpr = "no.instruction 0, 64; mov.b32 $0, $1;"
        tl.store(out, tl.inline_asm_elementwise(text, "=r,r", [n], tl.int32, False, 1))

    source = triton.compiler.ASTSource(waits, {"out": "*i32", "n": "i32"})
    target = GPUTarget("shared_cuda", 90, 32)
    with pytest.raises(triton_shared.CompilationError, match="kernel 'waits' did not compile"):
        triton.compile(source, target=target)


def test_a_launch_packs_what_the_cubin_reads(cuda: FakeCuda):
    x, out = Array(0x1000), Array(0x2000)
    kernels.scale[(7,)](x, out, 100, 2.5, BLOCK=1024, num_warps=2)
    (launch,) = cuda.launches()
    assert launch["kernel"] == "scale"
    assert launch["grid"] == "7,1,1"
    assert launch["block"] == "64,1,1"
    given = [bytes.fromhex(text) for text in launch["args"].split(",")]
    values = [struct.pack("<Q", 0x1000), struct.pack("<Q", 0x2000), struct.pack("<i", 100)]
    assert given == [*values, struct.pack("<f", 2.5)]


@pytest.mark.parametrize(("programs", "blocks"), [(1, 1), (4, 1), (7, 2), (4096, 1024)])
def test_a_launch_of_programs_that_share_blocks_tells_their_number(
    programs: int, blocks: int, cuda: FakeCuda
):
    kernels.scale[(programs, 3)](Array(0x1000), Array(0x2000), 100, 2.5, BLOCK=128)
    (launch,) = cuda.launches()
    assert launch["grid"] == f"{blocks},3,1"
    assert launch["block"] == "32,4,1"
    given = [bytes.fromhex(text) for text in launch["args"].split(",")]
    assert given[-2:] == [struct.pack("<f", 2.5), struct.pack("<I", programs)]


def test_a_recording_without_its_source_is_launched_from_its_text(
    cuda: FakeCuda, monkeypatch: pytest.MonkeyPatch
):
    recorded = []
    with triton_shared.device("cpu"), recorder.catching(recorded, "scale"):
        x = torch.ones(100)
        kernels.scale[(3,)](x, x.clone(), 100, 2.5, BLOCK=1024, num_warps=2)
    launch = replace(recorded[0][0], file="")
    memory = [storage.clone() for storage in launch.storages]
    monkeypatch.setattr(cubins, "launch", lambda *given: cubins.start(*given, device=1, stream=7))
    cuda.take()
    replay._replay_text(launch, "shared_cuda", memory)
    (made,) = cuda.launches()
    assert (made["kernel"], made["grid"], made["block"]) == ("scale", "3,1,1", "64,1,1")
    assert (made["device"], made["stream"]) == ("1", "7")
    assert [bytes.fromhex(text) for text in made["args"].split(",")] == [
        *(struct.pack("<Q", part.data_ptr()) for part in memory),
        struct.pack("<i", 100),
        struct.pack("<f", 2.5),
    ]
    wrong = replace(launch, ttir=launch.ttir.replace("tt.store", "tt.stone"))
    with pytest.raises(triton_shared.CompilationError, match=r"tt\.stone"):
        replay._replay_text(wrong, "shared_cuda", memory)


@triton.jit
def every_kind(p, a, b, c, d, e, f, h, g, out):
    v = a.to(tl.float64) + b + c + d + e + f + h.to(tl.float64) + g
    tl.store(out, v + tl.load(p))


def test_every_kind_of_argument_has_the_size_that_the_cubin_reads(cuda: FakeCuda):
    signature = {"p": "*fp16", "a": "i1", "b": "i8", "c": "i16", "d": "i32", "e": "i64"}
    signature |= {"f": "fp16", "h": "bf16", "g": "fp64", "out": "*fp64"}
    kernel = triton.compile(triton.compiler.ASTSource(every_kind, signature))
    half, out = Array(0x1000, torch.float16), Array(0x2000, torch.float64)
    kernel[(1, 1, 1)](half, True, -2, 300, -70000, 2**40, 1.5, -2.0, 0.1, out)
    (launch,) = cuda.launches()
    given = [bytes.fromhex(text) for text in launch["args"].split(",")]
    assert [len(value) for value in given] == [8, 1, 1, 2, 4, 8, 2, 2, 8, 8]
    formats = ["<Q", "<b", "<b", "<h", "<i", "<q", "<e", None, "<d", "<Q"]
    values = [0x1000, 1, -2, 300, -70000, 2**40, 1.5, None, 0.1, 0x2000]
    for value, form, expected in zip(given, formats, values, strict=True):
        assert form is None or struct.unpack(form, value) == (expected,)
    assert given[7] == b"\x00\xc0"


def test_both_devices_keep_their_own_kernels(cuda: FakeCuda):
    on_cpu = torch.arange(32.0), torch.zeros(32)
    with triton_shared.device("cpu"):
        kernels.scale[(1,)](*on_cpu, 32, 2.0, BLOCK=32)
    kernels.scale[(1,)](Array(0x1000), Array(0x2000), 32, 2.0, BLOCK=32)
    with triton_shared.device("cpu"):
        kernels.scale[(1,)](*on_cpu, 32, 3.0, BLOCK=32)
    assert torch.equal(on_cpu[1], 3 * on_cpu[0])
    assert len(cuda.launches()) == 1


@triton.jit
def backwards(x, out, N: tl.constexpr):
    """Rows from the last to the first: any thread may need what any other has."""
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    rows = tl.gather(tl.load(x + i * N + j), N - 1 - i + 0 * j, axis=0)
    tl.store(out + i * N + j, rows)


def test_an_autotuner_passes_over_what_needs_too_much_shared_memory():
    signature = {"x": "*fp32", "out": "*fp32", "N": "constexpr"}
    source = triton.compiler.ASTSource(backwards, signature, constexprs={"N": 256})
    target = GPUTarget("shared_cuda", 90, 32)
    with pytest.raises(triton.OutOfResources) as raised:
        triton.compile(source, target=target, options={"num_warps": 32})
    error = raised.value
    assert isinstance(error, triton_shared.CompilationError)
    assert (error.required, error.limit, error.name) == (262144, 232448, "shared memory")
    assert "kernel 'backwards' needs 262144 bytes of shared memory" in str(error)
    assert "use smaller blocks" in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error)
    assert again.required == error.required


def test_too_much_shared_memory_is_what_autotuners_expect(
    cuda: FakeCuda, monkeypatch: pytest.MonkeyPatch
):
    kernel = compile_scale()
    monkeypatch.setattr(kernel, "metadata", kernel.metadata._replace(shared=1 << 20))
    with pytest.raises(triton.OutOfResources, match="shared memory"):
        kernel[(1, 1, 1)](Array(), Array(), 1, 1.0, 128)
