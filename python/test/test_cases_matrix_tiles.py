"""Products of bf16 and bytes in registers that hold matrices (AMX), where the machine has them.

Elements are small whole numbers, so that sums are exact in any order.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import cpu_facts
import pytest
import torch
import triton
import triton.language as tl
from triton_shared import aot

pytestmark = pytest.mark.skipif(
    not cpu_facts.has("amx_bf16", "amx_int8", "amx_tile", "avx512_bf16", "avx512_vnni"),
    reason="this machine has no AMX",
)
CPUS = ["host", "host,-amx-tile"]
INSTRUCTION = "tdpbf16ps"


@triton.jit
def product(
    a_ptr, b_ptr, c_ptr, K, row_a, column_a, row_b, column_b,
    M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr, START: tl.constexpr,
):  # fmt: skip
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BK)
    total = tl.full((M, N), START, dtype=tl.float32)
    for start in range(0, K, BK):
        a = tl.load(a_ptr + m[:, None] * row_a + (start + k)[None, :] * column_a)
        b = tl.load(b_ptr + (start + k)[:, None] * row_b + n[None, :] * column_b)
        total = tl.dot(a, b, total)
    tl.store(c_ptr + m[:, None] * N + n[None, :], total)


@triton.jit
def masked_product(
    a_ptr, b_ptr, c_ptr, K, N: tl.constexpr, M: tl.constexpr, BK: tl.constexpr
):  # fmt: skip
    """As the tutorial has it: pointers go on, and a mask cuts off what is behind K."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BK)
    a_ptrs = a_ptr + m[:, None] * K + k[None, :]
    b_ptrs = b_ptr + k[:, None] * N + n[None, :]
    total = tl.zeros((M, N), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BK)):
        a = tl.load(a_ptrs, mask=k[None, :] < K - step * BK, other=0.0)
        b = tl.load(b_ptrs, mask=k[:, None] < K - step * BK, other=0.0)
        total += tl.dot(a, b)
        a_ptrs += BK
        b_ptrs += BK * N
    tl.store(c_ptr + m[:, None] * N + n[None, :], total)


@triton.jit
def product_from_to(a_ptr, b_ptr, c_ptr, begin, end, step, M: tl.constexpr, BK: tl.constexpr):
    """Adds the same product for every step; what it counts is where the loop has been."""
    m, k = tl.arange(0, M), tl.arange(0, BK)
    a = tl.load(a_ptr + m[:, None] * BK + k[None, :])
    b = tl.load(b_ptr + k[:, None] * M + m[None, :])
    total = tl.zeros((M, M), dtype=tl.float32)
    places = tl.zeros((), dtype=tl.int64)
    for place in range(begin, end, step):
        total = tl.dot(a, b, total)
        places += place.to(tl.int64)
    tl.store(c_ptr + m[:, None] * M + m[None, :], total + places.to(tl.float32))


@triton.jit
def one_product(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + n[None, :])
    tl.store(c_ptr + m[:, None] * N + n[None, :], tl.dot(a, b))


@triton.jit
def products(a_ptr, b_ptr, c_ptr, B: tl.constexpr, N: tl.constexpr):
    batch, i, j = tl.arange(0, B), tl.arange(0, N), tl.arange(0, N)
    at = batch[:, None, None] * N * N + i[None, :, None] * N + j[None, None, :]
    tl.store(c_ptr + at, tl.dot(tl.load(a_ptr + at), tl.load(b_ptr + at)))


