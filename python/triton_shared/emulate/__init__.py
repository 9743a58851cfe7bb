"""Runs kernels made for an NVIDIA GPU on this machine, without a GPU.

`compile_kernel` takes text of a phase up to `linalg` through the whole lowering for a GPU to LLVM
IR, which `rewrite` turns into code for this machine; `launch` runs it block by block with one fiber
per thread (shim.c and its neighbours). On the way it finds what a GPU would not say: accesses
outside of the buffers or of shared memory, misaligned ones, shared memory that is read before it is
written or without the barrier or fence that it takes, copies and products that nobody waited for,
threads that wait for ever. Threads can run in any order: `seed`. It takes clang and mlir-translate
of LLVM 22; PTX (`ptx.compile_ptx`) takes clang or GCC alone.

    kernel = compile_kernel(ttir, num_warps=4, folder=tmp_path)
    launch(kernel, (x, y, 1000), grid=(8,))
"""

from __future__ import annotations

import ctypes
import functools
import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from .. import library
from ..aot import runtime
from ..cuda import tensor_map as recipes
from ..launcher import hidden_kinds
from . import cores, rewrite
from .loading import KernelLibrary
from .tensor_map import TensorMap, encode_recipe

_AXES = ("grid.x", "grid.y", "grid.z")
_PASSED = (*_AXES, recipes.KIND, recipes.MISSING)
_MACHINE = sorted(Path(__file__).parent.glob("*.c"))
"""What a kernel is linked with."""


class EmulationError(Exception):
    """The kernel did what it must not do."""


class CompileError(Exception):
    """The kernel has no form for the GPU; the text is what the compiler says."""


@dataclass(frozen=True)
class EmulatedKernel:
    """A kernel built for this machine."""

    library: KernelLibrary
    parameters: tuple[str, ...]
    """LLVM types, in order."""
    hidden: tuple[Mapping[str, Any], ...]
    """What a launch fills in behind the arguments, as the compiler lists it."""
    threads: int
    """Of a program, with those that copy for it."""
    programs: int
    """That share a block."""
    shared: int
    """Bytes of shared memory."""
    llvm: str
    """The MLIR of the LLVM dialect that it was made of."""

    @property
    def asks_for_maps(self) -> bool:
        """Whether it can do without a tensor map."""
        return any(one["kind"] == recipes.MISSING for one in self.hidden)


def tool(name: str) -> str:
    """A tool of LLVM 22, by its name in Debian or as its build calls it."""
    for path in (f"{name}-22", f"/usr/lib/llvm-22/bin/{name}", name):
        if found := shutil.which(path):
            return found
    raise FileNotFoundError(f"{name} of LLVM 22")


def c_compiler() -> str:
    """What builds the machine and kernels from PTX: clang of LLVM 22, or GCC 12 or later.

    Code of our own passes is LLVM IR in the end, which takes clang: `has_llvm`.
    """
    try:
        return tool("clang")
    except FileNotFoundError:
        if found := shutil.which("gcc"):
            return found
        raise FileNotFoundError("clang of LLVM 22, or gcc") from None


def has_llvm() -> bool:
    """Whether code of our own passes can run here."""
    try:
        return bool(tool("clang") and tool("mlir-translate")) and library.tool().is_file()
    except FileNotFoundError:
        return False


