"""Barriers in shared memory and copies by TMA in the emulator: what they do, and what it finds."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest
import torch
from test_emulate_wgmma import Case, descriptor
from triton_shared import emulate
from triton_shared.emulate import EmulatedKernel, EmulationError, TensorMap

_KERNEL = """
module attributes {{gpu.container_module}} {{
  gpu.module @kernels {{
    llvm.mlir.global external @cta_shared() {{addr_space = 3 : i32, alignment = 1024 : i64}} : !llvm.array<0 x i8>
    llvm.func @f(%m: !llvm.ptr {map}, %n: !llvm.ptr {map}, %x: !llvm.ptr<1>) attributes {{cta.num_warps = {warps} : i32, cta.shared = {shared} : i64, nvvm.kernel}} {{
      {constants}
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %shared = llvm.mlir.addressof @cta_shared : !llvm.ptr<3>
      %address = llvm.ptrtoint %shared : !llvm.ptr<3> to i64
      %four = llvm.mlir.constant(4 : i64) : i64
      %base = llvm.lshr %address, %four : i64
      %bar = llvm.getelementptr %shared[{bar}] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %mine = llvm.getelementptr %shared[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      %is0 = llvm.icmp "eq" %tid, %c0 : i32
      {body}
      llvm.return
    }}
  }}
}}
"""  # noqa: E501
_MAP = "{llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant, llvm.align = 64 : i64}"

BAR = 16384
"""The offset of the mbarriers."""
BARRIER = "nvvm.barrier0"
FENCE = "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}"
INIT = "nvvm.mbarrier.init %bar, %c1 : !llvm.ptr<3>, i32"
INIT_FENCE = "nvvm.fence.mbarrier.init"
COMMIT = "nvvm.cp.async.bulk.commit.group"
WAIT_STORES = "nvvm.cp.async.bulk.wait_group 0"
WAIT_READS = "nvvm.cp.async.bulk.wait_group 0 {read}"
ORDERS = (0, 1, 2)


def build(lines: list[str], folder: Path, warps: int = 4) -> EmulatedKernel:
    """A kernel of these lines; `%c5` and `%cm5` are numbers."""
    body = "\n".join(lines)
    constants = "\n".join(
        f"%c{name} = llvm.mlir.constant({name.replace('m', '-')} : i32) : i32"
        for name in sorted({"0", *re.findall(r"%c(m?\d+)\b", body)})
    )
    text = _KERNEL.format(
        body=body, constants=constants, map=_MAP, warps=warps, shared=BAR + 128, bar=BAR
    )
    return emulate.build_kernel(text, folder)


def launch(lines: list[str], tensor_map: TensorMap, memory: torch.Tensor, folder: Path) -> None:
    emulate.launch(build(lines, folder), [tensor_map, tensor_map, memory], (1,))


def number(value: int) -> str:
    return f"%c{value}".replace("-", "m")


def only(lines: list[str], label: str, condition: str = "%is0") -> list[str]:
    """A branch of the threads with `condition`."""
    begin = f"llvm.cond_br {condition}, ^{label}, ^{label}_end"
    return [begin, f"^{label}:", *lines, f"llvm.br ^{label}_end", f"^{label}_end:"]


def expect(size: int, bar: str = "%bar") -> str:
    return f"nvvm.mbarrier.arrive.expect_tx {bar}, {number(size)} : !llvm.ptr<3>, i32"


def load(start: tuple[int, ...], to: str = "%shared", bar: str = "%bar", of: str = "%m") -> str:
    """A copy of the box that begins at `start`, in the order of the tensor."""
    at = ",".join(number(i) for i in start[::-1])
    return (
        f"nvvm.cp.async.bulk.tensor.shared.cluster.global {to}, {of}, {bar}, box[{at}] "
        "{isCTAOnly = true} : !llvm.ptr<3>, !llvm.ptr"
    )


def store(start: tuple[int, ...], kind: str = "") -> str:
    at = ",".join(number(i) for i in start[::-1])
    types = ": !llvm.ptr, !llvm.ptr<3>"
    if not kind:
        return f"nvvm.cp.async.bulk.tensor.global.shared.cta %m, %shared, box[{at}] {types}"
    kind = f"{{redKind = #nvvm.tma_redux_kind<{kind}>}}"
    return f"nvvm.cp.async.bulk.tensor.reduce %m, %shared, box[{at}] {kind} {types}"


def wait(parity: int, bar: str = "%bar") -> str:
    return f"nvvm.mbarrier.try_wait.parity {bar}, %c{parity}, %c1000 : !llvm.ptr<3>, i32, i32"


def words(size: int, is_read: bool) -> list[str]:
    """Copies `size` bytes of shared memory to x, or from there; 128 threads, a word each."""
    lines = []
    for i in range(size // 512):
        lines += [
            f"%i{i} = llvm.add %tid, {number(128 * i)} : i32",
            f"%s{i} = llvm.getelementptr %shared[%i{i}] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32",
            f"%g{i} = llvm.getelementptr %x[%i{i}] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32",
        ]
        shared, memory = f"%s{i} : !llvm.ptr<3>", f"%g{i} : !llvm.ptr<1>"
        source, target = (shared, memory) if is_read else (memory, shared)
        lines.append(f"%v{i} = llvm.load {source} -> i32")
        lines.append(f"llvm.store %v{i}, {target.replace(' : ', ' : i32, ')}")
    return lines


def begin() -> list[str]:
    return [*only([INIT, INIT_FENCE], "init"), BARRIER]


def box_of(tensor: torch.Tensor, box: tuple[int, ...], start: tuple[int, ...]) -> torch.Tensor:
    """What a copy gives: zeros outside of the tensor."""
    held = torch.zeros(box, dtype=tensor.dtype)
    for place in itertools.product(*map(range, box)):
        at = tuple(i + j for i, j in zip(place, start, strict=True))
        if all(0 <= i < n for i, n in zip(at, tensor.shape, strict=True)):
            held[place] = tensor[at]
    return held


def swizzled(rows: torch.Tensor, width: int) -> torch.Tensor:
    """Bytes of rows of `width` bytes, as TMA lays them: groups of 128 bytes take turns."""
    out = torch.zeros(rows.numel(), dtype=torch.uint8)
    for place, value in enumerate(rows.flatten().tolist()):
        turned = place ^ (place // 128 % (width // 16) * 16)
        out[turned] = value
    return out


def numbers(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    count = torch.Size(shape).numel()
    return (torch.arange(count) % 251 - 100).reshape(shape).to(dtype)


SHAPES = [
    ((300,), (128,), (200,)),
    ((10, 48), (8, 16), (-3, 40)),
    ((3, 10, 48), (2, 4, 16), (2, 3, -4)),
    ((2, 3, 5, 16), (1, 2, 4, 16), (1, 2, 0, 0)),
    ((2, 2, 3, 5, 32), (2, 1, 2, 4, 8), (0, 1, 2, -1, 16)),
]
"""Of a tensor, of a box of 128 numbers, and where it begins."""


@pytest.mark.parametrize(("shape", "box", "start"), SHAPES)
def test_loads(
    shape: tuple[int, ...], box: tuple[int, ...], start: tuple[int, ...], tmp_path: Path
):
    tensor, out = numbers(*shape), torch.zeros(box)
    lines = [*begin(), *only([expect(512), load(start)], "load"), wait(0), *words(512, True)]
    launch(lines, TensorMap(tensor, box), out, tmp_path)
    assert torch.equal(out, box_of(tensor, box, start))


def assembly(text: str, operands: str, constraints: str, types: str) -> str:
    """A statement of the first thread."""
    return (
        f'llvm.inline_asm has_side_effects "@$0 {text};", "b,{constraints}" %is0, {operands} '
        f": (i1, {types}) -> !llvm.void"
    )


@pytest.mark.parametrize(("shape", "box", "start"), SHAPES)
def test_assembly_loads_and_stores(
    shape: tuple[int, ...], box: tuple[int, ...], start: tuple[int, ...], tmp_path: Path
):
    """As the compiler writes copies: with a predicate, and addresses that are numbers."""
    tensor, out = numbers(*shape), torch.zeros(box)
    rank, want = len(shape), box_of(tensor, box, start)
    places = ", ".join(f"${4 + i}" for i in range(rank))
    starts = ", ".join(number(i) for i in start[::-1])
    rest = "r," * rank, "i32, " * rank
    load_words = (
        f"cp.async.bulk.tensor.{rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
        f"[$1], [$2, {{{places}}}], [$3]"
    )
    store_words = (
        f"cp.async.bulk.tensor.{rank}d.global.shared::cta.tile.bulk_group [$2, {{{places}}}], [$1]"
    )
    kinds = f"i32, !llvm.ptr, i32, {rest[1].removesuffix(', ')}"
    given, constraints = f"%at, %m, %place, {starts}", f"r,l,r,{rest[0].removesuffix(',')}"
    lines = [
        "%at = llvm.ptrtoint %shared : !llvm.ptr<3> to i32",
        "%place = llvm.ptrtoint %bar : !llvm.ptr<3> to i32",
        assembly("mbarrier.init.shared.b64 [$1], 1", "%place", "r", "i32"),
        'llvm.inline_asm has_side_effects "fence.mbarrier_init.release.cluster;", "" '
        ": () -> !llvm.void",
        BARRIER,
        assembly(
            "mbarrier.arrive.expect_tx.shared.b64 _, [$1], $2", "%place, %c512", "r,r", "i32, i32"
        ),
        assembly(load_words, given, constraints, kinds),
        wait(0),
        *words(512, True),
        BARRIER,
        assembly("mbarrier.inval.shared.b64 [$1]", "%place", "r", "i32"),
        assembly(store_words, given.replace("%m", "%n"), constraints, kinds),
        'llvm.inline_asm has_side_effects "@$0 cp.async.bulk.commit_group;\\0A'
        '@$0 cp.async.bulk.wait_group.read 0;", "b" %is0 : (i1) -> !llvm.void',
    ]
    other = torch.zeros(shape)
    kernel = build(lines, tmp_path)
    emulate.launch(kernel, [TensorMap(tensor, box), TensorMap(other, box), out], (1,))
    assert torch.equal(out, want)
    assert torch.equal(box_of(other, box, start), want)


@pytest.mark.parametrize("swizzle", ["32", "64", "128"])
def test_loads_swizzle(swizzle: str, tmp_path: Path):
    width = int(swizzle)
    tensor = torch.arange(64 * 256).to(torch.uint8).reshape(64, 256)
    box, start = (4096 // width, width), (3, 32)
    out = torch.zeros(4096, dtype=torch.uint8)
    lines = [*begin(), *only([expect(4096), load(start)], "load"), wait(0), *words(4096, True)]
    tensor_map = TensorMap(tensor, box, swizzle)
    launch(lines, tensor_map, out, tmp_path)
    assert torch.equal(out, swizzled(box_of(tensor, box, start), width))


def test_loads_fill_with_nan(tmp_path: Path):
    tensor, out = numbers(4, 16, dtype=torch.float16), torch.zeros(16, 16, dtype=torch.float16)
    lines = [*begin(), *only([expect(512), load((0, 0))], "load"), wait(0), *words(512, True)]
    tensor_map = TensorMap(tensor, (16, 16), is_filled_with_nan=True)
    launch(lines, tensor_map, out, tmp_path)
    assert torch.equal(out[:4], tensor)
    assert out[4:].isnan().all()


@pytest.mark.parametrize(("shape", "box", "start"), SHAPES)
def test_stores(
    shape: tuple[int, ...], box: tuple[int, ...], start: tuple[int, ...], tmp_path: Path
):
    tensor, values = torch.zeros(shape), numbers(*box) + 1000
    want = tensor.clone()
    for place in itertools.product(*map(range, box)):
        at = tuple(i + j for i, j in zip(place, start, strict=True))
        if all(0 <= i < n for i, n in zip(at, shape, strict=True)):
            want[at] = values[place]
    lines = [*words(512, False), FENCE, BARRIER]
    lines += only([store(start), COMMIT, WAIT_STORES], "store")
    launch(lines, TensorMap(tensor, box), values, tmp_path)
    assert torch.equal(tensor, want)


@pytest.mark.parametrize(
    ("kind", "dtype"),
    [
        ("add", torch.float32),
        ("add", torch.bfloat16),
        ("min", torch.float16),
        ("max", torch.float16),
        ("add", torch.int32),
        ("min", torch.int32),
        ("max", torch.int64),
        ("and", torch.int32),
        ("or", torch.int32),
        ("xor", torch.int32),
    ],
)
def test_reductions(kind: str, dtype: torch.dtype, tmp_path: Path):
    box = (8, 512 // 8 // dtype.itemsize)
    tensor = numbers(*box, dtype=dtype).flip(0).contiguous()
    before, values = tensor.clone(), numbers(*box, dtype=dtype)
    does = {
        "add": torch.add, "min": torch.minimum, "max": torch.maximum,
        "and": torch.bitwise_and, "or": torch.bitwise_or, "xor": torch.bitwise_xor,
    }  # fmt: skip
    lines = [*words(512, False), FENCE, BARRIER]
    lines += only([store((0, 0), kind), COMMIT, WAIT_READS], "store")
    launch(lines, TensorMap(tensor, box), values, tmp_path)
    assert torch.equal(tensor, does[kind](before, values))


@pytest.mark.parametrize(
    ("dtype", "kind", "want"),
    [(torch.uint32, "inc", [1, 6, 0]), (torch.uint32, "dec", [7, 4, 7])],
)
def test_reductions_that_wrap(dtype: torch.dtype, kind: str, want: list[int], tmp_path: Path):
    held = torch.tensor([0, 5, 9] + [0] * 125, dtype=torch.int32)
    tensor, limits = held.view(dtype), torch.full((128,), 7, dtype=torch.int32)
    lines = [*words(512, False), FENCE, BARRIER]
    lines += only([store((0,), kind), COMMIT, WAIT_READS], "store")
    launch(lines, TensorMap(tensor, (128,)), limits, tmp_path)
    assert held[:3].tolist() == want


def test_prefetch_elect_and_registers_do_nothing_else(tmp_path: Path):
    tensor, out = numbers(128), torch.zeros(128, dtype=torch.int32)
    lines = [
        "%chosen = nvvm.elect.sync -> i1",
        "nvvm.prefetch tensormap, %m : !llvm.ptr",
        "nvvm.setmaxregister increase 232",
        "%to = llvm.getelementptr %x[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32",
        *only(["llvm.store %c1, %to : i32, !llvm.ptr<1>"], "one", "%chosen"),
    ]
    launch(lines, TensorMap(tensor, (128,)), out, tmp_path)
    assert out.tolist() == [int(i % 32 == 0) for i in range(128)]


# A warpgroup that copies and one that multiplies, with a ring of stages of both operands.

STEPS, STAGES = 5, 2
LEFT, RIGHT = 64 * 64, 16 * 64
"""Bytes of a stage of the operands: 32 elements of K."""
RING = Case("f16", "f16", steps=2, left_swizzle="64", right_swizzle="64")


def place(name: str, offset: int) -> str:
    return f"{name} = llvm.getelementptr %shared[{offset}] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8"


def producer() -> list[str]:
    lines = []
    for step in range(STEPS):
        stage, turn = step % STAGES, step // STAGES
        full, empty = f"%full{stage}", f"%empty{stage}"
        lines += [
            place(f"%l{step}", stage * LEFT),
            place(f"%q{step}", STAGES * LEFT + stage * RIGHT),
            wait((turn + 1) % 2, empty),
            expect(LEFT + RIGHT, full),
            load((0, 32 * step), f"%l{step}", full, "%m"),
            load((0, 32 * step), f"%q{step}", full, "%n"),
        ]
    return only(lines, "copy", "%leads")


def consumer() -> list[str]:
    lines = [f"%acc0 = llvm.mlir.zero : {RING.struct}"]
    for step in range(STEPS):
        stage, turn = step % STAGES, step // STAGES
        lines += [wait(turn % 2, f"%full{stage}"), "nvvm.wgmma.fence.aligned"]
        for half in range(2):
            product = 2 * step + half
            begins = (stage * LEFT, STAGES * LEFT + stage * RIGHT)
            for name, begin, operand in zip("ab", begins, RING.operands, strict=True):
                start, bits = operand.descriptor(half)
                lines += descriptor(f"%{name}{product}", begin + start, bits)
            lines += RING.instruction(product)
        lines += ["nvvm.wgmma.commit.group.sync.aligned", "nvvm.wgmma.wait.group.sync.aligned 0"]
        lines += only([f"nvvm.mbarrier.arrive %empty{stage} : !llvm.ptr<3>"], f"free{step}")
    return [*lines, *RING.store(f"%acc{2 * STEPS}", "%x")]


def ring() -> list[str]:
    barriers = {f"%full{i}": BAR + 8 * i for i in range(STAGES)}
    barriers |= {f"%empty{i}": BAR + 8 * (STAGES + i) for i in range(STAGES)}
    inits = [f"nvvm.mbarrier.init {name}, %c1 : !llvm.ptr<3>, i32" for name in barriers]
    return [
        *(place(name, offset) for name, offset in barriers.items()),
        *only([*inits, INIT_FENCE], "init"),
        BARRIER,
        '%copies = llvm.icmp "sge" %tid, %c128 : i32',
        '%leads = llvm.icmp "eq" %tid, %c128 : i32',
        "llvm.cond_br %copies, ^producer, ^consumer",
        "^producer:",
        "nvvm.setmaxregister decrease 40",
        *producer(),
        "llvm.br ^end",
        "^consumer:",
        "nvvm.setmaxregister increase 232",
        *consumer(),
        "llvm.br ^end",
        "^end:",
    ]


def check_ring(kernel: EmulatedKernel, order: int) -> None:
    generator = torch.Generator().manual_seed(1)
    left, right = (
        torch.randint(-3, 4, (rows, 32 * STEPS), generator=generator).half() for rows in (64, 16)
    )
    out = torch.zeros(64 * 16)
    maps = [TensorMap(left, (64, 32), "64"), TensorMap(right, (16, 32), "64")]
    emulate.launch(kernel, [*maps, out], (1,), order)
    assert torch.equal(RING.collect(out), left.float() @ right.float().T)


def test_a_warpgroup_copies_for_another_one(tmp_path: Path):
    kernel = build(ring(), tmp_path, warps=8)
    for order in (*ORDERS, 3, 4):
        check_ring(kernel, order)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        # The consumer frees a stage that its products still read.
        ("wait.group.sync.aligned 0", "wait.group.sync.aligned 1", "wgmma may still read"),
        # The producer does not wait for the stage.
        (wait(0, "%empty0"), "", "wgmma may still read|without waiting for its mbarrier"),
        # The consumer does not wait for a copy, or for the one before.
        (wait(0, "%full0"), "", "nobody has written|without waiting for its mbarrier"),
        (wait(1, "%full0"), wait(0, "%full0"), "without waiting for its mbarrier|wait for ever"),
        # It never frees the stage.
        (
            "nvvm.mbarrier.arrive %empty0 : !llvm.ptr<3>",
            "",
            "thread 0 waits for the mbarrier at offset 16384 .1 arrivals and 0 bytes are missing",
        ),
        # Fewer bytes are expected than come, or more, or none.
        (
            expect(5120, "%full0"),
            expect(4096, "%full0"),
            "bytes are missing|without waiting for its mbarrier",
        ),
        (expect(5120, "%full1"), expect(6144, "%full1"), "and 1024 bytes are missing"),
        (expect(5120, "%full0"), "", "1 arrivals and -5120 bytes are missing"),
        # Nobody sees that the barriers are initialised.
        (INIT_FENCE, "", "without fence.mbarrier_init"),
    ],
)
def test_what_a_ring_lacks(old: str, new: str, complaint: str, tmp_path: Path):
    lines = ring()
    assert old in "\n".join(lines)
    kernel = build([line.replace(old, new) for line in lines], tmp_path, warps=8)
    for order in ORDERS:
        with pytest.raises(EmulationError, match=complaint):
            check_ring(kernel, order)


# Barriers among some warps.

MEET = "nvvm.barrier id = %c1 number_of_threads = %c64"
NEXT = [
    "%next = llvm.xor %tid, %c63 : i32",
    "%other = llvm.getelementptr %shared[%next] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32",
    "%v = llvm.load %other : !llvm.ptr<3> -> i32",
    "%to = llvm.getelementptr %x[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32",
    "llvm.store %v, %to : i32, !llvm.ptr<1>",
]
"""Reads what the partner of another warp has stored."""


def halves(first: list[str], second: list[str]) -> list[str]:
    """What the first two of four warps do, and the others."""
    return [
        '%is_first = llvm.icmp "slt" %tid, %c64 : i32',
        "llvm.cond_br %is_first, ^first, ^second",
        *("^first:", *first, "llvm.br ^end"),
        *("^second:", *second, "llvm.br ^end"),
        "^end:",
    ]


def check_words(lines: list[str], want: list[int], folder: Path) -> None:
    kernel, tensor = build(lines, folder), numbers(128)
    for order in ORDERS:
        out = torch.zeros(128, dtype=torch.int32)
        maps = [TensorMap(tensor, (128,))] * 2
        emulate.launch(kernel, [*maps, out], (1,), order)
        assert out.tolist() == want


def check_complaint(lines: list[str], complaint: str, folder: Path) -> None:
    kernel, tensor = build(lines, folder), numbers(128)
    for order in ORDERS:
        maps = [TensorMap(tensor, (128,))] * 2
        with pytest.raises(EmulationError, match=complaint):
            emulate.launch(kernel, [*maps, numbers(128)], (1,), order)


STORE = "llvm.store %tid, %mine : i32, !llvm.ptr<3>"


def test_two_of_four_warps_meet(tmp_path: Path):
    lines = halves([STORE, MEET, *NEXT], [STORE])
    check_words(lines, [i ^ 63 for i in range(64)] + [0] * 64, tmp_path)


def test_some_arrive_and_others_wait(tmp_path: Path):
    arrive = "nvvm.barrier.arrive id = %c1 number_of_threads = %c128"
    meet = MEET.replace("64", "128")
    lines = [*halves([meet, *NEXT], [STORE, arrive])]
    lines = [line.replace("%c63", "%c127") for line in lines]
    check_words(lines, [i ^ 127 for i in range(64)] + [0] * 64, tmp_path)


def test_lanes_of_a_warp_meet(tmp_path: Path):
    meet = "nvvm.bar.warp.sync %cm1 : i32"
    lines = [line.replace("%c63", "%c31") for line in [STORE, meet, *NEXT]]
    check_words(lines, [i ^ 31 for i in range(128)], tmp_path)


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        (halves([STORE, *NEXT], [STORE, MEET]), "since the last barrier|nobody has written"),
        (
            halves([STORE, MEET.replace("64", "128"), *NEXT], [STORE]),
            "64 of 128 threads wait for ever; thread 0 waits for a named barrier",
        ),
        (
            halves([STORE, MEET.replace("64", "128"), *NEXT], [STORE, MEET]),
            "arrives at a named barrier for|wait for ever",
        ),
        ([MEET.replace("64", "40")], "barrier of 40 threads"),
        ([MEET.replace("%c1 ", "%c16 ")], "barrier 16 of 16"),
    ],
)
def test_what_barriers_lack(lines: list[str], complaint: str, tmp_path: Path):
    check_complaint(lines, complaint, tmp_path)


# What else it must find, with a copy of 512 bytes by thread 0.

ARRIVE = "nvvm.mbarrier.arrive %bar : !llvm.ptr<3>"
LOAD = only([expect(512), load((0,))], "load")
STORES = [*words(512, False), FENCE, BARRIER]
UNFENCED = [line for line in STORES if line != FENCE]
STORED = [store((0,)), COMMIT, WAIT_READS]


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        ([*begin(), *LOAD, BARRIER, *words(512, True)], "without waiting for its mbarrier"),
        ([*begin(), *LOAD, wait(1), *words(512, True)], "nobody has written|wait for ever"),
        ([*begin(), *only([expect(512), expect(512)], "load")], "all 1 of its phase came"),
        ([*begin(), *only([load((0,))], "load"), BARRIER], "is under way"),
        ([*begin(), *only([ARRIVE, load((0,)), wait(1)], "load")], "-512 bytes|is under way"),
        ([*begin(), wait(0)], "128 of 128 threads wait for ever; thread 0 waits for the mbarrier"),
        ([*only([INIT], "init"), BARRIER, *LOAD, wait(0)], "without fence.mbarrier_init"),
        ([*only([INIT, INIT_FENCE], "init"), ARRIVE], "initialised since the last|nobody has init"),
        ([ARRIVE], "as an mbarrier, which nobody has initialised"),
        ([*begin(), "llvm.store %c0, %bar : i32, !llvm.ptr<3>"], "which belongs to an mbarrier"),
        ([*begin(), STORE, BARRIER, *LOAD, wait(0)], "without fence.proxy.async"),
        ([*begin(), STORE, FENCE, *LOAD, wait(0)], "since the last barrier|without waiting"),
        (
            [*begin(), STORE, FENCE, BARRIER, "%v = llvm.load %mine : !llvm.ptr<3> -> i32", *LOAD,
             wait(0)],
            "which another thread read since the last barrier|without waiting",
        ),
        (
            [*begin(), place("%odd", 64), *only([expect(512), load((0,), "%odd")], "load")],
            "offset 64 of shared memory, which is no multiple of 128",
        ),
        (
            [*begin(), *only([expect(512), load((3,))], "load"), wait(0)],
            "begins at byte 12 of its rows, which is no multiple of 16",
        ),
        (
            [*begin(), *only([expect(512), load((0, 0))], "load"), wait(0)],
            "copies 2 dimensions of a tensor map that has 1",
        ),
        ([*begin(), place("%far", BAR), *only([expect(512), load((0,), "%far")], "load"), wait(0)],
         "belongs to an mbarrier|of shared memory"),
        ([*STORES, *only([store((0,)), COMMIT], "store")], "ends while 1 stores of TMA"),
        ([*STORES, *only([store((0,)), WAIT_READS], "store")], "ends while 1 stores of TMA"),
        ([*UNFENCED, *only(STORED, "store")], "a store of TMA reads .* without fence.proxy.async"),
        (
            [*UNFENCED, *only([FENCE, STORE, *STORED], "store")],
            "thread 0 wrote, without fence.proxy.async between the two",
        ),
        (
            [line for line in STORES if line != BARRIER] + only(STORED, "store"),
            "since the last barrier|nobody has written",
        ),
        (
            [*STORES, *only([store((0,)), COMMIT], "store"), BARRIER, STORE, BARRIER,
             *only([WAIT_READS], "wait")],
            "which a store of TMA may still read",
        ),
    ],
)  # fmt: skip
def test_the_emulator_finds(lines: list[str], complaint: str, tmp_path: Path):
    check_complaint(lines, complaint, tmp_path)


def test_stored_bytes_may_change_behind_a_wait_and_a_barrier(tmp_path: Path):
    check_words([*STORES, *only(STORED, "store"), BARRIER, STORE], [0] * 128, tmp_path)


@pytest.mark.parametrize(
    ("tensor", "box", "swizzle", "complaint"),
    [
        (numbers(4, 16), (16,), "none", "a box of 1 dimensions in a tensor of 2"),
        (numbers(4, 18), (4, 8), "none", "multiples of 16"),
        (numbers(4, 16).T, (4, 4), "none", "multiples of 16"),
        (numbers(4, 16), (4, 2), "none", "8 bytes a row"),
        (numbers(4, 512), (4, 512), "none", "2048 bytes a row"),
        (numbers(4, 64), (4, 16), "128", "rows of 64 bytes with a swizzle of 128"),
    ],
)
def test_tensors_that_have_no_map(
    tensor: torch.Tensor, box: tuple[int, ...], swizzle: str, complaint: str
):
    with pytest.raises(ValueError, match=complaint):
        TensorMap(tensor, box, swizzle)