@triton.jit
def chained(q_ptr, k_ptr, v_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    """As attention does: what was multiplied is rounded, and is an operand again."""
    m, n, d = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    q = tl.load(q_ptr + m[:, None] * D + d[None, :])
    k = tl.load(k_ptr + n[:, None] * D + d[None, :])
    v = tl.load(v_ptr + n[:, None] * D + d[None, :])
    score = tl.dot(q, tl.trans(k))
    power = tl.where(score > 0, score, 0.0).to(tl.bfloat16)
    tl.store(out_ptr + m[:, None] * D + d[None, :], tl.dot(power, v))


def sample(*shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randint(-3, 4, shape, generator=generator).to(torch.bfloat16)


def assert_uses_tiles(compiled, cpu: str) -> None:
    assert (INSTRUCTION in compiled.asm["s"]) == (cpu == "host")


@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("start", [0.0, 2.0, -0.0])
@pytest.mark.parametrize(("flip_a", "flip_b"), [(False, False), (True, False), (False, True)])
def test_loops_of_products(flip_a: bool, flip_b: bool, start: float, cpu: str):
    a, b = sample(64, 96), sample(96, 64)
    stored_a = a.t().contiguous().t() if flip_a else a
    stored_b = b.t().contiguous().t() if flip_b else b
    c = torch.empty(64, 64)
    compiled = product[(1,)](
        stored_a, stored_b, c, 96, *stored_a.stride(), *stored_b.stride(), M=64, N=64, BK=32,
        START=start, mode="fast", cpu=cpu,
    )  # fmt: skip
    assert_uses_tiles(compiled, cpu)
    assert torch.equal(c.double(), a.double() @ b.double() + start)


@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("K", [0, 1, 31, 32, 33, 96, 128, 129, 300])
def test_sums_of_any_length(K: int, cpu: str):
    """Several turns become one; what is left has turns of its own, or none."""
    a, b = sample(32, K), sample(K, 32)
    c = torch.empty(32, 32)
    compiled = masked_product[(1,)](a, b, c, K, 32, 32, 32, mode="fast", cpu=cpu)
    assert_uses_tiles(compiled, cpu)
    assert torch.equal(c.double(), a.double() @ b.double())


@pytest.mark.parametrize(
    ("begin", "end", "step"),
    [
        (0, 10, 1), (3, 14, 2), (-7, 7, 3), (5, 5, 1), (9, -9, 1),
        (2**31 - 20, 2**31 - 8, 7), (-(2**31), 2**30 - 1, 2**30), (-(2**31), -(2**31) + 9, 1),
        (2**31 - 1, -(2**31), 1), (0, 2**31 - 1, 2**31 - 1),
        (-(2**40), -(2**40) + 5, 1), (2**40, 0, 3), (2**62, -(2**63), 1), (5, 5, 0), (9, 3, -2),
    ],
)  # fmt: skip
def test_loops_from_anywhere_to_anywhere(begin: int, end: int, step: int):
    a, b = sample(16, 16), sample(16, 16)
    c = torch.empty(16, 16)
    product_from_to[(1,)](a, b, c, begin, end, step, 16, 16, mode="fast", cpu="host")
    places = range(begin, end, step) if begin < end else ()
    want = len(places) * (a.double() @ b.double())
    assert torch.equal(c, want.float() + torch.tensor(sum(places)).float())


@pytest.mark.parametrize("K", [2, 16, 32, 128])
@pytest.mark.parametrize("N", [4, 16, 32, 128])
@pytest.mark.parametrize("M", [4, 8, 16, 32, 128])
def test_shapes(M: int, N: int, K: int):
    a, b = sample(M, K), sample(K, N)
    c = torch.empty(M, N)
    compiled = one_product[(1,)](a, b, c, M, N, K, mode="fast", cpu="host")
    assert_uses_tiles(compiled, "host")
    assert torch.equal(c.double(), a.double() @ b.double())


@pytest.mark.parametrize("cpu", CPUS)
def test_batches(cpu: str):
    a, b = sample(4, 32, 32), sample(4, 32, 32).flip(0)
    c = torch.empty(4, 32, 32)
    assert_uses_tiles(products[(1,)](a, b, c, 4, 32, mode="fast", cpu=cpu), cpu)
    assert torch.equal(c.double(), a.double() @ b.double())


@pytest.mark.parametrize("cpu", CPUS)
def test_products_of_products(cpu: str):
    q, k, v = sample(32, 16), sample(64, 16), sample(64, 16).flip(0)
    out = torch.empty(32, 16)
    compiled = chained[(1,)](q, k, v, out, M=32, N=64, D=16, mode="fast", cpu=cpu)
    assert_uses_tiles(compiled, cpu)
    assert torch.equal(out.double(), (q.double() @ k.double().t()).relu() @ v.double())


def bytes_of(*shape: int) -> torch.Tensor:
    """All values of a byte."""
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randint(-128, 128, shape, generator=generator).to(torch.int8)


@triton.jit
def products_of_bytes(
    a_ptr, b_ptr, c_ptr, K, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr, START: tl.constexpr
):  # fmt: skip
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BK)
    total = tl.full((M, N), START, dtype=tl.int32)
    for start in range(0, K, BK):
        a = tl.load(a_ptr + m[:, None] * K + (start + k)[None, :])
        b = tl.load(b_ptr + (start + k)[:, None] * N + n[None, :])
        total = tl.dot(a, b, total, out_dtype=tl.int32)
    tl.store(c_ptr + m[:, None] * N + n[None, :], total)


@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("start", [0, -7])
def test_bytes(start: int, cpu: str):
    a, b = bytes_of(32, 320), bytes_of(320, 32)
    c = torch.empty(32, 32, dtype=torch.int32)
    compiled = products_of_bytes[(1,)](a, b, c, 320, 32, 32, 64, START=start, mode="fast", cpu=cpu)
    assert ("tdpbssd" in compiled.asm["s"]) == (cpu == "host")
    assert torch.equal(c.long(), a.long() @ b.long() + start)


@pytest.mark.parametrize("K", [16, 32, 64, 128])
@pytest.mark.parametrize("N", [4, 16, 64])
@pytest.mark.parametrize("M", [4, 16, 64])
def test_shapes_of_bytes(M: int, N: int, K: int):
    a, b = bytes_of(M, K), bytes_of(K, N)
    c = torch.empty(M, N, dtype=torch.int32)
    products_of_bytes[(1,)](a, b, c, K, M, N, K, START=0, mode="fast", cpu="host")
    assert torch.equal(c.long(), a.long() @ b.long())


def test_infinities_and_nan_go_through():
    a, b = sample(16, 32), sample(32, 16)
    a[3, 4], a[5, 6], b[7, 8] = float("inf"), float("nan"), -float("inf")
    b[4] = b[4].abs() + 1
    c = torch.empty(16, 16)
    one_product[(1,)](a, b, c, 16, 16, 32, mode="fast", cpu="host")
    torch.testing.assert_close(c.double(), a.double() @ b.double(), equal_nan=True, rtol=0, atol=0)


WITH_A_SMALL_STACK_FOR_SIGNALS = """
import ctypes, sys, threading

libc = ctypes.CDLL(None, use_errno=True)

class Stack(ctypes.Structure):
    _fields_ = [("place", ctypes.c_void_p), ("flags", ctypes.c_int), ("size", ctypes.c_size_t)]

memory = ctypes.create_string_buffer(8192)
stack = Stack(ctypes.addressof(memory), 0, len(memory))
is_there, is_over = threading.Event(), threading.Event()

def wait():
    assert libc.sigaltstack(ctypes.byref(stack), None) == 0
    is_there.set()
    is_over.wait()

other = threading.Thread(target=wait, daemon=True)
if sys.argv[2] == "small":
    other.start()
    is_there.wait()
sys.path.insert(0, sys.argv[1])
from test_cases_matrix_tiles import one_product, sample, torch

a, b, c = sample(32, 64), sample(64, 32), torch.empty(32, 32)
one_product[(1,)](a, b, c, 32, 32, 64, mode="fast", cpu="host")
assert torch.equal(c.double(), a.double() @ b.double())
permitted = ctypes.c_uint64()
ARCH_GET_XCOMP_PERM, DATA_OF_TILES, SYS_arch_prctl = 0x1022, 18, 158
libc.syscall(SYS_arch_prctl, ARCH_GET_XCOMP_PERM, ctypes.byref(permitted))
print(permitted.value >> DATA_OF_TILES & 1)
is_over.set()
"""


@pytest.mark.parametrize(("stack", "permitted"), [("small", "0"), ("none", "1")])
def test_where_the_system_refuses_the_registers_vectors_do_it(stack: str, permitted: str):
    """Linux does, where a thread has a stack for signals that is too small for them."""
    command = (sys.executable, "-c", WITH_A_SMALL_STACK_FOR_SIGNALS, Path(__file__).parent, stack)
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, permitted), done.stderr


def test_a_launcher_made_ahead_of_time_asks_the_system(tmp_path: Path):
    signature = "*bf16, *bf16, *fp32, 32, 32, 64"
    options = {"mode": "fast", "cpu": "host"}
    kernel = aot.compile_kernel(
        Path(__file__), "one_product", signature, "1, 1, 1", options=options
    )
    library, header, source = aot.write(kernel, tmp_path / "product", ["so", "h", "c"])
    assert "tritonSharedMayUseMatrixTiles(void) {" in source.read_text()
    a, b, c = sample(32, 64), sample(64, 32), torch.empty(32, 32)
    aot.Program(library, header)(a, b, c)
    assert torch.equal(c.double(), a.double() @ b.double())