def run_tool(*command: object) -> str:
    """What a tool prints. Raises CompileError with what it says if it fails."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        raise CompileError(done.stderr)
    return done.stdout


@functools.cache
def _build_machine() -> tuple[tempfile.TemporaryDirectory[str], Path]:
    """The machine, and the folder that holds it."""
    folder = tempfile.TemporaryDirectory()
    built = Path(folder.name) / "machine.o"
    flags = ("-O2", "-fPIC", "-ffp-contract=off", "-r", "-nostdlib", f"-I{runtime.folder()}")
    run_tool(c_compiler(), *flags, "-o", built, *_MACHINE, runtime.folder() / "tensor_core.c")
    return folder, built


def machine() -> Path:
    """What kernels are linked with, built once in a process."""
    return _build_machine()[1]


def _attribute(llvm: str, name: str, usual: int | None = None) -> int:
    match = re.search(rf"\b{re.escape(name)} = (\d+)", llvm)
    if not match and usual is not None:
        return usual
    assert match, name
    return int(match[1])


def lower(
    text: str, num_warps: int, folder: Path, num_stages: int = 3, keeps_warps: bool = True
) -> str:
    """The LLVM dialect, in a `gpu.module`; of fewer warps, and programs that share a block, only
    without `keeps_warps`."""
    return _to_llir(_to_gpu(text, num_warps, folder, num_stages, keeps_warps), folder)


def _to_gpu(
    text: str,
    num_warps: int,
    folder: Path,
    num_stages: int,
    keeps_warps: bool,
    specialize_warps: str = "auto",
    online_softmax: str = "exact",
    pointer_maps: str = "guarded",
) -> str:
    source = folder / "kernel.mlir"
    source.write_text(text)
    options = [f"--num-warps={num_warps}", f"--num-stages={num_stages}"]
    options += ["--keep-warps"] * keeps_warps
    options.append(f"--specialize-warps={specialize_warps}")
    options.append(f"--online-softmax={online_softmax}")
    options.append(f"--pointer-maps={pointer_maps}")
    return run_tool(library.tool(), "--target=cuda:90a", *options, "--to-phase=gpu", source)


def _to_llir(gpu: str, folder: Path) -> str:
    source = folder / "gpu.mlir"
    source.write_text(gpu)
    return run_tool(library.tool(), "--target=cuda:90a", "--to-phase=llir", source)


def compile_kernel(
    text: str,
    num_warps: int,
    folder: Path,
    num_stages: int = 3,
    keeps_warps: bool = True,
    specialize_warps: str = "auto",
    online_softmax: str = "exact",
    pointer_maps: str = "guarded",
) -> EmulatedKernel:
    """Lowers the kernel of `text` for a GPU and builds it for this machine."""
    gpu = _to_gpu(
        text,
        num_warps,
        folder,
        num_stages,
        keeps_warps,
        specialize_warps,
        online_softmax,
        pointer_maps,
    )
    return build_module(gpu, folder)


def build_module(gpu: str, folder: Path) -> EmulatedKernel:
    """Builds a kernel in phase `gpu` for this machine."""
    return build_kernel(_to_llir(gpu, folder), folder, _hidden(gpu))


def _hidden(gpu: str) -> list[Mapping[str, Any]]:
    """The hidden parameters of a kernel in phase `gpu`."""
    if "tts.parameter" not in gpu:
        return []
    done = library.compile_text(gpu, "target=cuda:90a to-phase=gpu", printed_by_triton=True)
    hidden: list[Mapping[str, Any]] = json.loads(done.metadata)["hidden"]
    hidden_kinds("emulated", hidden, _PASSED)
    return hidden


def build_kernel(
    llvm: str, folder: Path, hidden: Sequence[Mapping[str, Any]] = ()
) -> EmulatedKernel:
    """Builds a kernel in the LLVM dialect for this machine."""
    aliases = "\n".join(line for line in llvm.splitlines() if line.startswith(("#", "!")))
    body = llvm[llvm.index("{", llvm.index("gpu.module")) + 1 :].rstrip().removesuffix("}")
    source = folder / "kernel.llvm.mlir"
    source.write_text(f"{aliases}\nmodule {{{body}")
    # Some instructions have no form but inline assembly.
    (folder / "body.mlir").write_text(run_tool(library.tool(), "--convert-nvvm-to-llvm", source))
    kernel = rewrite.for_host(
        run_tool(tool("mlir-translate"), "--mlir-to-llvmir", folder / "body.mlir")
    )
    (folder / "kernel.ll").write_text(kernel.ir)
    (folder / "libdevice.c").write_text(kernel.libdevice_c)
    built = folder / "kernel.so"
    run_tool(
        *(tool("clang"), "-O1", "-w", "-shared", "-fPIC", "-ffp-contract=off", "-o", built),
        *("-Wl,-Bsymbolic", folder / "kernel.ll", folder / "libdevice.c", machine(), "-lm"),
    )
    warps = _attribute(llvm, "cta.num_warps") + _attribute(llvm, "cta.producer_warps", 0)
    programs = _attribute(llvm, "cta.programs", 1)
    shared = _attribute(llvm, "cta.shared")
    loaded = KernelLibrary(built)
    return EmulatedKernel(
        loaded, kernel.parameters, tuple(hidden), warps * 32, programs, shared, llvm
    )


_NUMBERS = {"i1": "u1", "i8": "u1", "i16": "u2", "i32": "u4", "i64": "u8"}
_FLOATS = {"half": "f2", "float": "f4", "double": "f8"}


def encode(kind: str, value: Any) -> bytes:
    """An argument as it lies in memory; `kind` is LLVM's word for its type."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, TensorMap):
        assert kind == rewrite.TENSOR_MAP, kind
        return value.encode()
    if kind == "ptr":
        address = value.data_ptr() if isinstance(value, torch.Tensor) else value
        return int(address).to_bytes(8, "little")
    if kind == "bfloat":
        bits = torch.tensor(value, dtype=torch.bfloat16).view(torch.int16)
        return bytes(bits.numpy().tobytes())
    if kind in _FLOATS:
        return np.array(value, dtype=_FLOATS[kind]).tobytes()
    if isinstance(value, float):
        raise TypeError(f"{value} for a parameter that is an integer in the code: give its bytes")
    size = np.dtype(_NUMBERS[kind]).itemsize
    return (int(value) % (1 << (8 * size))).to_bytes(size, "little")


