"""`dot="gpu-exact:sm_90a"`: a CPU's matrix products, bit by bit as a GPU's tensor cores.

Against a model of fractions (tensor_core_model) and examples that papers and the PTX manual give.
What a GPU itself says is in python/gpu_check/bit_exact.py.
"""

from __future__ import annotations

import ctypes
import json
import math
from fractions import Fraction
from pathlib import Path

import pytest
import tensor_core_model
import torch
import triton
import triton.language as tl
from gpu_check import bit_exact, dot_inputs, dot_probes
from gpu_check.dot_forms import FORMS, STEP, Form, multiply
from triton.backends.compiler import GPUTarget
from triton_shared import emulate
from triton_shared.emulate import cores

HOPPER, AMPERE = "sm_90a", "sm_80"
_POINTERS = {
    torch.float32: "*fp32",
    torch.float16: "*fp16",
    torch.float8_e4m3fn: "*fp8e4nv",
    torch.float8_e5m2: "*fp8e5",
}
FLOATS = [form for form in FORMS if form.is_float]
BY_NAME = {form.name: form for form in FORMS}


def run(form: Form, gpu: str, *given: torch.Tensor) -> torch.Tensor:
    return form.run("cpu", gpu, *given)


def one(form: str, gpu: str, products: list[tuple[float, float]], start: float = 0.0) -> float:
    """start + the sum of products, one after the other along K."""
    placed = [(k, x, y) for k, (x, y) in enumerate(products)]
    experiments = [(placed, start)]
    kind = BY_NAME[form]
    return dot_probes.run_all(kind, experiments, lambda *t: run(kind, gpu, *t)).item()


def core_of(form: Form, gpu: str) -> tensor_core_model.Core | None:
    said = form.table(gpu)
    if said["instruction"] == "fma":
        return None
    numbers = {name: int(said[name]) for name in ("block", "fraction", "result", "part")}
    return tensor_core_model.Core(said["left"], said["right"], said["sum"], **numbers)


def by_model(
    form: Form, core: tensor_core_model.Core, left: list[float], right: list[float], start: float
) -> float:
    """What the model says of one result."""
    # Sums that are to be f16 and are f32 in the instruction become so after each turn of the loop.
    step = STEP if form.sum == torch.float16 and core.sum == "f32" else len(left)
    for k in range(0, len(left), step):
        end = k + step
        start = tensor_core_model.multiply(core, left[k:end], right[k:end], start)
        start = torch.tensor(start).to(form.sum).item()
    return start


@pytest.mark.every(2)
@pytest.mark.parametrize("gpu", [HOPPER, AMPERE])
@pytest.mark.parametrize("form", FLOATS, ids=lambda form: form.name)
def test_a_product_is_what_the_model_says(form: Form, gpu: str):
    core = core_of(form, gpu)
    if not core:
        pytest.skip("has no tensor cores")
    for family in dot_inputs.FAMILIES.keys() - {"special"}:
        rng = torch.Generator().manual_seed(len(form.name) + len(family))
        a, b, c = dot_inputs.make(form, family, 1, 2 * STEP, rng)
        out = run(form, gpu, a, b, c)
        for i in range(6):
            row, column = (7 * i) % form.rows, (11 * i) % form.columns
            left, right = a[0, row].float().tolist(), b[0, column].float().tolist()
            if not all(map(math.isfinite, [*left, *right, float(out[0, row, column])])):
                continue
            want = by_model(form, core, left, right, c[0, row, column].item())
            assert out[0, row, column].item() == want, (family, row, column)


def test_a_number_is_lost_where_the_papers_lose_it():
    # Fasi et al., 4.1: 2^-24 beside 1 is no more than a bit of the alignment.
    ones = [(1.0, 1.0), (-1.0, 1.0)]
    last = 2.0**-12
    assert one("wgmma f16", HOPPER, [*ones, (last / 2, last)]) == 2.0**-25
    assert one("wgmma f16", HOPPER, [*ones, (last / 2, last / 2)]) == 0
    assert one("mma f16", AMPERE, [*ones, (last, last)]) == 2.0**-24
    assert one("mma f16", AMPERE, [*ones, (last / 2, last)]) == 0


