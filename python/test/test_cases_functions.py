"""Functions, tuples, compile-time control flow and memory modifiers: what reaches the compiler."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
import torch
import triton
import triton.language as tl
from guarded import Memory


def zeros(memory: Memory, n: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return memory.holding(torch.zeros(n, dtype=dtype))


#
# Functions
#


@triton.jit
def add_inline(x, y):
    return x + y


@triton.jit(noinline=True)
def add_apart(x, y):
    return x + y


@triton.jit(noinline=True)
def sum_and_product(x, y):
    return x + y, x * y


@triton.jit(noinline=True)
def store_apart(pointer, x, wanted):
    tl.store(pointer, x, mask=wanted)


@triton.jit(noinline=True)
def load_and_move(pointer, step):
    return tl.load(pointer), pointer + step


@triton.jit(noinline=True)
def sum_of_block(pointer, BLOCK: tl.constexpr):
    """Works on blocks, takes and returns scalars."""
    return tl.sum(tl.load(pointer + tl.arange(0, BLOCK)), axis=0)


@triton.jit
def call_functions(x_ptr, out_ptr, n, KIND: tl.constexpr):
    i = tl.program_id(0)
    x = tl.load(x_ptr + i)
    if KIND == "inline":
        y = add_inline(add_inline(x, x), 1.0)
    elif KIND == "apart":
        y = add_apart(add_apart(x, x), 1.0)
    elif KIND == "tuple":
        total, product = sum_and_product(x, 2.0)
        y = total * 10 + product
    elif KIND == "loop":
        y = x
        for k in range(n):
            y = add_apart(y, k * 1.0)
    elif KIND == "branch":
        if n > 4:
            y = add_apart(x, 1.0)
        else:
            y = add_inline(x, -1.0)
    elif KIND == "block":
        y = x + sum_of_block(x_ptr, 4)
    else:
        first, moved = load_and_move(x_ptr + i, 1)
        second, _ = load_and_move(moved, 1)
        y = first + 2 * second
    store_apart(out_ptr + i, y, i < n)


KINDS = ["inline", "apart", "tuple", "loop", "branch", "block", "pointer"]


@pytest.mark.parametrize("kind", KINDS)
def test_functions(memory: Memory, kind: str):
    n = 6
    x, out = memory.holding(torch.arange(1.0, 10.0)), zeros(memory, 8)
    call_functions[(8,)](x, out, n, KIND=kind)
    wants = {
        "inline": 2 * x + 1,
        "apart": 2 * x + 1,
        "tuple": (x + 2) * 10 + 2 * x,
        "loop": x + sum(range(n)),
        "branch": x + 1,
        "block": x + x[:4].sum(),
        "pointer": x + 2 * x.roll(-1),
    }
    assert torch.equal(out[:n], wants[kind][:n])
    assert not out[n:].any()


@triton.jit(noinline=True)
def early(x, limit):
    if x > limit:
        return limit
    return x * 2


@triton.jit
def use_early(x_ptr, out_ptr, n):
    i = tl.program_id(0)
    tl.store(out_ptr + i, early(tl.load(x_ptr + i), 5) + early(i, 2))


def test_functions_return_early(memory: Memory):
    x = memory.holding(torch.tensor([1, 9, 5, 6, -3], dtype=torch.int32))
    out = zeros(memory, 5, torch.int32)
    use_early[(5,)](x, out, 5)
    f = lambda v, limit: limit if v > limit else 2 * v  # noqa: E731
    assert out.tolist() == [f(v, 5) + f(i, 2) for i, v in enumerate(x.tolist())]


@triton.jit
def apply(function: tl.constexpr, x, y):
    return function(x, y)


@triton.jit
def pass_functions(x_ptr, out_ptr, FUNCTION: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    total = tl.reduce(x, 0, add_inline)
    tl.store(out_ptr + at, x + apply(FUNCTION, total, 2.0))


@pytest.mark.parametrize("function", [add_inline, add_apart], ids=["inline", "apart"])
def test_functions_as_arguments(memory: Memory, function: Any):
    x, out = memory.holding(torch.arange(8.0)), zeros(memory, 8)
    pass_functions[(1,)](x, out, FUNCTION=function, BLOCK=8)
    assert torch.equal(out, x + x.sum() + 2)


@triton.jit
def with_defaults(out_ptr, a, b=2, C: tl.constexpr = 3, d: tl.constexpr = None):
    extra: tl.constexpr = 0 if d is None else d
    tl.store(out_ptr, a * 100 + b * 10 + C + extra)


def test_default_arguments(memory: Memory):
    out = zeros(memory, 1, torch.int32)
    for arguments, named, want in [
        ((1,), {}, 123),
        ((1, 4), {}, 143),
        ((1,), {"C": 5, "d": 1}, 126),
    ]:
        with_defaults[(1,)](out, *arguments, **named)
        assert out.item() == want


#
# Tuples
#


class Pair(NamedTuple):
    pointer: Any
    sizes: tuple


@triton.jit
def swap(pair):
    return pair[1], pair[0]


@triton.jit
def change(values):
    return tl.tuple([v + 1 for v in values])


@triton.jit
def use_tuples(out_ptr, source, values, nested, n):
    a, b = swap((tl.load(source.pointer), source.sizes[1]))
    tl.store(out_ptr, a)
    tl.store(out_ptr + 1, b)
    values = change(values)
    for i in tl.static_range(len(values)):
        tl.store(out_ptr + 2 + i, values[i])
    tl.static_assert(nested[1][1] is None)
    tl.store(out_ptr + 5, nested[0] + nested[1][0])
    state = (0, 1.0)
    for i in range(n):
        state = (state[0] + i, state[1] * 2)
    tl.store(out_ptr + 6, state[0] + state[1])
    if n > 2:
        both = (n, 2 * n)
    else:
        both = (-n, -2 * n)
    tl.store(out_ptr + 7, both[0] + both[1])


@pytest.mark.parametrize("n", [2, 4])
def test_tuples(memory: Memory, n: int):
    x, out = memory.holding(torch.tensor([7.0])), zeros(memory, 8)
    use_tuples[(1,)](out, Pair(x, (3, 9)), (1, 20, 2.5), (4, (5, None)), n)
    state = sum(range(n)) + 2.0**n
    both = 3 * n if n > 2 else -3 * n
    assert out.tolist() == [9, 7, 2, 21, 3.5, 9, state, both]


@triton.jit
def tuple_of_pointers(targets, value, COUNT: tl.constexpr):
    for i in tl.static_range(COUNT):
        tl.store(targets[i], value + i)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_tuple_of_any_length(memory: Memory, count: int):
    outs = tuple(zeros(memory, 1) for _ in range(count))
    tuple_of_pointers[(1,)](outs, 5.0, COUNT=count)
    assert [out.item() for out in outs] == [5.0 + i for i in range(count)]


@triton.jit
def tuple_of_blocks(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    state = (x, x * 0, tl.max(x, axis=0))
    while n > 0:
        low, high, top = state
        state = (low + 1, high + low, tl.maximum(top, n * 1.0))
        n -= 1
    tl.store(out_ptr + at, state[0] + 100 * state[1] + 10000 * state[2])


@pytest.mark.parametrize("n", [0, 3])
def test_tuples_of_blocks_in_a_while_loop(memory: Memory, n: int):
    x, out = memory.holding(torch.arange(4.0)), zeros(memory, 4)
    tuple_of_blocks[(1,)](x, out, n, BLOCK=4)
    low, high, top = x, 0 * x, x.max()
    for i in range(n, 0, -1):
        low, high, top = low + 1, high + low, torch.maximum(top, torch.tensor(float(i)))
    assert torch.equal(out, low + 100 * high + 10000 * top)


#
# Control flow of the front end
#


@triton.jit
def static_flow(x_ptr, out_ptr, BLOCK: tl.constexpr, MODE: tl.constexpr, COUNT: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    if MODE == "add":
        for i in tl.static_range(COUNT):
            x += i
    elif MODE == "back":
        for i in tl.static_range(COUNT, 0, -1):
            x = x * 2 + i
    else:
        x = tl.where(x > COUNT, x, -x)
    y = x if MODE != "add" else x + 0.5
    tl.store(out_ptr + at, y)


@pytest.mark.parametrize("mode", ["add", "back", "select"])
def test_static_control_flow(memory: Memory, mode: str):
    x, out = memory.holding(torch.arange(8.0)), zeros(memory, 8)
    static_flow[(1,)](x, out, BLOCK=8, MODE=mode, COUNT=3)
    back = ((x * 2 + 3) * 2 + 2) * 2 + 1
    wants = {"add": x + 3.5, "back": back, "select": torch.where(x > 3, x, -x)}
    assert torch.equal(out, wants[mode])


@triton.jit
def boolean_logic(out_ptr, a, b, x_ptr):
    x = tl.load(x_ptr)
    both = (a > 0) and (b > 0)
    either = (a > 0) or (b > 0)
    tl.store(out_ptr, both)
    tl.store(out_ptr + 1, either)
    tl.store(out_ptr + 2, not both)
    tl.store(out_ptr + 3, 1 if a < b else 2)
    if (x > 1 and a < 5) or b == 7:
        tl.store(out_ptr + 4, 1)
    chained = a < b and b < 10
    tl.store(out_ptr + 5, chained)
    tl.store(out_ptr + 6, (~(a > 0)) | (b > 0) ^ (a == b))


@pytest.mark.parametrize(("a", "b"), [(2, 3), (-1, 7), (3, -4), (0, 0), (9, 3)])
def test_logic_on_scalars(memory: Memory, a: int, b: int):
    out = zeros(memory, 7, torch.int32)
    boolean_logic[(1,)](out, a, b, memory.holding(torch.tensor([2.0])))
    both, either = a > 0 and b > 0, a > 0 or b > 0
    stored = a < 5 or b == 7
    rest = (not a > 0) | (b > 0) ^ (a == b)
    want = [both, either, not both, 1 if a < b else 2, stored, a < b and b < 10, rest]
    assert out.tolist() == [int(w) for w in want]


@triton.jit
def loop_hints(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    for i in tl.range(0, n, num_stages=3):
        total += tl.load(x_ptr + i * BLOCK + at)
    for i in tl.range(0, n, 2, loop_unroll_factor=4):
        total += tl.load(x_ptr + i * BLOCK + at)
    for i in tl.range(n, disallow_acc_multi_buffer=True, flatten=True):
        for j in tl.range(2, warp_specialize=False):
            total += j * tl.load(x_ptr + i * BLOCK + at)
    tl.store(out_ptr + at, total)


@pytest.mark.parametrize("n", [0, 1, 5])
def test_loop_hints_change_nothing(memory: Memory, n: int):
    x = torch.randint(0, 9, (max(n, 1), 8)).float()
    out = zeros(memory, 8)
    loop_hints[(1,)](memory.holding(x), out, n, BLOCK=8)
    assert torch.equal(out, 2 * x[:n].sum(0) + x[:n:2].sum(0))


#
# Hints and modifiers
#


@triton.jit
def modified_copy(
    x_ptr, out_ptr, n, BLOCK: tl.constexpr,
    LOAD: tl.constexpr, STORE: tl.constexpr, EVICT: tl.constexpr, VOLATILE: tl.constexpr,
):  # fmt: skip
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(
        x_ptr + at, mask=at < n, other=0,
        cache_modifier=LOAD, eviction_policy=EVICT, volatile=VOLATILE,
    )  # fmt: skip
    tl.store(out_ptr + at, x + 1, mask=at < n, cache_modifier=STORE, eviction_policy=EVICT)
    one = tl.load(x_ptr, cache_modifier=LOAD, eviction_policy=EVICT, volatile=VOLATILE)
    tl.store(out_ptr + n, one, cache_modifier=STORE, eviction_policy=EVICT)


@pytest.mark.parametrize("volatile", [False, True])
@pytest.mark.parametrize("evict", ["", "evict_first", "evict_last"])
@pytest.mark.parametrize(
    ("load", "store"), [("", ""), (".ca", ".wb"), (".cg", ".cg"), (".cv", ".cs"), ("", ".wt")]
)
def test_modifiers_change_nothing(
    memory: Memory, load: str, store: str, evict: str, volatile: bool
):
    n = 20
    x, out = memory.holding(torch.arange(float(n))), zeros(memory, n + 1)
    modified_copy[(2,)](x, out, n, BLOCK=16, LOAD=load, STORE=store, EVICT=evict, VOLATILE=volatile)
    assert torch.equal(out[:n], x + 1)
    assert out[n] == x[0]


@triton.jit
def hinted_copy(x_ptr, out_ptr, n, stride, BLOCK: tl.constexpr):
    tl.assume(n > 0)
    tl.assume(stride % 4 == 0)
    at = tl.max_contiguous(
        tl.multiple_of(tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), BLOCK), BLOCK
    )
    at = tl.max_constancy(at, 1)
    x = tl.load(tl.multiple_of(x_ptr, 16) + at * stride, mask=at < n)
    tl.debug_barrier()
    tl.store(out_ptr + at, x, mask=at < n)


def test_hints_change_nothing(memory: Memory):
    x, out = memory.holding(torch.arange(80.0)), zeros(memory, 20)
    hinted_copy[(2,)](x, out, 20, 4, BLOCK=16)
    assert torch.equal(out, x[::4])


@triton.jit
def other_of_another_type(x_ptr, out_ptr, n, OTHER: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n, other=OTHER))
    tl.store(out_ptr + BLOCK, tl.load(x_ptr + n, mask=n < 0, other=OTHER))


@pytest.mark.parametrize("other", [0, 1, 2.0, -1, True])
@pytest.mark.parametrize(
    "dtype", [torch.bool, torch.int8, torch.int32, torch.float16, torch.float64], ids=str
)
def test_other_takes_the_type_of_the_load(memory: Memory, dtype: torch.dtype, other: float):
    x = memory.holding(torch.tensor([1, 0, 1, 1]).to(dtype))
    out = zeros(memory, 9, dtype)
    other_of_another_type[(1,)](x, out, 3, OTHER=other, BLOCK=8)
    want = torch.tensor([1, 0, 1] + [other] * 6, dtype=torch.float64).to(dtype)
    assert torch.equal(out, want)


@triton.jit
def convert_on_store(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at))
    tl.store(out_ptr + BLOCK + at, 3)
    tl.store(out_ptr + 2 * BLOCK, tl.load(x_ptr + 1))


@pytest.mark.parametrize("source", [torch.int8, torch.int64, torch.float32, torch.bool], ids=str)
@pytest.mark.parametrize(
    "target", [torch.bool, torch.int8, torch.int16, torch.float16, torch.float64], ids=str
)
def test_stores_convert(memory: Memory, source: torch.dtype, target: torch.dtype):
    x = memory.holding(torch.tensor([0, 1, 2, 100]).to(source))
    out = zeros(memory, 9, target)
    convert_on_store[(1,)](x, out, BLOCK=4)
    want = torch.cat((x.to(target), torch.full((4,), 3).to(target), x[1:2].to(target)))
    assert torch.equal(out, want)


@triton.jit
def poison(out_ptr, flag, BLOCK: tl.constexpr):
    if flag:
        x = tl.full([BLOCK], 1, tl.int32)
        tl.store(out_ptr + tl.arange(0, BLOCK), x)
        return
    tl.store(out_ptr + tl.arange(0, BLOCK), 2)


@pytest.mark.parametrize("flag", [0, 3])
def test_a_return_between_stores(memory: Memory, flag: int):
    out = zeros(memory, 4, torch.int32)
    poison[(1,)](out, flag, BLOCK=4)
    assert out.tolist() == [1 if flag else 2] * 4


@triton.jit
def compare_two(a, b):
    if a < b:
        return -1
    elif a == b:
        return 0
    return 1


@triton.jit
def count_bits(a):
    count = 0
    for _ in range(8):
        count += a & 1
        a = a >> 1
    return count


@triton.jit
def halve(a):
    return a // 2, a % 2


@triton.jit
def map_each(x_ptr, y_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x, y = tl.load(x_ptr + at), tl.load(y_ptr + at)
    tl.store(out_ptr + at, tl.map_elementwise(compare_two, x, y))
    tl.store(out_ptr + BLOCK + at, tl.map_elementwise(count_bits, x))
    q, r = tl.map_elementwise(halve, x)
    tl.store(out_ptr + 2 * BLOCK + at, q * 10 + r)


def test_map_elementwise_with_control_flow(memory: Memory):
    x = torch.randint(0, 256, (16,), dtype=torch.int32)
    y = torch.where(torch.arange(16) % 3 == 0, x, x.flip(0))
    out = memory.empty(3, 16, dtype=torch.int32)
    map_each[(1,)](memory.holding(x), memory.holding(y), out, BLOCK=16)
    assert torch.equal(out[0], torch.sign(x - y).int())
    assert out[1].tolist() == [v.bit_count() for v in x.tolist()]
    assert torch.equal(out[2], x // 2 * 10 + x % 2)
