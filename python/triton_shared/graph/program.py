"""A plan for a graph, and the Python file that carries it out.

A plan cuts a graph into parts, each of which becomes one kernel, and says how these are cut into
blocks. Its file needs torch and triton only, takes all sizes at run time, and masks what hangs over
a block. Where sizes are multiples of blocks the masks are left out, and the file
refuses other sizes: `Program` writes one file for each such case, when it is asked for it.
"""

from __future__ import annotations

import functools
import graphlib
import hashlib
import importlib.util
import inspect
import re
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import operations
from .ir import Graph, GraphError, Node, Sizes
from .kernel_text import kernel_texts
from .split_loops import MEMORY
from .targets import launching
from .tiles import Axis, Blocks, KernelText, Unsupported, number
from .tuning import Tuned, tuned

if TYPE_CHECKING:
    import jinja2


@dataclass(frozen=True)
class Part:
    """One kernel: the nodes that it leaves in memory, by their numbers, and its blocks."""

    roots: tuple[int, ...]
    blocks: Blocks = field(default_factory=Blocks)


@dataclass(frozen=True)
class Plan:
    """A graph without compound operations, cut into kernels."""

    graph: Graph
    parts: tuple[Part, ...]

    @property
    def kept(self) -> frozenset[Node]:
        """Nodes that are in memory."""
        nodes = self.graph.nodes
        return frozenset((*self.graph.inputs, *(nodes[i] for p in self.parts for i in p.roots)))

    def texts(self, sizes: Sizes | None = None) -> list[KernelText]:
        """The kernels, in the order in which they run. Raises Unsupported."""
        nodes, kept = self.graph.nodes, self.kept
        made = [
            kernel_texts(f"kernel_{place}", self.graph, [nodes[i] for i in part.roots], kept,
                         part.blocks, sizes)
            for place, part in enumerate(self.parts)
        ]  # fmt: skip
        maker = {nodes[i]: place for place, part in enumerate(self.parts) for i in part.roots}
        needs = {
            place: {maker[node] for text in some for node in text.tensors if node in maker}
            - {place}
            for place, some in enumerate(made)
        }
        try:
            order = graphlib.TopologicalSorter(needs).static_order()
            return [text for place in order for text in made[place]]
        except graphlib.CycleError:
            raise Unsupported("two kernels need each other") from None

    def as_json(self) -> list[dict[str, Any]]:
        """The parts as data."""
        return [{"roots": list(part.roots), "blocks": asdict(part.blocks)} for part in self.parts]


def plan_from_json(graph: Graph, data: Sequence[Mapping[str, Any]]) -> Plan:
    """The plan that `as_json` wrote, of that graph."""
    return Plan(graph, tuple(Part(tuple(p["roots"]), Blocks(**p["blocks"])) for p in data))


class Program:
    """A graph that runs: what was asked for, and the plan that computes it."""

    def __init__(self, graph: Graph, plan: Plan, target: str = "") -> None:
        self.graph = graph
        self.plan = plan
        self.target = target
        """Whose compiler makes kernels for a GPU (`targets`); empty is the active backend."""
        self._loaded: dict[tuple[bool, ...], Any] = {}

    def text(
        self,
        sizes: Sizes | None = None,
        title: str = "A graph of tensors",
        others: Sequence[Plan] = (),
    ) -> str:
        """The file for these sizes, those of the graph if none are given. Raises Unsupported.

        With `others`, plans of the same cut, its kernels are autotuned (`tuning`).
        """
        return program_text(self.graph, self.plan, sizes, title, others)

    def sizes_of(self, inputs: Sequence[Any]) -> Sizes:
        """What the symbols are for these tensors. Raises GraphError if they do not fit."""
        if len(inputs) != len(self.graph.inputs):
            raise GraphError(f"the graph has {len(self.graph.inputs)} inputs, not {len(inputs)}")
        sizes: Sizes = {}
        for place, (node, tensor) in enumerate(zip(self.graph.inputs, inputs, strict=True)):
            symbols = self.plan.graph.symbols[node]
            known = [sizes.setdefault(s, n) if s else 1
                     for s, n in zip(symbols, tensor.shape, strict=False)]  # fmt: skip
            if len(symbols) != tensor.dim() or list(tensor.shape) != known:
                words = ", ".join(s or "1" for s in symbols)
                raise GraphError(
                    f"input {place} has the shape ({words}), where equal names are equal sizes "
                    f"({sizes}); this tensor has {tuple(tensor.shape)}"
                )
            if tensor.dtype != node.dtype:
                raise GraphError(f"input {place} is {node.dtype}; this tensor is {tensor.dtype}")
        return sizes

    def module(self, sizes: Sizes) -> Any:
        """The loaded file for these sizes."""
        ragged = tuple(axis.is_ragged for text in self.plan.texts(sizes) for axis in text.axes)
        if ragged not in self._loaded:
            self._loaded[ragged] = load(self.text(sizes))
        return self._loaded[ragged]

    def __call__(self, inputs: Sequence[Any], outputs: Sequence[Any] | None = None) -> list[Any]:
        """Runs on tensors of a CPU or of a GPU; gives the outputs."""
        sizes = self.sizes_of(inputs)
        with launching(inputs[0], self.target):
            made: list[Any] = self.module(sizes).execute_mugraph(*inputs, outputs=outputs)
        return made