def test_sums_of_8_bit_floats_have_13_bits_on_hopper():
    # DeepSeek-V3, 3.3.2: sums of FP8 on H800 keep about 14 bits.
    assert one("wgmma e4m3", HOPPER, [(64.0, 128.0), (1.0, 1.0)]) == 8193
    assert one("wgmma e4m3", HOPPER, [(128.0, 128.0), (1.0, 1.0)]) == 16384
    assert one("mma e4m3 as f16", HOPPER, [(128.0, 128.0), (1.0, 1.0)]) == 16385


def test_results_are_cut_off_towards_zero():
    small = 2.0**-12
    third = [(1.0, 1.0), (small, small * 1.5)]
    assert one("wgmma f16", HOPPER, third) == 1.0
    assert one("wgmma f16", HOPPER, [(-x, y) for x, y in third]) == -1.0


def test_products_of_a_block_are_added_at_once():
    # The small number survives where the large ones cancel before it is added.
    products = [(1.0, 1.0), (-1.0, 1.0)] + [(0.0, 0.0)] * 6 + [(2.0**-14, 2.0**-14)]
    assert one("mma f16", AMPERE, products) == 2.0**-28
    assert one("mma f16", HOPPER, products) == 0


def test_special_numbers_are_what_a_gpu_makes_of_them():
    found = dot_probes.measure(
        BY_NAME["wgmma f16"], lambda *t: run(BY_NAME["wgmma f16"], HOPPER, *t)
    )
    assert found["inf * 0"] == found["inf - inf"] == found["nan"] == "7fffffff"
    assert found["inf"] == "7f800000"
    assert found["three smallest sums"] == "00000003"
    assert found["-0 + -0"] == found["x - x"] == "00000000"


EXAMPLES = json.loads(Path(__file__).with_name("tensor_core_examples.json").read_text())
"""What an H200 gave for sums around the smallest normal number, in bytes."""


def numbers_of(text: str, dtype: torch.dtype) -> torch.Tensor:
    return torch.frombuffer(bytearray.fromhex(text), dtype=torch.uint8).view(dtype)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["form"])
def test_sums_of_tiny_products_are_those_of_a_gpu(example: dict[str, str]):
    form = BY_NAME[example["form"]]
    left = numbers_of(example["left"], form.left)
    right = numbers_of(example["right"], form.right)
    a = torch.zeros(1, form.rows, len(left), dtype=form.left)
    b = torch.zeros(1, form.columns, len(right), dtype=form.right)
    c = torch.zeros(1, form.rows, form.columns, dtype=form.sum)
    a[0, 0], b[0, 0], c[0, 0, 0] = left, right, numbers_of(example["sum"], form.sum)[0]
    out = run(form, HOPPER, a, b, c)[0, 0, :1].contiguous()
    assert out.view(torch.uint8).numpy().tobytes().hex() == example["gpu"]


@pytest.mark.parametrize("name", ["wgmma f16", "wgmma tf32", "wgmma e5m2", "mma bf16"])
@pytest.mark.parametrize("gpu", [HOPPER, AMPERE])
def test_probes_measure_what_the_table_says(name: str, gpu: str):
    form = BY_NAME[name]
    core = core_of(form, gpu)
    assert core
    found = dot_probes.measure(form, lambda *t: run(form, gpu, *t))
    assert found["block"] == core.block
    assert found["fraction"] == found["of the sum"] == found["beside the sum"] == core.fraction
    assert found["result"] == min(core.result, core.fraction)
    assert found["cuts"] == "to zero"
    if form.left in (torch.bfloat16, torch.float32):
        assert found["least bit"] == -133 - core.fraction


@pytest.mark.parametrize("name", ["wgmma f16", "wgmma e4m3, 32 at a time"])
def test_both_modes_give_the_same_bits(name: str, monkeypatch: pytest.MonkeyPatch):
    form = BY_NAME[name]
    given = dot_inputs.make(form, "usual", 2, 128, torch.Generator().manual_seed(1))
    fast = run(form, HOPPER, *given)
    monkeypatch.setenv("TRITON_SHARED_MODE", "reference")
    assert torch.equal(run(form, HOPPER, *given), fast)


