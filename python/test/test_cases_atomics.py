"""Atomic updates: every kind and type, masked or not, alone and from many programs at once."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
import triton_shared
from guarded import Memory

INTEGERS = [torch.int32, torch.int64, torch.uint32, torch.uint64]
FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
KINDS = ["add", "max", "min", "and", "or", "xor", "xchg"]


def kinds_of(dtype: torch.dtype) -> list[str]:
    """What the front end allows for a type."""
    if not dtype.is_floating_point:
        return KINDS
    return {
        torch.float16: ["add"],
        torch.bfloat16: ["add"],
        torch.float32: ["add", "xchg", "max", "min"],
        torch.float64: ["add", "xchg", "max", "min"],
    }[dtype]


ALL = [(kind, dtype) for dtype in INTEGERS + FLOATS for kind in kinds_of(dtype)]
SLICE = [(kind, torch.int32) for kind in KINDS] + [
    ("add", torch.bfloat16),
    ("add", torch.float16),
    ("max", torch.float32),
    ("min", torch.float64),
    ("max", torch.uint32),
    ("min", torch.uint64),
    ("xor", torch.int64),
    ("xchg", torch.float32),
]


def name_of(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def matrix(cases: list[tuple[str, torch.dtype]]) -> list[Any]:
    """`cases`, then what is left of ALL for the nightly run."""
    ids = [pytest.param(*case, id=f"{case[0]}-{name_of(case[1])}") for case in cases]
    rest = [case for case in ALL if case not in cases]
    return ids + [
        pytest.param(*case, id=f"{case[0]}-{name_of(case[1])}", marks=pytest.mark.nightly)
        for case in rest
    ]


@triton.jit
def update(pointer, value, mask, KIND: tl.constexpr, SEM: tl.constexpr = None):
    if KIND == "add":
        old = tl.atomic_add(pointer, value, mask=mask, sem=SEM)
    elif KIND == "max":
        old = tl.atomic_max(pointer, value, mask=mask, sem=SEM)
    elif KIND == "min":
        old = tl.atomic_min(pointer, value, mask=mask, sem=SEM)
    elif KIND == "and":
        old = tl.atomic_and(pointer, value, mask=mask, sem=SEM)
    elif KIND == "or":
        old = tl.atomic_or(pointer, value, mask=mask, sem=SEM)
    elif KIND == "xor":
        old = tl.atomic_xor(pointer, value, mask=mask, sem=SEM)
    else:
        old = tl.atomic_xchg(pointer, value, mask=mask, sem=SEM)
    return old


@triton.jit
def update_block(p_ptr, x_ptr, old_ptr, n, KIND: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    old = update(p_ptr + at, tl.load(x_ptr + at, mask=at < n), at < n, KIND)
    tl.store(old_ptr + at, old, mask=at < n)


def signed(x: torch.Tensor) -> torch.Tensor:
    """Bits as signed numbers: torch computes little with unsigned ones."""
    same = {torch.uint16: torch.int16, torch.uint32: torch.int32, torch.uint64: torch.int64}
    return x.view(same.get(x.dtype, x.dtype))


def updated(kind: str, p: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """What one update of each element leaves in memory."""
    if kind == "xchg":
        return x.clone()
    if kind in ("max", "min"):
        choose = max if kind == "max" else min
        pairs = zip(p.tolist(), x.tolist(), strict=True)
        return torch.tensor([choose(a, b) for a, b in pairs], dtype=p.dtype)
    functions: dict[str, Callable[..., Any]] = {
        "add": operator.add,
        "and": operator.and_,
        "or": operator.or_,
        "xor": operator.xor,
    }
    return functions[kind](signed(p), signed(x)).view(p.dtype)


def numbers(dtype: torch.dtype, n: int, seed: int) -> torch.Tensor:
    """Any bits for integers, numbers of both signs for floats."""
    rng = torch.Generator().manual_seed(seed)
    if dtype.is_floating_point:
        return torch.randint(-50, 50, (n,), generator=rng).to(dtype) / 4
    size = torch.iinfo(dtype).bits
    same = {16: torch.int16, 32: torch.int32, 64: torch.int64}[size]
    bound = 2 ** (size - 1)
    return torch.randint(-bound, bound - 1, (n,), generator=rng).to(same).view(dtype)


@pytest.mark.parametrize(("kind", "dtype"), matrix(SLICE))
def test_every_kind_updates_a_block(memory: Memory, kind: str, dtype: torch.dtype):
    n = 45
    before, x = numbers(dtype, n, 1), numbers(dtype, n, 2)
    p, old = memory.holding(before), memory.holding(torch.zeros(n, dtype=dtype))
    update_block[(3,)](p, memory.holding(x), old, n, KIND=kind, BLOCK=16)
    assert torch.equal(signed(old), signed(before))
    assert torch.equal(signed(p), signed(updated(kind, before, x)))


@triton.jit
def update_scalars(p_ptr, x_ptr, old_ptr, flags, KIND: tl.constexpr):
    i = tl.program_id(0)
    wanted = tl.load(flags + i) != 0
    old = update(p_ptr + i, tl.load(x_ptr + i), wanted, KIND)
    tl.store(old_ptr + i, old, mask=wanted)


@pytest.mark.parametrize(("kind", "dtype"), matrix(SLICE))
def test_a_masked_scalar_is_left_alone(memory: Memory, kind: str, dtype: torch.dtype):
    n = 8
    before, x = numbers(dtype, n, 3), numbers(dtype, n, 4)
    flags = torch.tensor([1, 0, 1, 1, 0, 0, 1, 0], dtype=torch.int8)
    p, old = memory.holding(before), memory.holding(before)
    update_scalars[(n,)](p, memory.holding(x), old, memory.holding(flags), KIND=kind)
    want = torch.where(flags.bool(), signed(updated(kind, before, x)), signed(before))
    assert torch.equal(signed(p), want)
    assert torch.equal(signed(old), signed(before))


@triton.jit
def update_one(p_ptr, x_ptr, n, KIND: tl.constexpr, SEM: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0)
    update(p_ptr + at % 3, x, at < n, KIND, SEM)


@pytest.mark.parametrize("sem", [None, "relaxed", "acquire", "release", "acq_rel"])
@pytest.mark.parametrize(
    ("kind", "dtype"),
    [("add", torch.int32), ("add", torch.float16), ("add", torch.bfloat16), ("max", torch.float32)],
    ids=str,
)
def test_many_programs_update_the_same_elements(
    memory: Memory, kind: str, dtype: torch.dtype, sem: str | None
):
    """No update is lost. The sums are small whole numbers, exact in any order."""
    n = 500
    x = memory.holding((torch.arange(n) % 2).to(dtype))
    p = memory.holding(torch.zeros(3, dtype=dtype))
    update_one[(63,)](p, x, n, KIND=kind, SEM=sem, BLOCK=8)
    groups = [x[i::3].double() for i in range(3)]
    want = [g.max() if kind == "max" else g.sum() for g in groups]
    assert p.tolist() == [w.item() for w in want]


@triton.jit
def add_with_scope(p_ptr, SCOPE: tl.constexpr):
    tl.atomic_add(p_ptr + tl.zeros([4], tl.int32), 1, scope=SCOPE)


@pytest.mark.parametrize("scope", ["cta", "gpu", "sys"])
def test_every_scope(memory: Memory, scope: str):
    p = memory.holding(torch.zeros(1, dtype=torch.int64))
    add_with_scope[(100,)](p, SCOPE=scope)
    assert p.item() == 400


@triton.jit
def old_values_of_one_address(p_ptr, old_ptr, x_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    old = tl.atomic_add(p_ptr + at * 0, tl.load(x_ptr + at))
    tl.store(old_ptr + at, old)


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS, ids=name_of)
def test_elements_at_one_address_are_added_in_order(memory: Memory, dtype: torch.dtype):
    x = torch.arange(16)
    p, old = memory.holding(torch.ones(1, dtype=dtype)), memory.empty(16, dtype=torch.int64)
    old_values_of_one_address[(1,)](p, old, memory.holding(x.to(dtype)), BLOCK=16)
    assert old.tolist() == (1 + x.cumsum(0) - x).tolist()
    assert p.double().item() == 1 + x.sum().item()


@triton.jit
def update_tile(p_ptr, old_ptr, sm, sn, m, n, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    rows, columns = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    inside = (rows < m) & (columns < n)
    old = tl.atomic_add(p_ptr + rows * sm + columns * sn, rows * 10 + columns, mask=inside)
    tl.store(old_ptr + tl.arange(0, N if AXIS == 0 else M), tl.sum(old, axis=AXIS))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("transposed", [False, True])
def test_a_tile_is_updated_and_its_old_values_reduced(memory: Memory, axis: int, transposed: bool):
    m, n = 5, 11
    before = numbers(torch.int32, m * n, 5).view(m, n) >> 8
    p = memory.holding(before.T.contiguous() if transposed else before)
    view = p.T if transposed else p
    old = memory.empty(8 if axis == 1 else 16, dtype=torch.int32)
    update_tile[(1,)](p, old, view.stride(0), view.stride(1), m, n, M=8, N=16, AXIS=axis)
    added = torch.arange(m)[:, None] * 10 + torch.arange(n)[None, :]
    assert torch.equal(view, (before + added).int())
    want = torch.zeros(old.shape, dtype=torch.int32)
    want[: before.shape[1 - axis]] = before.sum(axis, dtype=torch.int32)
    assert torch.equal(old, want)


@triton.jit
def add_one_to_each(p_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.atomic_add(p_ptr + at, 1.0)
    at3 = at[:, None, None] + tl.arange(0, 2)[None, :, None] + tl.arange(0, 1)[None, None, :]
    tl.atomic_add(p_ptr + at3, 1.0)
    tl.atomic_add(p_ptr, 1)


def test_blocks_of_any_rank_and_scalars(memory: Memory):
    p = memory.holding(torch.zeros(5))
    add_one_to_each[(1,)](p, BLOCK=4)
    assert p.tolist() == [3, 3, 3, 3, 1]


@triton.jit
def extreme_floats(p_ptr, x_ptr, KIND: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    update(p_ptr + at, tl.load(x_ptr + at), None, KIND)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=name_of)
@pytest.mark.parametrize("kind", ["max", "min"])
def test_extremes_know_infinities_and_the_sign_of_zero(
    memory: Memory, kind: str, dtype: torch.dtype
):
    values = [0.0, -0.0, 1.0, -1.0, float("inf"), float("-inf"), 1e-40, -1e-40]
    pairs = [(a, b) for a in values for b in values]
    before, x = (torch.tensor(side, dtype=dtype) for side in zip(*pairs, strict=True))
    p = memory.holding(before)
    extreme_floats[(1,)](p, memory.holding(x), KIND=kind, N=64)
    bits = torch.int32 if dtype == torch.float32 else torch.int64
    sign = lambda t: t.view(bits) < 0  # noqa: E731
    choose = torch.maximum if kind == "max" else torch.minimum
    assert torch.equal(p, choose(before, x))
    zeros = (before == 0) & (x == 0)
    pick = torch.logical_and if kind == "max" else torch.logical_or
    assert torch.equal(sign(p)[zeros], pick(sign(before), sign(x))[zeros])


@triton.jit
def compare_and_swap(p_ptr, compare_ptr, value_ptr, old_ptr, SEM: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    old = tl.atomic_cas(p_ptr + at, tl.load(compare_ptr + at), tl.load(value_ptr + at), sem=SEM)
    tl.store(old_ptr + at, old)


CAS_TYPES = [torch.int16, torch.uint16, *INTEGERS, *FLOATS]


SEMS = ["relaxed", "acquire", "release", "acq_rel"]
SWAPS = [(dtype, None) for dtype in CAS_TYPES] + [(torch.int32, sem) for sem in SEMS]


@pytest.mark.parametrize(("dtype", "sem"), SWAPS, ids=str)
def test_swaps_where_the_bits_are_equal(memory: Memory, dtype: torch.dtype, sem: str | None):
    n = 16
    before, other = numbers(dtype, n, 6), numbers(dtype, n, 7)
    hit = torch.arange(n) % 3 == 0
    missed = before + 1 if dtype.is_floating_point else ~signed(before)
    compare = torch.where(hit, signed(before), missed)
    p, old = memory.holding(before), memory.holding(torch.zeros(n, dtype=dtype))
    compare_and_swap[(1,)](
        p, memory.holding(compare.view(dtype)), memory.holding(other), old, SEM=sem, N=n
    )
    assert torch.equal(signed(p), torch.where(hit, signed(other), signed(before)))
    assert torch.equal(signed(old), signed(before))


@triton.jit
def swap_floats(p_ptr, old_ptr):
    tl.store(old_ptr, tl.atomic_cas(p_ptr, 0.0, 5.0))
    tl.store(old_ptr + 1, tl.atomic_cas(p_ptr + 1, 0.0, 5.0))


def test_a_swap_compares_bits(memory: Memory):
    p, old = memory.holding(torch.tensor([-0.0, 0.0])), memory.empty(2)
    swap_floats[(1,)](p, old)
    assert p.tolist() == [-0.0, 5.0]
    assert old.tolist() == [0.0, 0.0]


@triton.jit
def count_under_a_lock(lock_ptr, counter_ptr, order_ptr):
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    turn = tl.load(counter_ptr)
    tl.store(order_ptr + turn, tl.program_id(0))
    tl.store(counter_ptr, turn + 1)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


@pytest.mark.not_replayed("the order of the programs is theirs")
@pytest.mark.parametrize("programs", [1, 7, 300, 2000])
def test_a_lock_admits_one_program_at_a_time(memory: Memory, programs: int):
    lock, counter = (memory.holding(torch.zeros(1, dtype=torch.int32)) for _ in range(2))
    order = memory.empty(programs, dtype=torch.int32)
    count_under_a_lock[(programs,)](lock, counter, order)
    assert counter.item() == programs
    assert sorted(order.tolist()) == list(range(programs))


@triton.jit
def sum_parts(x_ptr, parts_ptr, done_ptr, out_ptr, n, BLOCK: tl.constexpr, PARTS: tl.constexpr):
    pid, parts = tl.program_id(0), tl.num_programs(0)
    at = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(parts_ptr + pid, tl.sum(tl.load(x_ptr + at, mask=at < n, other=0.0)))
    if tl.atomic_add(done_ptr, 1) == parts - 1:
        i = tl.arange(0, PARTS)
        tl.store(out_ptr, tl.sum(tl.load(parts_ptr + i, mask=i < parts, other=0.0)))


def test_the_last_program_adds_the_parts(memory: Memory):
    n, programs = 1000, 32
    x = numbers(torch.float32, n, 8)
    out, done = memory.empty(1), memory.holding(torch.zeros(1, dtype=torch.int32))
    sum_parts[(programs,)](
        memory.holding(x), memory.empty(programs), done, out, n, BLOCK=32, PARTS=32
    )
    assert out.item() == x.sum().item()


@triton.jit
def wait_for_the_one_before(turn_ptr, out_ptr):
    pid = tl.program_id(0)
    while tl.atomic_add(turn_ptr, 0) != pid:
        pass
    tl.store(out_ptr + pid, tl.load(out_ptr + pid - 1, mask=pid > 0, other=0) + pid)
    tl.atomic_add(turn_ptr, 1, sem="release")


def test_programs_wait_for_earlier_ones(memory: Memory):
    n = 200
    out = memory.empty(n, dtype=torch.int32)
    wait_for_the_one_before[(n,)](memory.holding(torch.zeros(1, dtype=torch.int32)), out)
    assert torch.equal(out, torch.arange(n).cumsum(0).int())


@triton.jit
def wait_for_all(arrived_ptr, x_ptr, out_ptr, rounds):
    """A barrier over the grid, then a look at what the next program has written."""
    pid, programs = tl.program_id(0), tl.num_programs(0)
    for i in range(rounds):
        tl.store(x_ptr + pid, 100 * i + pid)
        tl.atomic_add(arrived_ptr, 1, sem="release")
        while tl.atomic_add(arrived_ptr, 0, sem="acquire") < (2 * i + 1) * programs:
            pass
        x = tl.load(x_ptr + (pid + 1) % programs)
        tl.store(out_ptr + i * programs + pid, x)
        tl.atomic_add(arrived_ptr, 1, sem="release")
        while tl.atomic_add(arrived_ptr, 0, sem="acquire") < (2 * i + 2) * programs:
            pass


waits_for_later_ones = pytest.mark.skipif(
    os.environ.get("TRITON_SHARED_THREADS") == "1", reason="one thread runs programs in order"
)


@pytest.mark.not_replayed("it waits for other programs, and a replay has one thread")
@pytest.mark.parametrize("order", ["forward", "reverse"])
@pytest.mark.parametrize(
    ("programs", "asked"),
    [(2, True), pytest.param(40, False, marks=waits_for_later_ones), (40, True), (600, True)],
)
def test_a_barrier_over_the_grid(memory: Memory, programs: int, asked: bool, order: str):
    """Programs that wait for later ones run at the same time, however few cores there are."""
    rounds = 3
    arrived = memory.holding(torch.zeros(1, dtype=torch.int32))
    x, out = (memory.empty(n, dtype=torch.int32) for n in (programs, rounds * programs))
    with triton_shared.launches(grid_order=order):
        wait_for_all[(programs,)](arrived, x, out, rounds, launch_cooperative_grid=asked)
    want = torch.arange(programs).roll(-1) + 100 * torch.arange(rounds)[:, None]
    assert torch.equal(out.view(rounds, programs), want.int())


def test_one_thread_is_enough_for_a_cooperative_grid(memory: Memory):
    arrived = memory.holding(torch.zeros(1, dtype=torch.int32))
    x, out = memory.empty(4, dtype=torch.int32), memory.empty(4, dtype=torch.int32)
    with triton_shared.launches(threads=1):
        wait_for_all[(4,)](arrived, x, out, 1, launch_cooperative_grid=True)
    assert out.tolist() == [1, 2, 3, 0]


def test_a_cooperative_grid_that_is_too_large_is_refused(memory: Memory):
    p = memory.holding(torch.zeros(1, dtype=torch.int64))
    with pytest.raises(RuntimeError, match="a grid of 5000 programs cannot run side by side"):
        add_with_scope[(5000,)](p, SCOPE="gpu", launch_cooperative_grid=True)
    assert p.item() == 0


@triton.jit
def wait_in_vain(flag_ptr):
    tl.device_assert(tl.program_id(0) != 1, "this one gives up")
    while tl.atomic_add(flag_ptr, 0) == 0:
        pass


def test_nobody_waits_for_a_program_that_has_failed(memory: Memory):
    flag = memory.holding(torch.zeros(1, dtype=torch.int32))
    with pytest.raises(triton_shared.DeviceAssertError, match="this one gives up"):
        wait_in_vain[(8,)](flag, debug=True, launch_cooperative_grid=True)


@triton.jit
def wait_for_a_volatile_load(flag_ptr, out_ptr):
    if tl.program_id(0) == 0:
        while tl.load(flag_ptr, volatile=True) == 0:
            pass
        tl.store(out_ptr, tl.load(flag_ptr, volatile=True) + 1)
    else:
        tl.store(flag_ptr, 41)


@pytest.mark.not_replayed("it waits for other programs, and a replay has one thread")
@waits_for_later_ones
def test_a_volatile_load_sees_what_another_program_stores(memory: Memory):
    flag, out = (memory.holding(torch.zeros(1, dtype=torch.int32)) for _ in range(2))
    wait_for_a_volatile_load[(2,)](flag, out)
    assert out.item() == 42