@functools.cache
def folder() -> tempfile.TemporaryDirectory[str]:
    """Where files are that were loaded; it goes when the process ends."""
    return tempfile.TemporaryDirectory(prefix="triton-shared-graph-")


def load(text: str) -> Any:
    """The module that a file is; the file stays until the process ends."""
    name = f"graph_{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    path = Path(folder().name) / f"{name}.py"
    if not path.exists():
        path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@functools.cache
def _environment() -> jinja2.Environment:
    import jinja2

    return jinja2.Environment(
        loader=jinja2.PackageLoader("triton_shared.graph"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # Python is not HTML.
    )


def render(template: str, **values: Any) -> str:
    """Fills a template; a name that it lacks is an error."""
    return _environment().get_template(template).render(**values)


def program_text(
    graph: Graph, plan: Plan, sizes: Sizes | None, title: str, others: Sequence[Plan] = ()
) -> str:
    """The file. Raises Unsupported."""
    from .. import __version__

    kernels = tuned(plan.texts(sizes), [other.texts(sizes) for other in others])
    texts = [kernel.text for kernel in kernels]
    names = _names(plan)
    given = plan.graph.inputs
    made = [node for text in texts for node in text.outputs if node not in plan.graph.outputs]
    return render(
        "program.py.j2",
        title=title,
        version=__version__,
        description=graph.describe(),
        uses_libdevice=any(text.uses_libdevice for text in texts),
        kernels=kernels,
        inputs=[names[node] for node in given],
        symbols=list(_sources(plan.graph, names).items()),
        given=[(names[node], *_kind(plan.graph, node)) for node in given],
        guards=list(dict.fromkeys(g for text in texts for g in map(_guard, text.axes) if g)),
        spans=[
            *(_span(plan.graph, node) for node in (*given, *made, *plan.graph.outputs)),
            *(_partial_span(text) for text in texts if _is_first(text)),
        ],
        made=[
            *((names[node], *_kind(plan.graph, node)) for node in made),
            *(
                (_partial(text), f"{_partial_span(text)},", "torch.float32")
                for text in texts
                if _is_first(text)
            ),
        ],
        outputs=[_kind(plan.graph, node) for node in plan.graph.outputs],
        output_names=[names[node] for node in plan.graph.outputs],
        launches=[_launch(kernel, names) for kernel in kernels],
        uses_view=any(node.kind == "view" for node in graph.nodes),
        view_source=inspect.getsource(operations.view).replace(": Any", "").replace(" -> Any", ""),
        reference=_reference(graph),
        samples=[(list(node.shape), str(node.dtype)) for node in graph.inputs],
    )


def _names(plan: Plan) -> dict[Node, str]:
    names = {node: f"x{place}" for place, node in enumerate(plan.graph.inputs)}
    for place, node in enumerate(plan.graph.outputs):
        names[node] = f"y{place}"
    for node in plan.graph.nodes:
        names.setdefault(node, f"b{len(names)}")
    return names


def _kind(graph: Graph, node: Node) -> tuple[str, str]:
    """The shape as the inside of a tuple, and the type."""
    return "".join(f"{s or 1}, " for s in graph.symbols[node]).strip(), str(node.dtype)


def _span(graph: Graph, node: Node) -> str:
    return " * ".join(s or "1" for s in graph.symbols[node]) or "1"


def _sources(graph: Graph, names: Mapping[Node, str]) -> dict[str, str]:
    """Where each size is read."""
    sources: dict[str, str] = {}
    for node in graph.inputs:
        for dim, symbol in enumerate(graph.symbols[node]):
            if symbol:
                sources.setdefault(symbol, f"{names[node]}.shape[{dim}]")
    return sources


def _guard(axis: Axis) -> tuple[str, str] | None:
    """What must not be, where masks have been left out."""
    if axis.is_batch or axis.is_ragged or not axis.symbol:
        return None
    if axis.block == 1:
        return None
    if axis.block:
        told = f"this file was made for a size {axis.symbol} that is a multiple of {axis.block}"
        return f"{axis.symbol} % {axis.block} != 0", told
    told = f"this file was made for a size {axis.symbol} that is a power of two, from 16 on"
    return f"{axis.symbol} != {_whole(axis)}", told


def _whole(axis: Axis) -> str:
    return f"max(16, triton.next_power_of_2({axis.symbol}))"


def _launch(kernel: Tuned, names: Mapping[Node, str]) -> dict[str, Any]:
    text = kernel.text
    axes = {axis.name: axis for axis in text.axes}
    tensors = {parameter: names[node] for node, parameter in text.tensors.items()}
    arguments = []
    for parameter in text.parameters:
        word, _, rest = parameter.partition("_")
        if parameter in tensors:
            arguments.append(tensors[parameter])
        elif word == MEMORY:
            arguments.append(_partial(text))
        elif word == "size":
            arguments.append(rest)
        elif word != "BLOCK":
            arguments.append(f"{tensors[word]}.stride({rest.removeprefix('s')})")
        elif not kernel.is_tuned or parameter not in kernel.varied:
            axis = axes[rest]
            arguments.append(f"{parameter}={axis.block or _whole(axis)}")
    if kernel.is_tuned:
        grid = f"lambda meta: ({_grid(text, kernel.varied)},)"
        return {"name": text.name, "grid": grid, "arguments": arguments}
    arguments.append(f"num_warps={text.blocks.num_warps}")
    arguments.append(f"num_stages={text.blocks.num_stages}")
    return {"name": text.name, "grid": f"({_grid(text)},)", "arguments": arguments}


def _grid(text: KernelText, varied: Collection[str] = ()) -> str:
    grid = [axis.symbol for axis in text.batch]
    for one in (text.rows, text.columns):
        if one and one.block:
            name = f"BLOCK_{one.name}"
            block = f'meta["{name}"]' if name in varied else one.block
            grid.append(f"triton.cdiv({one.symbol}, {block})")
    if _is_first(text):
        grid.append(str(text.blocks.split))
    return " * ".join(map(str, grid)) or "1"


def _is_first(text: KernelText) -> bool:
    """Whether a kernel leaves parts of a loop for another one."""
    return bool(text.split_axis) and not text.outputs


def _partial(text: KernelText) -> str:
    """The tensor between the two kernels of a split loop."""
    return f"partial_{text.name.removesuffix('_parts')}"


def _partial_span(text: KernelText) -> str:
    floats = text.floats
    for axis in text.axes:
        extent = str(axis.block or _whole(axis))
        floats = re.sub(rf"\bBLOCK_{axis.name}\b", extent, floats)
    return f"{_grid(text)} * ({floats})"


def _reference(graph: Graph) -> list[str]:
    names = {node: f"x{place}" for place, node in enumerate(graph.inputs)}
    lines = []
    for place, node in enumerate(graph.nodes):
        if node.op == "input":
            continue
        names[node] = f"v{place}"
        values = {
            name: value if isinstance(value, (int, tuple)) else number(value)
            for name, value in node.attributes
        }
        text = node.row.meaning.format(*(names[o] for o in node.inputs), **values)
        lines.append(f"{names[node]} = {text}")
    return [*lines, f"return [{', '.join(names[node] for node in graph.outputs)}]"]