@triton.jit
def multiply_batch(a, b, out, SIZE: tl.constexpr, PRECISION: tl.constexpr):
    batch, rows, columns = tl.arange(0, 2), tl.arange(0, SIZE), tl.arange(0, SIZE)
    at = batch[:, None, None] * SIZE * SIZE + rows[:, None] * SIZE + columns
    tl.store(out + at, tl.dot(tl.load(a + at), tl.load(b + at), input_precision=PRECISION))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_without_tensor_cores_each_product_is_added_with_one_rounding(dtype: torch.dtype):
    rng = torch.Generator().manual_seed(3)
    a, b = (torch.randn(2, 16, 16, generator=rng, dtype=dtype) for _ in range(2))
    out = torch.zeros_like(a)
    multiply_batch[(1,)](a, b, out, SIZE=16, PRECISION="ieee", dot="gpu-exact:sm_90a")
    for row, column in ((0, 0), (3, 7), (15, 1)):
        total = 0.0
        for k in range(16):
            exact = Fraction(a[1, row, k].item()) * Fraction(b[1, k, column].item())
            total = torch.tensor(float(exact + Fraction(total)), dtype=dtype).item()
        assert out[1, row, column].item() == total


def test_what_a_kernel_leaves_open_is_as_on_the_gpu():
    said = Form("open", torch.float8_e4m3fn, torch.float8_e4m3fn).table(HOPPER)
    assert said["part"] == "0"
    assert BY_NAME["wgmma e4m3, 32 at a time"].table(HOPPER)["part"] == "32"


def test_a_gpu_that_nobody_knows_is_an_error():
    form = BY_NAME["mma f16"]
    with pytest.raises(ValueError, match="dot must be plain or gpu-exact:sm_80 or"):
        form.table("sm_12")


def test_the_comparison_counts_what_differs(monkeypatch: pytest.MonkeyPatch):
    def other_side(self: Form, side: str, gpu: str, *given: torch.Tensor) -> torch.Tensor:
        return original(self, "cpu", AMPERE if side == "ours" else gpu, *given)

    original = Form.run
    monkeypatch.setattr(Form, "run", other_side)
    monkeypatch.setattr(bit_exact, "DEPTHS", (64,))
    row = bit_exact.compare(BY_NAME["mma f16"], HOPPER, "cpu", ("ours", "triton"), results=2048)
    assert row["differing"]["triton"] == 0 < row["differing"]["ours"]
    text = bit_exact.table([row])
    assert "MEASURED OTHERWISE block: cpu 16, ours 8, triton 16" in text


@pytest.mark.parametrize(
    "name", ["wgmma f16", "wgmma e4m3 x e5m2", "wgmma f16 to f16", "mma tf32", "mma e4m3 as f16"]
)
def test_the_emulated_gpu_adds_up_as_the_cpu_does(name: str, tmp_path: Path):
    form = BY_NAME[name]
    kinds = [_POINTERS[dtype] for dtype in (form.left, form.right, form.sum, form.sum)]
    signature = dict(zip(("a", "b", "c", "out"), kinds, strict=True)) | {"depth": "i32"}
    constants = form.keywords()
    signature |= dict.fromkeys(constants, "constexpr")
    source = triton.compiler.ASTSource(multiply, signature, constexprs=constants)
    compiled = triton.compile(source, target=GPUTarget("shared_cuda", 90, 32), options={})
    kernel = emulate.compile_kernel(compiled.asm["ttir"], 4, tmp_path)
    a, b, c = dot_inputs.make(form, "far apart", 1, STEP, torch.Generator().manual_seed(5))
    want = run(form, HOPPER, a, b, c)
    plain, exact = torch.zeros_like(c), torch.zeros_like(c)
    for out, gpu in ((plain, ""), (exact, HOPPER)):
        emulate.launch(kernel, (a, b, c, out, STEP), (1,), exact=gpu)
    assert torch.equal(exact, want)
    assert not torch.equal(plain, want)


def test_tensor_cores_that_nobody_knows_are_not_emulated():
    with pytest.raises(ValueError, match="not known how the tensor cores of 'sm_75' add up"):
        cores.use(ctypes.CDLL(None), "sm_75")
