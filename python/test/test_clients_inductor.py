"""torch.compile on CPU tensors with Triton as its code generator; eager PyTorch is the oracle."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import recording
import torch
import torch._inductor.config as inductor
import torch.nn.functional as F
import triton
from torch import nn
from torch._inductor.utils import fresh_cache, run_and_get_code

Function = Callable[..., Any]
SLOW = pytest.mark.nightly


@pytest.fixture(autouse=True, scope="module")
def _triton_for_cpu_tensors() -> Iterator[None]:
    with fresh_cache(), inductor.patch(cpu_backend="triton", compile_threads=1):
        yield


@pytest.fixture(autouse=True)
def _reproducible() -> None:
    torch._dynamo.reset()
    torch.manual_seed(0)


def normal(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(shape).to(dtype)


def tensors(result: Any) -> list[torch.Tensor]:
    return [result] if isinstance(result, torch.Tensor) else list(result)


def with_gradients(function: Function, inputs: list[torch.Tensor], outer: torch.Tensor) -> Any:
    leaves = [x.clone().requires_grad_(x.is_floating_point()) for x in inputs]
    result = function(*leaves)
    result.backward(outer)
    return [result.detach(), *(x.grad for x in leaves if x.requires_grad)]


def compiled(function: Function, *arguments: Any) -> Any:
    """Runs `function`, which compiles something, and insists on a kernel in Triton."""
    result, codes = run_and_get_code(function, *arguments)
    assert any("@triton.jit" in code for code in codes)
    return result


def check(function: Function, *inputs: torch.Tensor, **tolerance: float) -> None:
    """Compiled and eager agree."""
    expected = function(*inputs)
    found = compiled(torch.compile(function), *inputs)
    torch.testing.assert_close(tensors(found), tensors(expected), **tolerance)
    recording.measured((tensors(found), tensors(expected)), None, inputs[0].dtype)


def check_training(function: Function, *inputs: torch.Tensor, **tolerance: float) -> None:
    """So do the gradients of all inputs, and of all parameters if `function` is a module."""
    parameters = list(function.parameters()) if isinstance(function, nn.Module) else []
    outer = torch.randn_like(function(*inputs))
    results = []
    for run in (function, torch.compile(function)):
        for parameter in parameters:
            parameter.grad = None
        arguments = (run, list(inputs), outer)
        step = with_gradients if run is function else lambda *a: compiled(with_gradients, *a)
        results.append([*step(*arguments), *(p.grad for p in parameters)])
    torch.testing.assert_close(results[1], results[0], **tolerance)
    recording.measured(
        (results[1][:1], results[0][:1]), (results[1][1:], results[0][1:]), results[0][0].dtype
    )


def mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(7, 16), nn.GELU(), nn.Linear(16, 5))


class Block(nn.Module):
    """One layer of a causal transformer, attention written out."""

    def __init__(self, width: int = 16, heads: int = 2) -> None:
        super().__init__()
        self.heads = heads
        self.before, self.after = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(approximate="tanh"), nn.Linear(4 * width, width)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        qkv = self.qkv(self.before(x)).view(batch, length, 3, self.heads, -1)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-1, -2) / math.sqrt(width // self.heads)
        future = torch.ones(length, length, dtype=torch.bool).triu(1)
        weights = scores.masked_fill(future, -math.inf).softmax(-1)
        x = x + self.out((weights @ v).transpose(1, 2).reshape(batch, length, width))
        return x + self.mlp(self.after(x))


class Head(nn.Module):
    """What follows the convolutions: batch norm, pooling, a classifier."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.linear = nn.BatchNorm2d(3), nn.Linear(12, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.max_pool2d(F.relu(self.norm(x)), 2)
        return self.linear(F.adaptive_avg_pool2d(x, 2).flatten(1)).log_softmax(-1)


def test_mlp():
    check_training(mlp(), normal(3, 7))


@SLOW
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64])
def test_mlp_dtypes(dtype: torch.dtype):
    check_training(mlp().to(dtype), normal(3, 7, dtype=dtype))