def _fill_in(kernel: EmulatedKernel, arguments: Sequence[Any], blocks: list[int]) -> list[Any]:
    """The values of the hidden parameters."""
    values: dict[int, Any] = {}
    missing, count = 0, 0
    for place, one in enumerate(kernel.hidden):
        if one["kind"] in _AXES:
            values[place] = blocks[_AXES.index(one["kind"])]
        if one["kind"] == recipes.KIND:
            recipe = recipes.read(one)
            held = encode_recipe(recipe, arguments, kernel.asks_for_maps)
            if held is None and not kernel.asks_for_maps and 0 not in blocks:
                raise ValueError(f"TMA cannot do with the numbers of {recipe}: {list(arguments)}")
            missing |= (held is None) << count
            count += 1
            values[place] = held or bytes(128)
    return [values.get(place, missing) for place in range(len(kernel.hidden))]


def launch(
    kernel: EmulatedKernel,
    arguments: Sequence[Any],
    grid: Sequence[int],
    seed: int = 0,
    memory: Sequence[torch.Tensor] = (),
    exact: str = "",
) -> None:
    """Runs all programs of `grid`, a block after the other; tensors, those of tensor maps, and
    those in `memory` are the only memory there is.

    `seed` 0 runs threads in ascending order, 1 in descending, others at random. Matrix products
    are added up in f32, or with `exact` bit by bit as that GPU does, as in `sm_90a`.
    """
    cores.use(kernel.library, exact)
    blocks = [*grid, 1, 1][:3]
    arguments = [*arguments, *_fill_in(kernel, arguments, blocks)]
    blocks[0] = -(-blocks[0] // kernel.programs)
    assert len(arguments) == len(kernel.parameters), kernel.parameters
    held = [encode(kind, value) for kind, value in zip(kernel.parameters, arguments, strict=True)]
    buffers = [ctypes.create_string_buffer(value, max(8, len(value))) for value in held]
    places = (ctypes.c_void_p * len(held))(*[ctypes.addressof(buffer) for buffer in buffers])
    regions: list[int] = []
    for value in (*arguments, *memory):
        value = value.tensor if isinstance(value, TensorMap) else value
        if isinstance(value, torch.Tensor):
            storage = value.untyped_storage()
            regions += [storage.data_ptr(), storage.data_ptr() + storage.nbytes()]
    message = kernel.library.emu_launch(
        *(kernel.library.emu_entry, places, (ctypes.c_uint32 * 3)(*blocks)),
        *(kernel.threads, kernel.programs, ctypes.c_int64(kernel.shared)),
        *((ctypes.c_uint64 * len(regions))(*regions), len(regions) // 2, seed),
    )
    if message:
        raise EmulationError(message.decode())
