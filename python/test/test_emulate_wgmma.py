"""Products of warpgroups in the emulator, against NumPy: types, layouts in memory, registers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import torch
from triton_shared import emulate
from triton_shared.emulate import EmulationError
from triton_shared.emulate.rewrite import UnknownInstruction

DTYPES = {
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "tf32": torch.float32,
    "e4m3": torch.float8_e4m3fn,
    "e5m2": torch.float8_e5m2,
    "s8": torch.int8,
    "u8": torch.uint8,
}
SWIZZLES = {"none": 0, "128": 1, "64": 2, "32": 3}
WIDTHS = {"none": 16, "128": 128, "64": 64, "32": 32}
"""Bytes of a row of a box."""


@dataclass(frozen=True)
class Operand:
    """A matrix of `rows` of M or N in shared memory, in boxes as TMA writes them."""

    dtype: str
    rows: int
    depth: int
    swizzle: str = "128"
    is_transposed: bool = False

    @property
    def size(self) -> int:
        """Bytes of an element."""
        return DTYPES[self.dtype].itemsize

    @property
    def lines(self) -> int:
        """Rows of a box."""
        return self.depth if self.is_transposed else self.rows

    @property
    def box(self) -> int:
        """Bytes of a box."""
        return self.lines * WIDTHS[self.swizzle]

    @property
    def bytes(self) -> int:
        """All of them, so that what follows begins at a multiple of 1024."""
        along = (self.rows if self.is_transposed else self.depth) * self.size
        return -(-along // WIDTHS[self.swizzle]) * -(-self.box // 1024) * 1024

    def place(self, row: int, k: int) -> int:
        """The offset of an element: boxes one after the other, pieces of 16 bytes swizzled."""
        line, along = (k, row) if self.is_transposed else (row, k)
        width = WIDTHS[self.swizzle]
        box, inside = divmod(along * self.size, width)
        piece, rest = divmod(inside, 16)
        # 128 bytes of memory are a line of the pattern, whatever the width.
        piece ^= line * width // 128 % (width // 16)
        return box * self.box + line * width + piece * 16 + rest

    def descriptor(self, step: int) -> tuple[int, int]:
        """Offset of the first byte for the `step`-th product, and the rest of the descriptor."""
        width = WIDTHS[self.swizzle]
        group = 8 * width
        start = step * 32 // self.size // 8 * group if self.is_transposed else step * 32
        if not self.is_transposed:
            start = start // width * self.box + start % width
        leading, stride = self.box, group
        if self.is_transposed and self.swizzle == "none":
            leading, stride = stride, leading
        bits = (leading >> 4) << 16 | (stride >> 4) << 32 | SWIZZLES[self.swizzle] << 62
        return start, bits

    def values(self, seed: int) -> torch.Tensor:
        """Small numbers that every type has."""
        generator = torch.Generator().manual_seed(seed)
        low = 0 if self.dtype == "u8" else -4
        shape = (self.rows, self.depth)
        return torch.randint(low, 5, shape, generator=generator).to(torch.float32)

    def write(self, values: torch.Tensor, memory: torch.Tensor) -> None:
        """Puts the matrix into `memory`, bytes."""
        held = values.to(DTYPES[self.dtype]).contiguous().view(torch.uint8)
        held = held.reshape(self.rows, self.depth, self.size)
        for row in range(self.rows):
            for k in range(self.depth):
                place = self.place(row, k)
                memory[place : place + self.size] = held[row, k]


_KERNEL = """
module attributes {{gpu.container_module}} {{
  gpu.module @kernels {{
    llvm.mlir.global external @cta_shared() {{addr_space = 3 : i32, alignment = 1024 : i64}} : !llvm.array<0 x i8>
    llvm.func @f(%x: !llvm.ptr<1>, %o: !llvm.ptr<1>, %r: !llvm.ptr<1>) attributes {{cta.num_warps = 4 : i32, cta.shared = {shared} : i64, nvvm.kernel}} {{
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %shared = llvm.mlir.addressof @cta_shared : !llvm.ptr<3>
      %address = llvm.ptrtoint %shared : !llvm.ptr<3> to i64
      %four = llvm.mlir.constant(4 : i64) : i64
      %base = llvm.lshr %address, %four : i64
      {body}
      llvm.return
    }}
  }}
}}
"""  # noqa: E501

FENCE = 'llvm.inline_asm has_side_effects "fence.proxy.async.shared::cta;", "" : () -> ()'
BARRIER = "nvvm.barrier0"
BEGIN, COMMIT = "nvvm.wgmma.fence.aligned", "nvvm.wgmma.commit.group.sync.aligned"
WAIT = "nvvm.wgmma.wait.group.sync.aligned 0"


def descriptor(name: str, start: int, bits: int) -> list[str]:
    """`name`: the descriptor of what begins at offset `start`."""
    signed = bits + (start >> 4) - (1 << 64 if bits >> 63 else 0)
    return [
        f"{name}c = llvm.mlir.constant({signed} : i64) : i64",
        f"{name} = llvm.add %base, {name}c : i64",
    ]


@dataclass(frozen=True)
class Case:
    """A product of 64 x N x K."""

    left: str
    right: str
    result: str = "f32"
    columns: int = 16
    steps: int = 2
    left_swizzle: str = "128"
    right_swizzle: str = "128"
    is_left_transposed: bool = False
    is_right_transposed: bool = False
    has_registers: bool = False
    """Whether the left operand comes in registers."""
    signs: tuple[int, int] = (1, 1)

    @property
    def depth(self) -> int:
        """Of an instruction."""
        return 32 // DTYPES[self.left].itemsize

    @property
    def operands(self) -> tuple[Operand, Operand]:
        depth = self.depth * self.steps
        left = Operand(self.left, 64, depth, self.left_swizzle, self.is_left_transposed)
        right = Operand(
            self.right, self.columns, depth, self.right_swizzle, self.is_right_transposed
        )
        return left, right

    @property
    def word(self) -> str:
        """The type of a register of the result."""
        return "f32" if self.result == "f32" else "i32"

    @property
    def registers(self) -> int:
        """Of the result, for each thread."""
        return self.columns // (4 if self.result == "f16" else 2)

    def instruction(self, step: int) -> list[str]:
        """The product of a step, which adds to `%acc{step}`."""
        registers = range(self.registers)
        tied = [f"%acc{step}_{i}" for i in registers]
        before = [
            f"{name} = llvm.extractvalue %acc{step}[{i}] : {self.struct}"
            for i, name in enumerate(tied)
        ]
        if not self.has_registers:
            sides = [
                f"<{sign}>, <{'col' if turned else 'row'}>"
                for sign, turned in zip(
                    ("one" if sign == 1 else "neg" for sign in self.signs),
                    (self.is_left_transposed, not self.is_right_transposed),
                    strict=True,
                )
            ]
            return [
                f"%acc{step + 1} = nvvm.wgmma.mma_async %a{step}, %b{step}, %acc{step}, "
                f"<m = 64, n = {self.columns}, k = {self.depth}>, D [<{self.result}>, <one>], "
                f"A [<{self.left}>, {sides[0]}], B [<{self.right}>, {sides[1]}] : "
                f"{self.struct} -> {self.struct}"
            ]
        n = self.registers
        sums, left = (
            ", ".join(f"${i}" for i in range(start, end)) for start, end in ((0, n), (n, n + 4))
        )
        flags = "" if self.result == "s32" else f", {self.signs[0]}, {self.signs[1]}"
        flags += f", {int(self.is_right_transposed)}" * (self.depth == 16)
        kinds = f"{self.result}.{self.left}.{self.right}"
        text = f"wgmma.mma_async.sync.aligned.m64n{self.columns}k{self.depth}.{kinds} "
        text += f"{{{sums}}}, {{{left}}}, ${n + 4}, 1{flags};"
        letter = "f" if self.word == "f32" else "r"
        constraints = [f"={letter}"] * n + ["r"] * 4 + ["l"] + [str(i) for i in registers]
        words = [f"%r{step}_{i}" for i in range(4)]
        types = ["i32"] * 4 + ["i64"] + [self.word] * n
        return [
            *before,
            f'%acc{step + 1} = llvm.inline_asm has_side_effects "{text}", "{",".join(constraints)}"'
            f" {', '.join([*words, f'%b{step}', *tied])} : ({', '.join(types)}) -> {self.struct}",
        ]

    @property
    def struct(self) -> str:
        return f"!llvm.struct<({', '.join([self.word] * self.registers)})>"

    def load_registers(self) -> list[str]:
        """The left operand's, from r."""
        lines = []
        for i in range(4 * self.steps):
            lines += [
                f"%g{i} = llvm.mlir.constant({128 * i} : i32) : i32",
                f"%h{i} = llvm.add %tid, %g{i} : i32",
                f"%p{i} = llvm.getelementptr %r[%h{i}] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32",
                f"%r{i // 4}_{i % 4} = llvm.load %p{i} : !llvm.ptr<1> -> i32",
            ]
        return lines

    def fill(self) -> list[str]:
        """Copies the operands from x to shared memory, four numbers a thread at a time."""
        lines = []
        for i in range(-(-sum(operand.bytes for operand in self.operands) // 2048)):
            vector = "llvm.getelementptr %{0}[%i{1}] : (!llvm.ptr<{2}>, i32) -> !llvm.ptr<{2}>, vector<4xi32>"  # noqa: E501
            lines += [
                f"%n{i} = llvm.mlir.constant({128 * i} : i32) : i32",
                f"%i{i} = llvm.add %tid, %n{i} : i32",
                f"%f{i} = {vector.format('x', i, 1)}",
                f"%s{i} = {vector.format('shared', i, 3)}",
                f"%v{i} = llvm.load %f{i} : !llvm.ptr<1> -> vector<4xi32>",
                f"llvm.store %v{i}, %s{i} : vector<4xi32>, !llvm.ptr<3>",
            ]
        return lines

    def body(self) -> list[str]:
        left, right = self.operands
        lines = [*self.fill(), FENCE, BARRIER]
        for step in range(self.steps):
            lines += descriptor(f"%a{step}", *left.descriptor(step))
            start, bits = right.descriptor(step)
            lines += descriptor(f"%b{step}", left.bytes + start, bits)
        lines += self.load_registers() if self.has_registers else []
        lines += [f"%acc0 = llvm.mlir.zero : {self.struct}", BEGIN]
        for step in range(self.steps):
            lines += self.instruction(step)
        return [*lines, COMMIT, *self.wait(), *self.store()]

    def wait(self) -> list[str]:
        """Waits for all, with the result's registers tied."""
        values = [f"%w{i}" for i in range(self.registers)]
        last = f"%acc{self.steps}"
        letter = "f" if self.word == "f32" else "r"
        constraints = [f"={letter}"] * len(values) + [str(i) for i in range(len(values))]
        return [
            *(f"{v} = llvm.extractvalue {last}[{i}] : {self.struct}" for i, v in enumerate(values)),
            '%done = llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 0;", '
            f'"{",".join(constraints)}" {", ".join(values)} : '
            f"({', '.join([self.word] * len(values))}) -> {self.struct}",
        ]

    def store(self, result: str = "%done", to: str = "%o") -> list[str]:
        """Each thread its registers, one after the other."""
        place = f"llvm.getelementptr {to}[%j{{}}] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32"
        lines = [
            f"%many = llvm.mlir.constant({self.registers} : i32) : i32",
            "%first = llvm.mul %tid, %many : i32",
        ]
        for i in range(self.registers):
            lines += [
                f"%z{i} = llvm.mlir.constant({i} : i32) : i32",
                f"%j{i} = llvm.add %first, %z{i} : i32",
                f"%t{i} = {place.format(i)}",
                f"%d{i} = llvm.extractvalue {result}[{i}] : {self.struct}",
                f"llvm.store %d{i}, %t{i} : {self.word}, !llvm.ptr<1>",
            ]
        return lines

    def run(self, folder: Path, order: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
        """What the emulator and PyTorch get."""
        operands = self.operands
        memory = torch.zeros(sum(operand.bytes for operand in operands) + 2048, dtype=torch.uint8)
        left, right = (operand.values(i) for i, operand in enumerate(operands))
        operands[0].write(left, memory)
        operands[1].write(right, memory[operands[0].bytes :])
        words = fragments(left.to(DTYPES[self.left]), self.depth)
        dtype = {"f32": torch.float32, "f16": torch.float16, "s32": torch.int32}[self.result]
        out = torch.zeros(64 * self.columns, dtype=dtype)
        launch("\n".join(self.body()), [memory, out, words], folder, len(memory), order)
        return self.collect(out), self.signs[0] * self.signs[1] * (left @ right.T)

    def collect(self, out: torch.Tensor) -> torch.Tensor:
        """The matrix of which each thread stored its part."""
        got = torch.zeros(64, self.columns)
        for place, value in enumerate(out.float().tolist()):
            thread, i = divmod(place, self.columns // 2)
            row = thread // 32 * 16 + thread % 32 // 4 + i // 2 % 2 * 8
            got[row, i // 4 * 8 + thread % 4 * 2 + i % 2] = value
        return got


def fragments(left: torch.Tensor, depth: int) -> torch.Tensor:
    """The left operand in registers: for each step and register a word of each thread."""
    per = 4 // left.element_size()
    held = left.contiguous().view(torch.int32).reshape(64, -1, depth // per)
    words = torch.zeros(held.shape[1], 4, 128, dtype=torch.int32)
    for thread in range(128):
        row, column = thread // 32 * 16 + thread % 32 // 4, thread % 4
        for i in range(4):
            words[:, i, thread] = held[row + i % 2 * 8, :, column + i // 2 * 4]
    return words


def launch(body: str, arguments: list[torch.Tensor], folder: Path, shared: int, order: int) -> None:
    text = _KERNEL.format(body=body, shared=shared)
    emulate.launch(emulate.build_kernel(text, folder), arguments, (1,), order)


def check(case: Case, folder: Path, order: int = 0) -> None:
    got, want = case.run(folder, order)
    assert torch.equal(got, want)
    assert want.abs().max() > 0


@pytest.mark.every(2)
@pytest.mark.parametrize("registers", [False, True], ids=["shared", "registers"])
@pytest.mark.parametrize(
    ("left", "right", "result"),
    [
        ("f16", "f16", "f32"),
        ("f16", "f16", "f16"),
        ("bf16", "bf16", "f32"),
        ("tf32", "tf32", "f32"),
        ("e4m3", "e4m3", "f32"),
        ("e5m2", "e4m3", "f32"),
        ("e4m3", "e5m2", "f16"),
        ("s8", "s8", "s32"),
        ("u8", "s8", "s32"),
        ("s8", "u8", "s32"),
    ],
)
def test_types(left: str, right: str, result: str, registers: bool, tmp_path: Path):
    check(Case(left, right, result, has_registers=registers), tmp_path)


@pytest.mark.every(2)
@pytest.mark.parametrize("swizzle", SWIZZLES)
@pytest.mark.parametrize("right", [False, True], ids=["K", "N"])
@pytest.mark.parametrize("left", [False, True], ids=["K", "M"])
def test_layouts_in_shared_memory(left: bool, right: bool, swizzle: str, tmp_path: Path):
    case = Case(
        *("f16", "f16"),
        columns=128,
        steps=4,
        left_swizzle=swizzle,
        right_swizzle=swizzle,
        is_left_transposed=left,
        is_right_transposed=right,
    )
    check(case, tmp_path)


@pytest.mark.parametrize("swizzle", ["none", "32", "64"])
def test_layouts_of_bytes(swizzle: str, tmp_path: Path):
    check(Case("e4m3", "e4m3", left_swizzle=swizzle, right_swizzle=swizzle, steps=4), tmp_path)


@pytest.mark.parametrize("columns", [8, 24, 104, 256])
def test_columns(columns: int, tmp_path: Path):
    check(Case("bf16", "bf16", columns=columns, steps=1), tmp_path)


@pytest.mark.parametrize("registers", [False, True], ids=["shared", "registers"])
@pytest.mark.parametrize("signs", [(-1, 1), (1, -1), (-1, -1)])
def test_signs(signs: tuple[int, int], registers: bool, tmp_path: Path):
    check(Case("f16", "f16", signs=signs, has_registers=registers), tmp_path)


@pytest.mark.parametrize("order", [0, 1, 2])
def test_threads_come_in_any_order(order: int, tmp_path: Path):
    check(Case("f16", "f16"), tmp_path, order)


def test_a_right_operand_along_columns_with_registers(tmp_path: Path):
    case = Case("f16", "f16", columns=64, is_right_transposed=True, has_registers=True)
    check(case, tmp_path)


# What ran right on an H200: (leading, stride, advance by an instruction), all in bytes, of f16
# tiles whose boxes have rows of 128 bytes.
@pytest.mark.parametrize(
    ("operand", "leading", "stride", "advance"),
    [
        (Operand("f16", 64, 64), None, 1024, 32),
        (Operand("f16", 256, 64, is_transposed=True), 8192, 1024, 2048),
        (Operand("f16", 64, 128, is_transposed=True), None, 1024, 2048),
        (Operand("e4m3", 256, 128), None, 1024, 32),
    ],
)
def test_descriptors_are_those_of_the_hardware(
    operand: Operand, leading: int | None, stride: int, advance: int
):
    start, bits = operand.descriptor(0)
    assert start == 0
    assert leading is None or (bits >> 16 & 0x3FFF) << 4 == leading
    assert (bits >> 32 & 0x3FFF) << 4 == stride
    assert operand.descriptor(1)[0] == advance


# What it must find.

SMALL = Case("f16", "f16", columns=8, steps=1)
WIDE = replace(SMALL, columns=256)
LINES = SMALL.body()
START = LINES.index(BEGIN) + 1
PRODUCT = SMALL.instruction(0)
BEFORE = LINES[:START]
STORE = "llvm.store %tid, %s0 : i32, !llvm.ptr<3>"
SOME_WARPS = [
    "%limit = llvm.mlir.constant(64 : i32) : i32",
    '%is = llvm.icmp "slt" %tid, %limit : i32',
    "llvm.cond_br %is, ^some, ^all",
    "^some:",
    *PRODUCT,
    COMMIT,
    WAIT,
    "llvm.br ^all",
    "^all:",
]
MIXED_WARPS = [
    "%some = llvm.mlir.constant(32 : i32) : i32",
    "%zero = llvm.mlir.constant(0 : i64) : i64",
    '%is = llvm.icmp "slt" %tid, %some : i32',
    "%a0 = llvm.select %is, %b0, %x0 : i1, i64",
    *PRODUCT,
]


def without(*lines: str) -> list[str]:
    return [line for line in LINES if line not in lines]


def swapped() -> list[str]:
    other = {FENCE: BARRIER, BARRIER: FENCE}
    return [other.get(line, line) for line in LINES]


def half_swapped() -> list[str]:
    """Only some of the threads that multiply have a fence, and none that wrote."""
    lines = swapped()
    at = lines.index(FENCE)
    branch = [
        "%half = llvm.mlir.constant(64 : i32) : i32",
        '%fences = llvm.icmp "slt" %tid, %half : i32',
        "llvm.cond_br %fences, ^fence, ^on",
        "^fence:",
        FENCE,
        "llvm.br ^on",
        "^on:",
    ]
    return [*lines[:at], *branch, *lines[at + 1 :]]


def run_lines(lines: list[str], folder: Path, shared: int) -> None:
    memory, out = torch.zeros(shared, dtype=torch.uint8), torch.zeros(512)
    launch("\n".join(lines), [memory, out, out], folder, shared, 0)


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        (without(FENCE), "without fence.proxy.async between the two"),
        (without(FENCE, BARRIER), "wrote since the last barrier"),
        (half_swapped(), "without fence.proxy.async between the two"),
        (without(BARRIER), "wrote since the last barrier"),
        ([*BEFORE, *PRODUCT, COMMIT], "ends while 1 wgmma are under way"),
        ([*BEFORE, *PRODUCT, WAIT], "ends while 1 wgmma are under way"),
        ([*BEFORE, *PRODUCT, STORE, COMMIT, WAIT], "which wgmma may still read"),
        ([*BEFORE, *PRODUCT, COMMIT, STORE, WAIT], "which wgmma may still read"),
        ([*BEFORE, *PRODUCT, COMMIT, WAIT, STORE], "which wgmma may still read"),
        ([*BEFORE, *PRODUCT, COMMIT, BARRIER, STORE, WAIT], "which wgmma may still read"),
        ([*BEFORE, *SOME_WARPS], "wait for ever; thread 0 waits for wgmma of its warpgroup"),
        (
            [line.replace("%a0", "%x0") for line in BEFORE] + MIXED_WARPS,
            "another wgmma than thread 0 of its warpgroup",
        ),
        (without(*SMALL.fill()), "nobody has written"),
        ([*SMALL.fill(), *WIDE.body()[len(WIDE.fill()) :]], "offset 10240 of 10240 bytes"),
    ],
)  # fmt: skip
def test_the_emulator_finds(lines: list[str], complaint: str, tmp_path: Path):
    with pytest.raises(EmulationError, match=complaint):
        run_lines(lines, tmp_path, 10240)


TYPES = "!llvm.ptr<3>, !llvm.ptr<1>"


def copied(lines: list[str]) -> list[str]:
    """Operands come by copies that threads wait for, and no fence."""
    copies = []
    for line in lines:
        if line.startswith("llvm.store %v"):
            piece = line.partition(",")[0].removeprefix("llvm.store %v")
            line = f"nvvm.cp.async.shared.global %s{piece}, %f{piece}, 16, cache = cg : {TYPES}"
        copies.append("nvvm.cp.async.wait.group 0" if line == FENCE else line)
    at = copies.index("nvvm.cp.async.wait.group 0")
    return [*copies[:at], "nvvm.cp.async.commit.group", *copies[at:]]


def test_products_see_copies_without_a_fence(tmp_path: Path):
    run_lines(copied(LINES), tmp_path, 10240)


def test_products_see_copies_that_were_waited_for(tmp_path: Path):
    lines = [line for line in copied(LINES) if line != "nvvm.cp.async.wait.group 0"]
    with pytest.raises(EmulationError, match="to which thread 0 still copies"):
        run_lines(lines, tmp_path, 10240)


def test_a_fence_of_those_who_multiply_is_one_on_the_way(tmp_path: Path):
    """As Triton has it: all wait for the writes, then all of them have a fence."""
    run_lines(swapped(), tmp_path, 10240)


STORE_OVER = "llvm.store %v0, %s0 : vector<4xi32>, !llvm.ptr<3>"


def stored_over(*more: str) -> list[str]:
    lines = copied(LINES)
    at = lines.index(BARRIER)
    return [*lines[:at], STORE_OVER, *more, *lines[at:]]


def test_products_see_stores_over_copies_behind_a_fence(tmp_path: Path):
    run_lines(stored_over(FENCE), tmp_path, 10240)


def test_products_do_not_see_stores_over_copies_without_a_fence(tmp_path: Path):
    with pytest.raises(EmulationError, match=r"without fence\.proxy\.async"):
        run_lines(stored_over(), tmp_path, 10240)


@pytest.mark.parametrize("order", [0, 1, 2])
def test_operands_may_be_overwritten_behind_a_wait_and_a_barrier(order: int, tmp_path: Path):
    memory, out = torch.zeros(10240, dtype=torch.uint8), torch.zeros(512)
    body = "\n".join([*BEFORE, *PRODUCT, COMMIT, WAIT, BARRIER, STORE])
    launch(body, [memory, out, out], tmp_path, 10240, order)


@pytest.mark.parametrize(
    "text",
    [
        "wgmma.mma_async.sync.aligned.m64n8k8.f32.f16.f16 {$0}, $1, $1, 1, 1, 1, 0, 0;",
        "wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16 {$0}, $1, $1, 1, 1, 1, 0, 0;",
        "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {$0}, $1, $1, 1, 1, 1, 0, 0;",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.bf16 {$0}, $1, $1, 1, 1, 1, 0, 0;",
    ],
)
def test_what_is_no_wgmma_is_unknown(text: str, tmp_path: Path):
    line = f'%v = llvm.inline_asm has_side_effects "{text}", "=f,l" %base : (i64) -> f32'
    with pytest.raises(UnknownInstruction, match="wgmma"):
        run_lines([line], tmp_path, 1024)