@SLOW
def test_mlp_takes_three_steps():
    model, x, y = mlp(), normal(6, 7), torch.randint(0, 5, (6,))
    initial = {name: value.clone() for name, value in model.state_dict().items()}
    losses = []
    for run in (model, torch.compile(model)):
        model.load_state_dict(initial)
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            loss = F.cross_entropy(run(x), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
    torch.testing.assert_close(losses[3:], losses[:3], rtol=1e-4, atol=1e-5)


@SLOW
def test_transformer_block():
    check_training(Block(), normal(2, 5, 16), rtol=1e-4, atol=1e-5)


@SLOW
def test_cnn_head():
    check_training(Head(), normal(2, 3, 8, 8), rtol=1e-4, atol=1e-5)


TRAINING: list[Any] = [
    pytest.param(lambda x: x.softmax(-1), [(5, 33)], id="softmax"),
    pytest.param(lambda x, w, b: F.layer_norm(x, (33,), w, b), [(5, 33), (33,), (33,)], id="ln"),
    pytest.param(lambda x: x.sum(0), [(50, 33)], id="sum", marks=SLOW),
    pytest.param(lambda x: x.log_softmax(0), [(50, 3)], id="log_softmax", marks=SLOW),
    pytest.param(lambda x: x.softmax(-1), [(2, 3000)], id="softmax-looped", marks=SLOW),
    pytest.param(lambda x: F.group_norm(x, 2), [(2, 4, 5, 5)], id="group_norm", marks=SLOW),
    pytest.param(lambda x: F.avg_pool2d(x, 2), [(1, 2, 6, 6)], id="avg_pool", marks=SLOW),
    pytest.param(
        lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"),
        [(1, 2, 5, 5)],
        id="interpolate",
        marks=SLOW,
    ),
    pytest.param(
        lambda x, y: F.pad(torch.cat([x, y * 2], 1), (1, 2)), [(4, 6), (4, 5)], id="cat", marks=SLOW
    ),
    pytest.param(lambda x: (x.t() + 1).contiguous(), [(4, 20)], id="transpose", marks=SLOW),
    pytest.param(lambda x, y: (x * y).sin() / (1 + y * y), [(5, 1), (7,)], id="broadcast"),
    pytest.param(lambda x: torch.where(x > 0, x.clamp(max=1), x / 9), [(4, 20)], id="where"),
    pytest.param(lambda x: x.cumsum(1), [(3, 21)], id="cumsum", marks=SLOW),
]


@pytest.mark.parametrize(("function", "shapes"), TRAINING)
def test_training(function: Function, shapes: list[tuple[int, ...]]):
    check_training(function, *(normal(*shape) for shape in shapes))


@SLOW
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize(
    "function",
    [lambda x: x.softmax(-1), lambda x: F.layer_norm(x, (33,)), lambda x: F.gelu(x)],
    ids=["softmax", "ln", "gelu"],
)
def test_training_in_small_floats(function: Function, dtype: torch.dtype):
    check_training(function, normal(5, 33, dtype=dtype), rtol=2e-2, atol=2e-2)


def test_embedding_bag():
    rows = torch.randint(0, 9, (3, 4))
    check_training(lambda i, w: F.embedding_bag(i, w, mode="sum"), rows, normal(9, 5))


@SLOW
def test_embedding():
    rows = torch.randint(0, 9, (3, 4))
    check_training(lambda i, w: F.embedding(i, w).relu(), rows, normal(9, 5))


@SLOW
def test_cross_entropy():
    target = torch.randint(0, 20, (4,))
    check_training(lambda x: F.cross_entropy(x, target, label_smoothing=0.1), normal(4, 20))


def test_index_add():
    rows = torch.randint(0, 9, (14,))
    check_training(lambda x, y: (x + 1).index_add(0, rows, y), normal(9, 5), normal(14, 5))


@SLOW
def test_gather_and_scatter():
    columns = torch.randint(0, 20, (4, 6))
    check_training(lambda x: x.gather(1, columns) * 2, normal(4, 20))
    check_training(
        lambda x, y: x.scatter_add(1, columns, y.exp()), normal(4, 20), normal(4, 6), rtol=1e-5,
        atol=1e-5,
    )  # fmt: skip


@pytest.mark.parametrize("dtype", [torch.float32, pytest.param(torch.int64, marks=SLOW)])
def test_scans_and_places(dtype: torch.dtype):
    x = (normal(4, 37) * 4).to(dtype)
    check(lambda x: (x.cumsum(1), x.argmax(1), x.argmin(), x.cummax(1).indices), x)


@SLOW
def test_more_scans():
    check(lambda x: (x.cumprod(1), x.logcumsumexp(1), x.cummin(0)[0]), normal(4, 20))


@pytest.mark.parametrize(
    ("shape", "dim", "descending"),
    [((4, 20), 1, False), pytest.param((11, 3), 0, True, marks=SLOW)],
)
def test_sort(shape: tuple[int, ...], dim: int, descending: bool):
    x = torch.randint(0, 9, shape)
    check(lambda x: torch.sort(x, dim=dim, descending=descending, stable=True), x)


INTEGERS = [torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64]
FLOATS = [torch.bfloat16, torch.float16, torch.float32, torch.float64]


@pytest.mark.parametrize(
    "dtype",
    [
        pytest.param(dtype, marks=() if dtype in (torch.int8, torch.bfloat16) else SLOW)
        for dtype in INTEGERS + FLOATS
    ],
)
def test_reductions(dtype: torch.dtype):
    x = torch.randint(0, 5, (4, 37)).to(dtype)
    check(lambda x: (x.sum(1), x.prod(0), x.amax(1), x.amin(0), x.argmax(1)), x)


@SLOW
def test_reductions_of_booleans():
    x = torch.rand(4, 37) < 0.1
    check(lambda x: (x.sum(1), x.any(0), x.all(1), x.count_nonzero()), x)


@SLOW
def test_moments():
    check(lambda x: (*torch.var_mean(x, 1), x.std(0), x.norm(dim=1)), normal(4, 70))


@SLOW
def test_reduction_in_loops():
    check(lambda x: (x.sum(), x.amax(0), x.argmin(1)), normal(5, 3001), rtol=1e-4, atol=1e-4)


def test_dropout():
    def step(x: torch.Tensor) -> torch.Tensor:
        return F.dropout(x, 0.25)

    x = (1 + torch.rand(40, 50)).requires_grad_()
    result = compiled(torch.compile(step), x)
    result.sum().backward()
    kept = result != 0
    torch.testing.assert_close(result[kept], x[kept] / 0.75)
    assert torch.equal(x.grad, kept / 0.75)
    assert abs(kept.float().mean() - 0.75) < 0.05


@SLOW
def test_random_numbers():
    x = compiled(torch.compile(lambda: (torch.rand(4000), torch.randn(4000))))
    assert 0 <= x[0].min() < 0.01 < 0.99 < x[0].max() < 1
    assert abs(x[0].mean() - 0.5) < 0.03
    assert abs(x[1].mean()) < 0.06
    assert abs(x[1].std() - 1) < 0.06


@SLOW
def test_integer_arithmetic():
    def function(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
        bits = (x & y, x | y, x ^ y, ~x, x << y, x >> y)
        division = torch.div(x, y, rounding_mode="trunc")
        return (*bits, x // y, x % y, torch.fmod(x, y), division, x / y, x.abs(), x.sign())

    for dtype in (torch.int32, torch.int64):
        check(
            function,
            torch.randint(-90, 90, (70,)).to(dtype),
            torch.arange(1, 8).repeat(10).to(dtype),
        )


@SLOW
def test_more_integers():
    x = torch.randint(-(2**62), 2**62, (50,))
    check(lambda x: (x * 3_000_000_000 // 7, x % 5_000_000_000, x.bitwise_not()), x)
    low, high = torch.rand(50) < 0.5, torch.rand(50) < 0.5
    check(lambda x, y: (x & y, x | y, x ^ y, ~x, x.logical_and(y)), low, high)


@SLOW
@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2])
def test_casts_through_fp8(dtype: torch.dtype):
    check(lambda x: (x.to(dtype).float() * 2, x.to(dtype).to(torch.bfloat16)), normal(40))


@SLOW
def test_searches():
    edges = torch.linspace(-1, 1, 7)
    check(lambda x: (torch.bucketize(x, edges), (x > 0).nonzero()), normal(40))
    check(lambda x: torch.searchsorted(edges.repeat(4, 1), x, right=True), normal(4, 40))


@SLOW
def test_updates_by_index():
    rows = torch.randint(0, 9, (14,))
    check(lambda x, y: x.index_put((rows,), y, accumulate=True), normal(9, 5), normal(14, 5))
    check(lambda x, y: x.scatter_reduce(0, rows, y, "amax"), normal(9), normal(14))


@SLOW
def test_views():
    check(lambda x: (x.roll(3, 1).flip(0) * 2, x.unfold(1, 3, 2).sum(-1)), normal(4, 20))
    check(lambda x: (x.permute(0, 2, 1, 3) + 1).contiguous(), normal(2, 5, 3, 8))
    check(lambda x: F.max_pool2d(x, 2, return_indices=True), normal(1, 2, 6, 6))


def layers(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    normalized = F.layer_norm(x, x.shape[-1:])
    return (normalized.t() + x.t()).contiguous(), normalized.sum(0), x.amax(1), x.sum()


@SLOW
@pytest.mark.parametrize(
    "settings",
    [
        {"triton.use_block_ptr": True},
        {"triton.use_tensor_descriptor": True, "assume_aligned_inputs": True},
        {"triton.prefer_nd_tiling": True, "triton.tile_reductions": True},
        {"triton.persistent_reductions": False},
        {"triton.multi_kernel": 1},
        {"combo_kernels": True},
    ],
    ids=lambda settings: next(iter(settings)),
)
def test_other_forms_of_kernels(settings: dict[str, Any]):
    if "triton.use_block_ptr" in settings and triton.__version__.startswith("3.9"):
        pytest.skip("this version of Triton has no block pointers")
    with inductor.patch(settings):
        check(layers, normal(24, 36), rtol=1e-4, atol=1e-4)


@SLOW
def test_dynamic_shapes():
    run = torch.compile(lambda x, y: torch.cat([x, F.gelu(y)]).softmax(-1).cumsum(0), dynamic=True)
    for rows, columns in (20, 36), (7, 90), (33, 36):
        x, y = normal(rows, columns), normal(3, columns)
        expected = torch.cat([x, F.gelu(y)]).softmax(-1).cumsum(0)
        torch.testing.assert_close(run(x, y), expected, rtol=1e-5, atol=1e-5)


UNARY = [
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "digamma",
    "erf", "erfc", "erfinv", "exp", "exp2", "expm1", "floor", "frac", "isinf", "isnan",
    "lgamma", "log", "log10", "log1p", "log2", "neg", "reciprocal", "relu", "round", "rsqrt",
    "sigmoid", "sign", "signbit", "sin", "sinh", "sqrt", "square", "tan", "tanh", "trunc", "i0",
    "special.i0e", "special.i1", "special.ndtri", "special.log_ndtr", "special.erfcx",
    "special.bessel_j0", "special.bessel_j1", "special.bessel_y0", "special.bessel_y1",
    "special.modified_bessel_i0", "special.modified_bessel_i1",
]  # fmt: skip


@SLOW
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", UNARY)
def test_unary_function(name: str, dtype: torch.dtype):
    function = operator.attrgetter(name)(torch)
    # Of infinity, eager PyTorch's own Bessel functions are NaN; they should be 0.
    largest = 30 if "bessel" in name or name in ("i0", "special.i1") else math.inf
    x = torch.cat((torch.linspace(-3, 3, 61), torch.tensor([largest, -largest, math.nan])))
    check(lambda x: function(x * 1), x.to(dtype), rtol=1e-5, atol=1e-5, equal_nan=True)


BINARY = [
    "atan2", "copysign", "fmod", "fmax", "fmin", "hypot", "logaddexp", "maximum", "minimum",
    "nextafter", "pow", "remainder",
]  # fmt: skip


@SLOW
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", BINARY)
def test_binary_function(name: str, dtype: torch.dtype):
    function = getattr(torch, name)
    x = torch.tensor([-2.5, -1, -0.0, 0.0, 0.3, 1, 3, math.inf, -math.inf, math.nan], dtype=dtype)
    check(lambda x: function(x[:, None], x[None]), x, equal_nan=True)
