"""Attention that is timed: forward in its variants, decoding, gradients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from triton.tools.tensor_descriptor import TensorDescriptor

from . import attention_gradients, attention_kernels, tensors
from .problem import Config, Problem, Tensors
from .tensors import NAMES, rand

LOG2_E = 1.4426950408889634
SOFTMAXES = ("exact", "deferred", "speculative")
_TOLERANCES = {
    torch.float16: 3e-3, torch.bfloat16: 2e-2, torch.float8_e4m3fn: 4e-2, torch.float8_e5m2: 8e-2,
}  # fmt: skip
_torch_attention = torch.nn.functional.scaled_dot_product_attention


@dataclass(frozen=True)
class Shape:
    """What there is to compute. Each head of keys serves `group` heads of queries."""

    heads: int
    length: int
    dims: int
    dtype: torch.dtype = torch.float16
    group: int = 1
    causal: bool = False
    window: int = 0
    """So many keys, the row's own among them, are seen; 0: all."""

    @property
    def scale(self) -> float:
        """Of scores."""
        return float(self.dims**-0.5)

    @property
    def pairs(self) -> int:
        """Queries times the keys each sees, of one head."""
        if self.window:
            return self.length * self.window - self.window * (self.window - 1) // 2
        return self.length * (self.length + 1) // 2 if self.causal else self.length**2

    def name(self, form: str = "") -> str:
        """As in the table."""
        words = ["attention", *([form] if form else []), NAMES[self.dtype]]
        words.append(f"{self.heads}x{self.length}x{self.dims}")
        if self.group > 1:
            words.append(f"groups of {self.group}")
        if self.window:
            words.append(f"window {self.window}")
        elif self.causal:
            words.append("causal")
        return " ".join(words)

    def inputs(self, g: torch.Generator) -> Tensors:
        """q, k, v and the result."""
        sizes = self.heads, self.length, self.dims
        few = self.heads // self.group, self.length, self.dims
        q, k, v = (rand(g, *shape, dtype=self.dtype) for shape in (sizes, few, few))
        return q, k, v, torch.empty_like(q)

    def seen(self) -> torch.Tensor | None:
        """Which keys a row sees, where it does not see all."""
        if not self.causal and not self.window:
            return None
        at = torch.arange(self.length, device=tensors.DEVICE)
        distance = at[:, None] - at[None, :]
        return (distance >= 0) & (distance < (self.window or self.length))

    def expected(self, t: Tensors) -> torch.Tensor:
        """In f64, a head at a time: all scores would take many gigabytes."""
        seen, parts = self.seen(), []
        for head in range(self.heads):
            k, v = (x[head // self.group].double() for x in t[1:3])
            scores = (t[0][head].double() @ k.mT) * self.scale
            if seen is not None:
                scores.masked_fill_(~seen, -float("inf"))
            parts.append(torch.softmax(scores, -1) @ v)
        return torch.stack(parts)


def _configs(*tiles: tuple[int, int, int, int]) -> tuple[Config, ...]:
    return tuple(dict(zip(("BM", "BN", "num_warps", "num_stages"), t, strict=True)) for t in tiles)


_FORWARD = _configs(
    (128, 64, 4, 3), (128, 64, 8, 3), (64, 64, 4, 3), (64, 128, 4, 2), (128, 128, 8, 2),
    (128, 32, 4, 4), (64, 32, 4, 4),
)  # fmt: skip
_SQUARE = _configs(
    (128, 64, 4, 3), (128, 64, 8, 3), (64, 64, 4, 3), (64, 64, 4, 2), (128, 128, 8, 2),
    (128, 32, 4, 4), (64, 32, 4, 4),
)  # fmt: skip


def _describe(t: Tensors, c: Config) -> list[TensorDescriptor]:
    """Of q, k, v and the result, whose heads lie one behind the other."""
    blocks = (c["BM"], c["BN"], c["BN"], c["BM"])
    dims = t[0].shape[-1]
    return [
        TensorDescriptor.from_tensor(x.view(-1, dims), [rows, dims])
        for x, rows in zip(t, blocks, strict=True)
    ]


def _launch(
    shape: Shape, kernel: Any, t: Tensors, c: Config, by_descriptors: bool = False, **known: Any
) -> Any:
    """A block of queries of one head per program."""
    grid = (shape.length // c["BM"], shape.heads)
    given = _describe(t, c) if by_descriptors else t
    return kernel[grid](*given, shape.length, shape.scale, D=shape.dims, **known, **c)


def plain(shape: Shape, by_descriptors: bool = False, softmax: str = "exact") -> Problem:
    """All keys, whole blocks; or, by descriptors, causal as well."""
    if by_descriptors and shape.causal:
        return _described_causal(shape, softmax, in_one_loop=False)

    def launch(t: Tensors, c: Config) -> Any:
        kernel: Any = attention_kernels.attention
        if by_descriptors:
            kernel = attention_kernels.described_attention
        return _launch(shape, kernel, t, c, by_descriptors)

    return _forward(shape, launch, softmax, "by descriptors" if by_descriptors else "")


def turned(shape: Shape) -> Problem:
    """8-bit floats, with values that lie turned and a result in f16."""

    def inputs(g: torch.Generator) -> Tensors:
        q, k, v, out = shape.inputs(g)
        return q, k, v.mT.contiguous(), out.to(torch.float16)

    def launch(t: Tensors, c: Config) -> Any:
        return _launch(shape, attention_kernels.turned_attention, t, c, CAUSAL=shape.causal)

    return Problem(
        shape.name("of turned values"),
        inputs,
        launch,
        _SQUARE if shape.causal else _FORWARD,
        None,
        lambda t: shape.expected((t[0], t[1], t[2].mT)),
        _TOLERANCES[shape.dtype],
        flops=4 * shape.heads * shape.pairs * shape.dims,
    )


def in_one_loop(shape: Shape, by_descriptors: bool = False) -> Problem:
    """Causal, with a mask in every turn of one loop; whole blocks."""
    if by_descriptors:
        return _described_causal(shape, "exact", in_one_loop=True)

    def launch(t: Tensors, c: Config) -> Any:
        return _launch(shape, attention_kernels.causal_attention_in_one_loop, t, c)

    return _forward(shape, launch, "exact", "in one loop")


def _described_causal(shape: Shape, softmax: str, in_one_loop: bool) -> Problem:
    def launch(t: Tensors, c: Config) -> Any:
        kernel = attention_kernels.described_causal_attention
        return _launch(shape, kernel, t, c, by_descriptors=True, IN_ONE_LOOP=in_one_loop)

    form = "by descriptors, in one loop" if in_one_loop else "by descriptors"
    return _forward(shape, launch, softmax, form)


def masked(shape: Shape, softmax: str = "exact") -> Problem:
    """What `masked_attention` knows: causal, windows, groups, dims that are no power of two."""
    wide = max(16, 1 << (shape.dims - 1).bit_length())

    def launch(t: Tensors, c: Config) -> Any:
        return _launch(
            shape, attention_kernels.masked_attention, t, c, DIMS=wide, GROUP=shape.group,
            CAUSAL=shape.causal, WINDOW=shape.window,
        )  # fmt: skip

    return _forward(shape, launch, softmax)


def _forward(shape: Shape, launch: Any, softmax: str, form: str = "") -> Problem:
    def with_torch(t: Tensors) -> Any:
        q, k, v = (x[None] for x in t[:3])
        return _torch_attention(
            q, k, v, scale=shape.scale, is_causal=shape.causal, enable_gqa=shape.group > 1
        )

    return Problem(
        shape.name(form) + ("" if softmax == "exact" else f", {softmax} maxima"),
        shape.inputs,
        launch,
        _SQUARE if shape.causal or shape.window else _FORWARD,
        None if shape.window else with_torch,
        shape.expected,
        _TOLERANCES[shape.dtype],
        flops=4 * shape.heads * shape.pairs * shape.dims,
        ours={"online_softmax": softmax},
    )


def varied(lengths: tuple[int, ...], heads: int, dims: int) -> Problem:
    """Causal, of sequences that lie one behind the other."""
    half, scale = torch.float16, float(dims**-0.5)
    ends = torch.tensor([0, *lengths]).cumsum(0)

    def inputs(g: torch.Generator) -> Tensors:
        shape = sum(lengths), heads, dims
        q, k, v = (rand(g, *shape, dtype=half) for _ in "qkv")
        starts = ends.to(tensors.DEVICE, torch.int32)
        return q, k, v, starts, torch.empty_like(q)

    def expected(t: Tensors) -> torch.Tensor:
        parts = []
        for low, high in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
            one = Shape(heads, high - low, dims, causal=True)
            parts.append(one.expected(tuple(x[low:high].transpose(0, 1) for x in t[:3])))
        return torch.cat(parts, 1).transpose(0, 1)

    def launch(t: Tensors, c: Config) -> Any:
        grid = (-(-max(lengths) // c["BM"]), heads * len(lengths))
        return attention_kernels.varied_attention[grid](*t, heads, scale, D=dims, **c)

    pairs = sum(n * (n + 1) // 2 for n in lengths)
    name = f"attention f16 {len(lengths)} lengths to {max(lengths)}, {heads} heads of {dims}"
    return Problem(
        name, inputs, launch, _SQUARE, None, expected, 3e-3, flops=4 * heads * pairs * dims
    )


def paged(requests: int, length: int, dims: int, group: int, page: int) -> Problem:
    """One token of each request against keys that lie in pages, in any order."""
    half, scale = torch.float16, float(dims**-0.5)
    each = length // page

    def inputs(g: torch.Generator) -> Tensors:
        q = rand(g, requests, group, dims, dtype=half)
        k, v = (rand(g, requests * each * page, dims, dtype=half) for _ in "kv")
        order = torch.randperm(requests * each, generator=g, device=tensors.DEVICE)
        return q, k, v, order.to(torch.int32), torch.empty_like(q)

    def expected(t: Tensors) -> torch.Tensor:
        pages = t[3].view(requests, each).long()
        k, v = (x.view(-1, page, dims)[pages].view(requests, length, dims) for x in t[1:3])
        scores = (t[0].double() @ k.double().mT) * scale
        return torch.softmax(scores, -1) @ v.double()

    def launch(t: Tensors, c: Config) -> Any:
        q, k, v, pages, out = t
        rest = dict(c)
        splits = rest["SPLITS"]
        parts = torch.empty(requests, splits, group, dims, device=tensors.DEVICE)
        sums = torch.empty(requests, splits, group, device=tensors.DEVICE)
        made = attention_kernels.paged_decode[(requests, splits)](
            q, k, v, pages, parts, sums, length, scale, D=dims, GROUP=group, PAGE=page, **rest
        )
        attention_kernels.joined_decode[(requests * group,)](
            parts, sums, out, D=dims, GROUP=group, SPLITS=splits
        )
        return made

    configs = tuple(
        {"SPLITS": splits, "BN": block, "num_warps": 4, "num_stages": stages}
        for splits in (8, 16)
        for block in (64, 128)
        for stages in (2, 3)
    )
    return Problem(
        f"attention of one token f16 {requests}x{length}x{dims}, {group} heads, pages of {page}",
        inputs,
        launch,
        configs,
        None,
        expected,
        3e-3,
        moved=2 * requests * length * dims * 2,
    )


def gradients(shape: Shape, of_queries: bool) -> Problem:
    """The gradients of queries, or those of keys and values; those of values come last."""

    def inputs(g: torch.Generator) -> Tensors:
        # What a forward pass leaves.
        q, k, v, _ = shape.inputs(g)
        results = rand(g, shape.heads, shape.length, shape.dims, dtype=shape.dtype)
        tops = torch.empty(shape.heads, shape.length, device=tensors.DEVICE)
        deltas = torch.empty_like(tops)
        seen = shape.seen()
        for head in range(shape.heads):
            scores = (q[head].float() @ k[head].float().mT) * (shape.scale * LOG2_E)
            if seen is not None:
                scores.masked_fill_(~seen, -float("inf"))
            tops[head] = torch.logsumexp(scores / LOG2_E, -1) * LOG2_E
            out = torch.exp2(scores - tops[head][:, None]) @ v[head].float()
            deltas[head] = (out * results[head].float()).sum(-1)
        scaled = (q.float() * (shape.scale * LOG2_E)).to(shape.dtype)
        return scaled, k, v, results, tops, deltas, torch.empty_like(k), torch.empty_like(k)

    def expected(t: Tensors) -> torch.Tensor:
        q, k, v, results, tops, deltas = (x.double() for x in t[:6])
        seen, parts = shape.seen(), []
        for head in range(shape.heads):
            powers = torch.exp2(q[head] @ k[head].mT - tops[head][:, None])
            if seen is not None:
                powers.masked_fill_(~seen, 0.0)
            if of_queries:
                change = powers * (results[head] @ v[head].mT - deltas[head][:, None])
                parts.append(change @ k[head] * shape.scale)
            else:
                parts.append(powers.mT @ results[head])
        return torch.stack(parts)

    def launch(t: Tensors, c: Config) -> Any:
        options = {"D": shape.dims, "CAUSAL": shape.causal, **c}
        if of_queries:
            grid = (shape.length // c["BM"], shape.heads)
            return attention_gradients.query_gradients[grid](
                *t[:6], t[7], shape.length, shape.scale, **options
            )
        grid = (shape.length // c["BN"], shape.heads)
        return attention_gradients.key_gradients[grid](*t, shape.length, **options)

    tiles = _configs(
        (32, 128, 4, 3), (64, 128, 8, 2), (64, 64, 4, 2), (32, 64, 4, 3), (64, 128, 4, 2)
    )
    if of_queries:
        tiles = tuple({**c, "BM": c["BN"], "BN": c["BM"]} for c in tiles)
    products = 3 if of_queries else 4
    return Problem(
        shape.name("gradients of " + ("queries" if of_queries else "keys")),
        inputs,
        launch,
        tiles,
        None,
        expected,
        4e-3,
        flops=2 * products * shape.heads * shape.pairs * shape.dims,
    )


def _tokens(dims: int, length: int, **others: Any) -> Shape:
    """16384 tokens, 2048 numbers each."""
    return Shape((16384 // length) * (2048 // dims), length, dims, **others)


def all_attentions() -> list[Problem]:
    """The rows of the table, in its order."""
    heads = (128, 64)
    rows = [
        plain(_tokens(dims, 4096), kind, softmax)
        for softmax in SOFTMAXES
        for kind in (False, True)
        for dims in heads
    ]
    rows += [plain(_tokens(dims, 16384), True) for dims in heads]
    rows += [
        masked(_tokens(dims, length, causal=True)) for length in (4096, 16384) for dims in heads
    ]
    rows += [
        masked(_tokens(dims, 4096, causal=True), softmax)
        for softmax in SOFTMAXES[1:]
        for dims in heads
    ]
    rows += [plain(_tokens(dims, 4096, causal=True), True) for dims in heads]
    rows += [
        in_one_loop(_tokens(dims, 4096, causal=True), kind)
        for kind in (False, True)
        for dims in heads
    ]
    rows += [plain(_tokens(dims, 4096, dtype=torch.bfloat16), True) for dims in heads]
    rows += [
        turned(_tokens(dims, 4096, dtype=dtype, causal=causal))
        for dtype in (torch.float8_e4m3fn, torch.float8_e5m2)
        for causal in (False, True)
        for dims in heads
    ]
    rows += [masked(_tokens(dims, 4096)) for dims in (32, 96, 256)]
    rows.append(masked(_tokens(128, 4096, causal=True, group=8)))
    rows.append(masked(_tokens(128, 16384, window=1024)))
    rows.append(varied((4096, 3000, 2049, 1000, 700, 333, 2777, 2429), 16, 128))
    rows.append(paged(128, 8192, 128, 16, 16))
    rows += [
        gradients(_tokens(dims, 4096, causal=causal), of_queries)
        for dims in heads
        for causal in (False, True)
        for of_queries in (False, True)
    ]
    return rows


def small_attentions() -> list[Problem]:
    """One of each kind, for a look at the kernels themselves where there is no GPU."""
    small = Shape(2, 256, 64)
    causal = Shape(2, 256, 64, causal=True)
    return [
        plain(small),
        plain(small, True),
        plain(causal, True),
        in_one_loop(causal),
        in_one_loop(causal, True),
        turned(Shape(2, 256, 64, dtype=torch.float8_e4m3fn)),
        masked(Shape(2, 256, 40, group=2, causal=True)),
        masked(Shape(2, 256, 64, window=100)),
        varied((130, 64), 2, 64),
        paged(2, 512, 64, 16, 16),
        gradients(causal, False),
        gradients(causal, True),
    ]
