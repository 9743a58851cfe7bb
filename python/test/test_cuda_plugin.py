"""The entry point `shared_cuda`: chosen by name, beside Triton's backend, clear in its errors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import fake_cuda
import kernels
import pytest
import triton
import triton_shared
from triton.backends.compiler import GPUTarget
from triton_shared import library
from triton_shared.cuda import tools
from triton_shared.cuda.options import CudaOptions


def in_a_process(program: str, **environment: str) -> str:
    """What a program prints; a process opens one driver in its life."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.stdout + done.stderr


CHOOSE = """
import triton_shared
try:
    with triton_shared.device("cuda"):
        print("on the GPU")
except triton_shared.CudaError as error:
    print(f"CudaError: {error}")
"""


def test_both_backends_are_there():
    assert {"cpu", "shared_cuda", "nvidia"} <= set(triton.backends.backends)


def test_each_target_has_one_backend():
    for name, target in [
        ("shared_cuda", GPUTarget("shared_cuda", 90, 32)),
        ("nvidia", GPUTarget("cuda", 90, 32)),
        ("cpu", GPUTarget("cpu", "cpu", 32)),
    ]:
        backends = triton.backends.backends
        assert [n for n, b in backends.items() if b.compiler.supports_target(target)] == [name]


def test_importing_loads_neither_driver_nor_library():
    program = (
        "import sys, triton; print([n for n in sys.modules if 'torch' in n or '_native' in n])"
    )
    assert in_a_process(program, TRITON_SHARED_LIBCUDA="/nowhere").strip() == "[]"


def test_it_is_the_default_only_if_it_is_named(monkeypatch: pytest.MonkeyPatch):
    driver = triton.backends.backends["shared_cuda"].driver
    assert not driver.is_active()
    monkeypatch.setenv("TRITON_DEFAULT_BACKEND", "nvidia")
    assert not driver.is_active()
    monkeypatch.setenv("TRITON_DEFAULT_BACKEND", "shared_cuda")
    assert driver.is_active() == (not triton.__version__.startswith("3.6"))


def test_without_a_driver_the_message_says_so():
    said = in_a_process(CHOOSE, TRITON_SHARED_LIBCUDA="/nowhere/libcuda.so.1")
    assert "CudaError: the CUDA driver does not load: /nowhere/libcuda.so.1" in said
    assert "install the NVIDIA driver, or point TRITON_SHARED_LIBCUDA at" in said


def test_a_library_that_is_no_driver_is_named():
    said = in_a_process(CHOOSE, TRITON_SHARED_LIBCUDA="libm.so.6")
    assert "the CUDA driver 'libm.so.6' cannot be used: it lacks the function 'cuInit'" in said


def test_a_driver_that_does_not_start_says_why():
    fake = str(fake_cuda.LIBRARY)
    said = in_a_process(CHOOSE, TRITON_SHARED_LIBCUDA=fake, FAKE_CUDA_INIT="100")
    assert "does not start: CUDA_ERROR_NO_DEVICE" in said
    assert "CUDA_VISIBLE_DEVICES" in said


def test_a_driver_without_a_gpu_says_so():
    fake = str(fake_cuda.LIBRARY)
    said = in_a_process(CHOOSE, TRITON_SHARED_LIBCUDA=fake, FAKE_CUDA_DEVICES="0")
    assert "CudaError: there is no NVIDIA GPU" in said


def test_the_cpu_works_where_the_gpu_does_not():
    program = (
        CHOOSE
        + """
import sys; sys.path.insert(0, "python/test")
import torch, kernels
with triton_shared.device("cpu"):
    x, out = torch.arange(32.0), torch.zeros(32)
    kernels.scale[(1,)](x, out, 32, 2.0, BLOCK=32)
    print(torch.equal(out, 2 * x))
"""
    )
    # The source of a kernel must be a file: `kernels` is one.
    program = program.replace('"python/test"', repr(str(Path(__file__).parent)))
    said = in_a_process(program, TRITON_SHARED_LIBCUDA="/nowhere")
    assert said.splitlines()[0].startswith("CudaError")
    assert said.splitlines()[-1] == "True"


def test_devices_have_names_of_their_own():
    fake_cuda.choose()
    with triton_shared.device("cuda"):
        active = triton.runtime.driver.active
        assert active.get_current_device() == "shared_cuda:0"
        active.set_current_device("shared_cuda:1")
        assert active.get_current_device() == "shared_cuda:1"
        active.set_current_device(0)
        assert active.get_current_target() == GPUTarget("shared_cuda", 90, 32)
        assert active.get_current_stream(active.get_current_device()) == 0
        facts = active.utils.get_device_properties(active.get_current_device())
        assert facts["max_shared_mem"] == 232448
        assert facts["multiprocessor_count"] == 132
        with triton_shared.device("cpu"):
            assert triton.runtime.driver.active.get_current_device() == "cpu"
        assert triton.runtime.driver.active is active


