"""Bad input ends in one clear error, and the next launch works."""

from __future__ import annotations

import pickle
from copy import deepcopy
from pathlib import Path

import pytest
import torch
import triton
import triton_shared
from kernels import assembly, scale
from triton_shared.errors import CompilationError


def scaled(n: int = 8) -> object:
    x, out = torch.arange(float(n)), torch.zeros(n)
    kernel = scale[(1,)](x, out, n, 2.0, BLOCK=8)
    assert torch.equal(out, 2 * x)
    return kernel


def test_wrong_dtype():
    kernel = scaled()
    x = torch.ones(8)
    with pytest.raises(TypeError, match=r"'x_ptr' of kernel 'scale' points at fp64, but .* fp32"):
        kernel[(1, 1, 1)](x.double(), x, 8, 2.0, 8)
    scaled()


def test_dtype_that_no_kernel_takes():
    x = torch.ones(8, dtype=torch.complex64)
    with pytest.raises(TypeError, match="cannot take elements of type 'complex64'; it can take"):
        scale[(1,)](x, x, 8, 2.0, BLOCK=8)
    scaled()


def test_missing_argument():
    x = torch.ones(8)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'factor'"):
        scale[(1,)](x, x, 8, BLOCK=8)
    kernel = scaled()
    with pytest.raises(TypeError, match="kernel 'scale' takes 5 arguments, got 3"):
        kernel[(1, 1, 1)](x, x, 8)
    scaled()


def test_not_a_tensor():
    kernel = scaled()
    with pytest.raises(TypeError, match="'x_ptr' of kernel 'scale': a tensor, an address or None"):
        kernel[(1, 1, 1)]([1.0], torch.ones(8), 8, 2.0, 8)
    with pytest.raises(TypeError, match="'n' of kernel 'scale': 'float' object"):
        kernel[(1, 1, 1)](torch.ones(8), torch.ones(8), 8.5, 2.0, 8)


def test_bad_grid():
    x = torch.ones(8)
    with pytest.raises(OverflowError, match="grid of kernel 'scale': -1 does not fit"):
        scale[(-1,)](x, x, 8, 2.0, BLOCK=8)


def test_tensor_of_another_device():
    class Elsewhere:
        dtype = torch.float32
        device = "cuda:0"
        is_cpu = False

        def data_ptr(self) -> int:
            return 16

    kernel = scaled()
    with pytest.raises(ValueError, match="'x_ptr' of kernel 'scale' lies on device 'cuda:0'"):
        kernel[(1, 1, 1)](Elsewhere(), torch.ones(8), 8, 2.0, 8)


def test_unsupported_operation():
    with pytest.raises(CompilationError) as caught:
        assembly[(1,)](torch.ones(1, dtype=torch.int32))
    text = str(caught.value)
    assert "kernel 'assembly' did not compile" in text
    assert "kernels.py:" in text
    assert "error:" in text
    assert "tt.elementwise_inline_asm" in text
    assert "TRITON_SHARED_DUMP" in text
    assert caught.value.phase in ("linalg", "memref")
    scaled()


def test_a_failure_can_be_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TRITON_SHARED_DUMP", str(tmp_path))
    with pytest.raises(CompilationError) as caught:
        assembly[(1,)](torch.ones(1, dtype=torch.int32))
    command = caught.value.repeat
    assert command
    assert f"repeat with: {command}" in str(caught.value)
    kept = Path(command.split()[-1])
    assert "tt.elementwise_inline_asm" in kept.read_text()
    assert (kept.parent / "02.structured.mlir").exists()


def test_errors_survive_copies():
    error = CompilationError("k", "linalg", "k.py:1:1: error: no", None)
    for copy in (deepcopy(error), pickle.loads(pickle.dumps(error))):
        assert str(copy) == str(error)
        assert copy.phase == "linalg"


@pytest.mark.parametrize("text", ["this is not MLIR", "", "module { tt.func }"])
def test_text_that_is_not_mlir(text: str):
    from triton_shared import library

    compilation = library.compile_text(text, "mode=reference")
    assert not compilation.succeeded
    assert "error:" in compilation.diagnostics
    assert compilation.artefact("obj") == b""
    scaled()


def test_unknown_option_of_the_compiler():
    from triton_shared import library

    compilation = library.compile_text("module {}", "mode=reference speed=11")
    assert not compilation.succeeded
    assert "speed" in compilation.diagnostics


def test_object_of_another_kind():
    from triton_shared import library

    for data in (b"", b"hello", b"\x7fELF" + bytes(100)):
        with pytest.raises(ValueError, match=r"."):
            library.load_kernel(data, "entry")


def test_mode_that_does_not_exist(monkeypatch: pytest.MonkeyPatch):
    x = torch.ones(8)
    with pytest.raises(ValueError, match="mode must be one of fast, reference"):
        scale[(1,)](x, x, 8, 2.0, BLOCK=8, mode="quick")
    monkeypatch.setenv("TRITON_SHARED_MODE", "quick")
    scale.device_caches.clear()
    with pytest.raises(
        ValueError, match="TRITON_SHARED_MODE must be one of fast, reference; got 'quick'"
    ):
        scaled()


def test_bad_launch_settings():
    with (
        pytest.raises(ValueError, match="grid_order must be one of forward, reverse, random"),
        triton_shared.launches(grid_order="sideways"),
    ):
        pass


def test_front_end_errors_stay_triton_s():
    x = torch.ones(8, dtype=torch.float32)
    with pytest.raises(triton.CompilationError):
        scale[(1,)](x, x, 8, 2.0, BLOCK=7)
