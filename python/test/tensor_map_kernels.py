"""Kernels written by hand that copy one box by TMA: what the emulator and gpu_check run.

A kernel gets a tensor, its sizes and strides, and where the box begins; it copies the box to shared
memory and from there, as it lies, to `out`.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
from triton_shared import library
from triton_shared.cuda import launcher, tools

SIZES = {
    "f16": 2, "bf16": 2, "f32": 4, "f64": 8, "i8": 1, "i16": 2, "i32": 4, "i64": 8,
    "f8E4M3FN": 1, "f8E5M2": 1,
}  # fmt: skip
"""Bytes of the elements that a tensor map can have."""

_KERNEL = """
module attributes {{gpu.container_module}} {{
  gpu.module @kernels {{
    llvm.mlir.global external @cta_shared() {{addr_space = 3 : i32, alignment = 1024 : i64}} : !llvm.array<0 x i8>
    gpu.func @copy_box({parameters}) kernel attributes {{cta.num_warps = 4 : i32, cta.shared = {shared} : i64, nvvm.reqntid = array<i32: 128, 1, 1>}} {{
      %c0 = llvm.mlir.constant(0 : i32) : i32
      %c1 = llvm.mlir.constant(1 : i32) : i32
      %threads = llvm.mlir.constant(128 : i32) : i32
      %bytes = llvm.mlir.constant({bytes} : i32) : i32
      %words = llvm.mlir.constant({words} : i32) : i32
      %ticks = llvm.mlir.constant(1000000 : i32) : i32
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %shared = llvm.mlir.addressof @cta_shared : !llvm.ptr<3>
      %bar = llvm.getelementptr %shared[{bytes}] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %is0 = llvm.icmp "eq" %tid, %c0 : i32
      scf.if %is0 {{
        nvvm.mbarrier.init %bar, %c1 : !llvm.ptr<3>, i32
        nvvm.fence.mbarrier.init
      }}
      nvvm.barrier0
      scf.if %is0 {{
        nvvm.mbarrier.arrive.expect_tx %bar, %bytes : !llvm.ptr<3>, i32
        nvvm.cp.async.bulk.tensor.shared.cluster.global %shared, %map, %bar, box[{start}] {{isCTAOnly = true}} : !llvm.ptr<3>, !llvm.ptr
      }}
      nvvm.mbarrier.try_wait.parity %bar, %c0, %ticks : !llvm.ptr<3>, i32, i32
      scf.for %i = %tid to %words step %threads : i32 {{
        %from = llvm.getelementptr %shared[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
        %to = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
        %word = llvm.load %from : !llvm.ptr<3> -> i32
        llvm.store %word, %to : i32, !llvm.ptr<1>
      }}
      gpu.return
    }}
  }}
}}
"""  # noqa: E501


@dataclass(frozen=True)
class Box:
    """A box of a tensor; dimensions are in the order of the tensor."""

    element: str
    sizes: tuple[int, ...]
    box: tuple[int, ...]
    start: tuple[int, ...]
    swizzle: int = 0
    outside: str = "zeros"

    def __str__(self) -> str:
        shapes = ["x".join(map(str, part)) for part in (self.sizes, self.box, self.start)]
        return "-".join([self.element, *shapes, str(self.swizzle), self.outside])

    @property
    def item(self) -> int:
        """Bytes of an element."""
        return SIZES[self.element]

    @property
    def bytes(self) -> int:
        """Of the box."""
        return int(np.prod(self.box)) * self.item

    @property
    def strides(self) -> tuple[int, ...]:
        """Rows are a bit longer than they need be, as TMA wants them: multiples of 16 bytes."""
        row = -(-self.sizes[-1] * self.item // 16) * 16 // self.item + 16
        sizes = (*self.sizes[1:-1], row)
        return (*(int(np.prod(sizes[i:])) for i in range(len(sizes))), 1)[-len(self.sizes) :]

    @property
    def scalars(self) -> list[tuple[str, int]]:
        """The arguments behind the pointers, with their types; the first size and stride are
        constants where there are others."""
        skipped = int(len(self.sizes) > 2)
        numbers = [("i32", n) for n in self.sizes[skipped:]]
        numbers += [("i64", n) for n in self.strides[skipped:-1]]
        return numbers + [("i32", n) for n in self.start]

    def text(self) -> str:
        """The kernel, in phase `gpu`."""
        rank, skipped = len(self.sizes), int(len(self.sizes) > 2)
        place = itertools.count(2)
        sizes = [*map(str, self.sizes[:skipped]), *_arguments(place, rank - skipped)]
        strides = [*map(str, self.strides[:skipped]), *_arguments(place, rank - 1 - skipped)]
        start = [f"%a{next(place)}" for _ in range(rank)]
        recipe = (
            f"#tts.tensor_map<{self.element}, base = arg 0, sizes = [{', '.join(sizes)}], "
            f"strides = [{', '.join([*strides, '1'][-rank:])}], box = {list(self.box)}, "
            f"swizzle = {self.swizzle}, outside = {self.outside}>"
        )
        names = ["%source", "%out", *(f"%a{i}" for i in range(2, 2 + len(self.scalars)))]
        types = ["!llvm.ptr<1>", "!llvm.ptr<1>", *(kind for kind, _ in self.scalars)]
        parameters = [f"{name}: {kind}" for name, kind in zip(names, types, strict=True)]
        parameters.append(
            f'%map: !llvm.ptr {{tts.parameter = "tensor_map", tts.tensor_map = {recipe}}}'
        )
        return _KERNEL.format(
            parameters=", ".join(parameters), start=", ".join(start[::-1]),
            bytes=self.bytes, words=self.bytes // 4, shared=self.bytes + 128,
        )  # fmt: skip

    def source(self) -> np.ndarray:
        """The memory that the tensor lies in, as bytes."""
        elements = self.sizes[0] * self.strides[0] if len(self.sizes) > 1 else self.sizes[0]
        return np.random.default_rng(len(str(self))).integers(
            0, 256, elements * self.item, dtype=np.uint8
        )

    def complaint(self, source: np.ndarray, out: np.ndarray) -> str:
        """What is wrong with the bytes that the kernel has left in `out`; empty if nothing is."""
        rows = _turn(out, self.swizzle).reshape(*self.box, self.item)
        places = np.stack(np.meshgrid(*map(np.arange, self.box), indexing="ij"), -1) + self.start
        inside = np.all((places >= 0) & (places < self.sizes), -1)
        elements = source.reshape(-1, self.item)
        want = elements[(places[inside] * self.strides).sum(-1)]
        wrong = int((rows[inside] != want).any(-1).sum())
        if wrong:
            return f"{wrong} of {int(inside.sum())} elements of the tensor are wrong"
        rest = np.ascontiguousarray(rows[~inside])
        is_right = _is_nan(rest, self.element) if self.outside == "nan" else rest == 0
        return "" if is_right.all() else f"outside of the tensor are no {self.outside}"


def _arguments(place: itertools.count[int], count: int) -> list[str]:
    return [f"arg {next(place)}" for _ in range(max(0, count))]


def _turn(out: np.ndarray, swizzle: int) -> np.ndarray:
    """Bytes of lines that TMA has swizzled, in order."""
    offset = np.arange(out.size)
    return out[offset ^ (offset // 128 % max(1, swizzle // 16) * 16)]


def _is_nan(rows: np.ndarray, element: str) -> np.ndarray:
    if element == "bf16":
        words = rows.view(np.uint16).astype(np.uint32) << 16
        return np.isnan(words.view(np.float32))
    return np.isnan(rows.view({"f16": np.float16, "f32": np.float32, "f64": np.float64}[element]))


def cases() -> list[Box]:
    """All element types, numbers of dimensions, swizzles, and borders on all sides."""
    found = [
        # Boxes begin at multiples of 16 bytes, as TMA asks.
        Box(
            element, (10, 200), (8, 128 // size), (start, (200 * size - 64) // 16 * 16 // size), 128
        )
        for element, size in SIZES.items()
        for start in (-3, 5)
    ]
    found += [
        Box(element, (7, 36), (8, 32), (-1, 16), outside="nan")
        for element in ("f16", "bf16", "f32", "f64")
    ]
    found += [
        Box("f16", (300,), (256,), (200,)),
        Box("f16", (300,), (64,), (-8,), 128),
        Box("i32", (7, 40, 48), (2, 16, 16), (6, 30, -4)),
        Box("bf16", (4, 40, 96), (2, 16, 64), (-1, 30, 80), 128),
        Box("f32", (2, 3, 5, 40), (1, 2, 4, 16), (1, 2, -1, 28), 64, "nan"),
        Box("i8", (2, 2, 3, 5, 64), (2, 1, 2, 4, 32), (-1, 1, 2, -1, 48), 32),
        Box("f16", (1, 1), (8, 64), (0, 0), 128),
        Box("f16", (64, 64), (256, 64), (-100, 0), 128),
        Box("i64", (9, 9), (16, 4), (100, 100), 32),
        Box("f8E4M3FN", (130, 130), (64, 64), (128, 128), 64),
    ]
    return found


def on_gpu(text: str, scalars: Sequence[tuple[str, int]]) -> Callable[..., None]:
    """Loads the kernel on GPU 0; a call takes source, out, the scalars and a stream."""
    words = f"target=cuda:90a to-phase=cubin ptxas={tools.find_ptxas('cuda:90a')}"
    done = library.compile_text(text, words)
    if not done.succeeded:
        raise RuntimeError(done.diagnostics)
    facts: dict[str, Any] = json.loads(done.metadata)
    binary = launcher.load(facts["name"], done.artefact("cubin"), facts["shared"], 0)
    facts["cubin_sha256"] = binary.cubin_sha256
    signature = {"source": "*i8", "out": "*i8"}
    signature |= {f"a{i}": kind for i, (kind, _) in enumerate(scalars)}
    run = launcher.make_launcher(SimpleNamespace(signature=signature), SimpleNamespace(**facts))

    def launch(*arguments: Any, stream: int) -> None:
        run(*(1, 1, 1, stream, binary, None, None, None, None), *arguments)

    return launch