class TestTools:
    def test_they_come_with_the_wheel(self):
        assert tools.find_ptxas().name == "ptxas"
        assert tools.find_libdevice().name == "libdevice.10.bc"
        assert tools.version_of(tools.find_ptxas()).split(".")[0].isdigit()

    def test_the_environment_comes_first(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        ptxas = tmp_path / "ptxas"
        ptxas.write_text("#!/bin/sh\necho 'Cuda compilation tools, release 99.1, V99.1.2'\n")
        ptxas.chmod(0o755)
        monkeypatch.setenv("TRITON_PTXAS_PATH", str(ptxas))
        assert tools.find_ptxas() == ptxas
        assert tools.version_of(ptxas) == "99.1.2"

    def test_a_toolkit_comes_after_the_wheel(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        library = tmp_path / "nvvm" / "libdevice" / "libdevice.10.bc"
        library.parent.mkdir(parents=True)
        library.touch()
        monkeypatch.setenv("CUDA_HOME", str(tmp_path))
        assert tools.find_libdevice() != library
        monkeypatch.setattr(tools, "_wheel", lambda: tmp_path / "nothing")
        assert tools.find_libdevice() == library

    def test_what_is_missing_is_named_with_the_way_out(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setenv("TRITON_PTXAS_PATH", "/nowhere/ptxas")
        with pytest.raises(
            triton_shared.CudaError, match=r"(?s)needs ptxas.*/nowhere/ptxas.*CUDA_HOME"
        ):
            CudaOptions().words()

    def test_a_folder_with_spaces_is_refused(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        ptxas = tmp_path / "two words" / "ptxas"
        ptxas.parent.mkdir()
        ptxas.touch()
        monkeypatch.setenv("TRITON_PTXAS_PATH", str(ptxas))
        with pytest.raises(triton_shared.CudaError, match="whose name has spaces"):
            tools.find_ptxas()


class TestOptions:
    def test_words_of_the_compiler(self):
        words = dict(
            w.split("=", 1) for w in CudaOptions(num_warps=8, precise=True).words().split()
        )
        assert words["target"] == "cuda:90a"
        assert words["num-warps"] == "8"
        assert words["precise"] == "true"
        assert Path(words["ptxas"]).is_file()
        assert Path(words["libdevice"]).is_file()

    @pytest.mark.parametrize(
        ("arch", "target"), [("sm80", "cuda:80"), ("sm90", "cuda:90a"), ("sm100", "cuda:100a")]
    )
    def test_an_architecture_is_a_target(self, arch: str, target: str):
        assert CudaOptions(arch=arch).target == target

    @pytest.mark.parametrize("warps", [0, 3, 64])
    def test_warps_are_a_power_of_two(self, warps: int):
        with pytest.raises(ValueError, match=f"power of two from 1 to 32; got {warps}"):
            CudaOptions(num_warps=warps)

    def test_tf32_is_the_default_of_a_dot_unless_precise(self):
        def dot(options: CudaOptions) -> bool:
            return "tf32" in options.allowed_dot_input_precisions

        assert dot(CudaOptions())
        assert not dot(CudaOptions(precise=True))
        assert "tf32" in CudaOptions(precise=True).allowed_dot_input_precisions

    def test_options_are_part_of_the_cache_key(self):
        keys = {CudaOptions(**given).hash() for given in ({}, {"precise": True}, {"num_warps": 8})}
        assert len(keys) == 3

    def test_the_key_names_library_and_ptxas(self):
        backend = triton.backends.backends["shared_cuda"].compiler(GPUTarget("shared_cuda", 90, 32))
        assert library.version() in backend.hash()
        assert tools.version_of(tools.find_ptxas()) in backend.hash()


def compile_for(arch: int, fn: Any = kernels.scale, block: int = 32, **options: Any) -> Any:
    """Compiles `scale` without a GPU."""
    signature = {
        "x_ptr": "*fp32",
        "out_ptr": "*fp32",
        "n": "i32",
        "factor": "fp32",
        "BLOCK": "constexpr",
    }
    source = triton.compiler.ASTSource(fn, signature, constexprs={"BLOCK": block})
    return triton.compile(source, target=GPUTarget("shared_cuda", arch, 32), options=options)


@pytest.mark.parametrize(("warps", "ctas", "threads"), [(1, 2, 64), (4, 4, 512), (32, 2, 1024)])
def test_a_cluster_is_one_block_of_as_many_warps(warps: int, ctas: int, threads: int):
    kernel = compile_for(90, block=8192, num_warps=warps, num_ctas=ctas)
    assert list(kernel.metadata.block) == [threads, 1]
    assert "cluster" not in kernel.asm["ptx"]


def test_the_size_of_a_cluster_is_a_power_of_two():
    with pytest.raises(ValueError, match="num_ctas must be a power of two from 1 to 16; got 3"):
        compile_for(90, num_ctas=3)
