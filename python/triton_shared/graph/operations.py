"""What a node of a graph may be: one row of a table per operation.

A row has the meaning in torch, which f64 is put into, the text in Triton for values of f32, and how
errors pass through it (`errors`). In both texts `{0}` and `{1}` are operands, and attributes go by
their names. Kinds: `map` works element by element, with numpy's rule for shapes; `reduce` makes a
dimension 1; `dot` is a matrix product of the last two dimensions; `view` permutes dimensions and is
free; `compound` is short for a small graph, which rewriting puts in its place.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from . import errors

Attributes = tuple[tuple[str, Any], ...]
"""Names and values, in the order of names."""

_ATTRIBUTES = ("dim", "eps", "exponent", "high", "index", "low", "order", "value")


@dataclass(frozen=True)
class Operation:
    """A row of the table."""

    name: str
    kind: str
    arity: int
    meaning: str
    triton: str = ""
    error: errors.Rule = errors.unknown
    is_exact: bool = False
    """Small integers in, small integers out, with no rounding."""

    @functools.cached_property
    def reference(self) -> Callable[..., Any]:
        """The meaning as a function of tensors, and of attributes by name."""
        text = self.meaning.format("x", "y", **{name: name for name in _ATTRIBUTES})
        names = ", ".join(("x", "y")[: self.arity])
        attributes = ", ".join(f"{name}=None" for name in _ATTRIBUTES)
        made: Callable[..., Any] = eval(
            f"lambda {names}, {attributes}: {text}", {"torch": torch, "view": view}
        )
        return made


def view(x: Any, order: tuple[int | None, ...]) -> Any:
    """A tensor with its dimensions in this order; None is a new one, those not named are 1."""
    kept = [place for place in order if place is not None]
    dropped = [place for place in range(x.dim()) if place not in kept]
    x = x.permute(*kept, *dropped).flatten(len(kept)) if dropped else x.permute(*kept)
    x = x.squeeze(-1) if dropped else x
    for place, source in enumerate(order):
        x = x.unsqueeze(place) if source is None else x
    return x


def _map(
    name: str, meaning: str, triton: str, error: errors.Rule, is_exact: bool = False
) -> Operation:
    arity = 2 if "{1}" in meaning else 1
    return Operation(name, "map", arity, meaning, triton, error, is_exact)


def _reduce(name: str, meaning: str, error: errors.Rule, is_exact: bool = True) -> Operation:
    return Operation(name, "reduce", 1, meaning, "", error, is_exact)


_RMS_NORM = "{0} / ({0}.square().mean(-1, keepdim=True) + {eps}).sqrt()"
_LAYER_NORM = (
    "({0} - {0}.mean(-1, keepdim=True))"
    " / ({0}.var(-1, unbiased=False, keepdim=True) + {eps}).sqrt()"
)
_GELU = "0.5 * {0} * (1.0 + tl.erf({0} * 0.7071067811865476))"

TABLE: dict[str, Operation] = {
    row.name: row
    for row in (
        Operation("input", "input", 0, "None"),
        _map("add", "{0} + {1}", "{0} + {1}", errors.add, True),
        _map("sub", "{0} - {1}", "{0} - {1}", errors.add, True),
        _map("mul", "{0} * {1}", "{0} * {1}", errors.mul, True),
        _map("div", "{0} / {1}", "{0} / {1}", errors.div),
        _map("maximum", "torch.maximum({0}, {1})", "tl.maximum({0}, {1})", errors.largest, True),
        _map("minimum", "torch.minimum({0}, {1})", "tl.minimum({0}, {1})", errors.largest, True),
        _map("pow", "torch.pow({0}, {1})", "libdevice.pow({0}, {1})", errors.power),
        _map("exp", "torch.exp({0})", "tl.exp({0})", errors.exponential),
        _map("sqrt", "torch.sqrt({0})", "tl.sqrt({0})", errors.monotone(torch.sqrt)),
        _map("rsqrt", "torch.rsqrt({0})", "1.0 / tl.sqrt({0})", errors.falling(torch.rsqrt)),
        _map("log", "torch.log({0})", "tl.log({0})", errors.logarithm),
        _map("square", "{0} * {0}", "{0} * {0}", errors.square, True),
        _map("neg", "-{0}", "-{0}", errors.same, True),
        _map("abs", "{0}.abs()", "tl.abs({0})", errors.same, True),
        _map("relu", "torch.relu({0})", "tl.maximum({0}, 0.0)", errors.same, True),
        _map("tanh", "torch.tanh({0})", "libdevice.tanh({0})", errors.slope(1.0)),
        _map("sigmoid", "torch.sigmoid({0})", "1.0 / (1.0 + tl.exp(-{0}))", errors.slope(0.25)),
        _map("silu", "torch.nn.functional.silu({0})", "{0} / (1.0 + tl.exp(-{0}))",
             errors.gated(1.1)),
        _map("gelu", "torch.nn.functional.gelu({0})", _GELU, errors.gated(1.13)),
        _map("clamp", "{0}.clamp({low}, {high})",
             "tl.minimum(tl.maximum({0}, {low}), {high})", errors.same, True),
        _map("add_scalar", "{0} + {value}", "{0} + {value}", errors.shift),
        _map("mul_scalar", "{0} * {value}", "{0} * {value}", errors.scale),
        _map("pow_scalar", "{0} ** {exponent}", "libdevice.pow({0}, {exponent})",
             errors.power_scalar),
        _reduce("sum", "{0}.sum({dim}, keepdim=True)", errors.total),
        _reduce("mean", "{0}.mean({dim}, keepdim=True)", errors.average, False),
        _reduce("max", "{0}.amax({dim}, keepdim=True)", errors.over_dimension),
        _reduce("min", "{0}.amin({dim}, keepdim=True)", errors.over_dimension),
        Operation("matmul", "dot", 2, "{0} @ {1}", "", errors.product, True),
        Operation("view", "view", 1, "view({0}, {order})", "", errors.view(view), True),
        Operation("rms_norm", "compound", 1, _RMS_NORM),
        Operation("layer_norm", "compound", 1, _LAYER_NORM),
        Operation("softmax", "compound", 1, "torch.softmax({0}, {dim})"),
    )
}  # fmt: skip
"""By name."""
