"""Kernels with tensor maps, from phase `gpu` on: emulated, and launched to the byte."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import tensor_map_kernels
import torch
from fake_cuda import Array, FakeCuda
from tensor_map_kernels import Box
from test_cuda_launch import cuda
from triton_shared import emulate

__all__ = ["cuda"]


@pytest.mark.every(2)
@pytest.mark.parametrize("box", tensor_map_kernels.cases(), ids=str)
def test_a_box_is_copied(box: Box, tmp_path: Path):
    kernel = emulate.compile_kernel(box.text(), 4, tmp_path)
    source, out = box.source(), np.full(box.bytes, 0x55, np.uint8)
    memory = aligned(source)
    result = torch.from_numpy(out)
    emulate.launch(kernel, [memory, result, *(value for _, value in box.scalars)], (1,))
    assert not box.complaint(source, out)


def aligned(source: np.ndarray) -> torch.Tensor:
    """A copy at a multiple of 16 bytes, as allocators of tensors make them."""
    memory = torch.empty(source.size + 16, dtype=torch.uint8)
    memory = memory[-memory.data_ptr() % 16 :][: source.size]
    memory.copy_(torch.from_numpy(source))
    return memory


MATRIX = Box("f16", (10, 64), (8, 64), (0, 0), 128)


def test_numbers_that_no_map_can_have(tmp_path: Path):
    kernel = emulate.compile_kernel(MATRIX.text(), 4, tmp_path)
    memory = aligned(MATRIX.source())
    for values in ([memory[2:], 10, 64, 80], [memory, 0, 64, 80], [memory, 10, 64, 81]):
        with pytest.raises(ValueError, match="TMA cannot do with the numbers"):
            emulate.launch(kernel, [values[0], memory, *values[1:], 0, 0], (1,))
    emulate.launch(kernel, [memory, memory, 0, 64, 80, 0, 0], (0,))


_ASKS = """
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @asks(%p: !llvm.ptr<1>, %n: i32, %out: !llvm.ptr<1>,
        %first: !llvm.ptr {tts.parameter = "tensor_map", tts.tensor_map = #tts.tensor_map<f16, base = arg 0, sizes = [arg 1], strides = [1], box = [8], swizzle = 0, outside = zeros>},
        %missing: i32 {tts.parameter = "tensor_maps.missing"},
        %second: !llvm.ptr {tts.parameter = "tensor_map", tts.tensor_map = #tts.tensor_map<f16, base = arg 0, sizes = [4294967296], strides = [1], box = [8], swizzle = 0, outside = zeros>})
        kernel attributes {cta.num_warps = 1 : i32, cta.shared = 0 : i64, nvvm.reqntid = array<i32: 32, 1, 1>} {
      %c0 = llvm.mlir.constant(0 : i32) : i32
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %is0 = llvm.icmp "eq" %tid, %c0 : i32
      scf.if %is0 {
        llvm.store %missing, %out : i32, !llvm.ptr<1>
      }
      gpu.return
    }
  }
}
"""  # noqa: E501


def test_a_kernel_that_asks_is_told_which_maps_are_missing(tmp_path: Path):
    kernel = emulate.compile_kernel(_ASKS, 1, tmp_path)
    memory, out = aligned(MATRIX.source()), torch.zeros(1, dtype=torch.int32)
    for base, size, want in ((memory, 5, 0), (memory, 0, 0b01), (memory[1:], 5, 0b11)):
        emulate.launch(kernel, [base, size, out], (1,))
        assert out.item() == want


def test_what_ptxas_makes_of_it_is_what_a_launch_passes(cuda: FakeCuda):
    """The driver knows from the cubin how many bytes each parameter has."""
    launch = tensor_map_kernels.on_gpu(MATRIX.text(), MATRIX.scalars)
    memory = Array(0x7F00_0000_1000, torch.int8)
    launch(memory, memory, *(value for _, value in MATRIX.scalars), stream=0)
    encoding, launched = cuda.take()[-2:]
    assert encoding.startswith("cuTensorMapEncodeTiled type=6 address=139637976731648 sizes=64,10 ")
    sizes = [len(text) // 2 for text in launched.partition("args=")[2].split(",")]
    assert sizes == [8, 8, 4, 4, 8, 4, 4, 128]


def test_what_is_wrong_with_a_box_is_found():
    box = Box("f16", (10, 64), (16, 64), (-2, 0), 128)
    right = np.zeros((16, 64), np.uint16)
    right[2:12] = box.source().view(np.uint16).reshape(10, 80)[:, :64]
    lines = right.view(np.uint8).reshape(-1)
    offset = np.arange(lines.size)
    out = lines[offset ^ (offset // 128 % 8 * 16)]
    assert not box.complaint(box.source(), out)
    assert box.complaint(box.source(), lines).endswith("of 640 elements of the tensor are wrong")
    out[0] = 1
    assert box.complaint(box.source(), out) == "outside of the tensor are no zeros"
