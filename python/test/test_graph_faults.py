"""Faults of Mirage's Triton path, put into our generator: each one is found, and at which gate.

Numbers are those of the table of faults in the design of `triton_shared.graph`; docs/graph.md shows
the same table.
"""

from __future__ import annotations

import dataclasses
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import triton_shared.graph as mi
from graph_cases import assert_right, one_kernel
from triton_shared import device, stages
from triton_shared.diff import recorder
from triton_shared.graph import kernel_text, operations, program
from triton_shared.graph.program import Program
from triton_shared.graph.reproducer import write_reproducer
from triton_shared.graph.tiles import Blocks
from triton_shared.graph.verify import Verdict, verify

Patch = pytest.MonkeyPatch


def map_graph(name: str, *more: Any, shape: tuple[int, ...] = (8, 64), dtype: Any = mi.float16):
    def build() -> mi.KernelGraph:
        graph = mi.new_kernel_graph()
        count = 1 if more or name not in operations.TABLE else operations.TABLE[name].arity
        given = [graph.new_input(dims=shape, dtype=dtype) for _ in range(count)]
        graph.mark_output(getattr(graph, name)(*given, *more))
        return graph

    return build


def product_then(name: str, *more: Any) -> Callable[[], mi.KernelGraph]:
    def build() -> mi.KernelGraph:
        graph = mi.new_kernel_graph()
        x = graph.new_input(dims=(16, 64), dtype=mi.float16)
        w = graph.new_input(dims=(64, 64), dtype=mi.float16)
        graph.mark_output(getattr(graph, name)(graph.matmul(x, w), *more))
        return graph

    return build


def product_of_sum() -> mi.KernelGraph:
    graph = mi.new_kernel_graph()
    x, y = (graph.new_input(dims=(16, 64), dtype=mi.float16) for _ in range(2))
    w = graph.new_input(dims=(64, 64), dtype=mi.float16)
    graph.mark_output(graph.matmul(graph.add(x, y), w))
    return graph


def scaled_product() -> mi.KernelGraph:
    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(16, 64), dtype=mi.float16)
    w = graph.new_input(dims=(64, 64), dtype=mi.float16)
    graph.mark_output(graph.mul(graph.matmul(x, w), graph.sum(x, 1)))
    return graph


def sum_of_logarithms() -> mi.KernelGraph:
    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(8, 64), dtype=mi.float32)
    graph.mark_output(graph.sum(graph.log(x), 1))
    return graph


def says(patch: Patch, name: str, text: str) -> None:
    """Another text for an operation."""
    row = dataclasses.replace(operations.TABLE[name], triton=text)
    patch.setitem(operations.TABLE, name, row)


def changes_text(patch: Patch, old: str, new: str) -> None:
    """Another text for a part of the file."""
    plain = program.program_text

    def text(*given: Any) -> str:
        made = plain(*given)
        assert old in made
        return made.replace(old, new)

    patch.setattr(program, "program_text", text)


def imports_what_is_gone(patch: Patch) -> None:
    changes_text(patch, "import triton\n", "import triton\nimport triton.ops\n")


def silu_without_factor(patch: Patch) -> None:
    says(patch, "silu", "1.0 / (1.0 + tl.exp(-{0}))")


def sum_falls_through_to_quotient(patch: Patch) -> None:
    says(patch, "add", "{0} / {1}")


def power_that_does_not_exist(patch: Patch) -> None:
    says(patch, "pow_scalar", "tl.power({0}, {exponent})")


def no_cast_to_f32(patch: Patch) -> None:
    patch.setattr(kernel_text.KernelWriter, "_wide", lambda self, tile: tile.name)


def accumulator_padded(patch: Patch) -> None:
    plain = kernel_text.KernelWriter._initial

    def initial(self: Any, request: Any, base: int) -> Any:
        made = plain(self, request, base)
        lines = self.scopes[base].lines
        lines[-1] = lines[-1].replace(", 1]", ", 16]")
        return made

    patch.setattr(kernel_text.KernelWriter, "_initial", initial)


def stride_in_blocks(patch: Patch) -> None:
    changes_text(patch, "x0.stride(0)", "triton.cdiv(x0.stride(0), 128)")


def wrong_shape_of_reduction(patch: Patch) -> None:
    changes_text(patch, "keep_dims=True", "keep_dims=False")


def no_mask_for_the_grid(patch: Patch) -> None:
    plain = kernel_text.KernelWriter._address

    def address(self: Any, request: Any, name: str) -> tuple[str, str]:
        made, mask = plain(self, request, name)
        kept = [one for one in mask.split(" & ") if not one.startswith(("in_row", "in_column"))]
        return made, " & ".join(kept)

    patch.setattr(kernel_text.KernelWriter, "_address", address)


def masked_by_multiplying(patch: Patch) -> None:
    def neutral(self: Any, op: str, value: str, tile: Any, axis: Any, along: int, loop: int) -> str:
        if not axis.is_ragged:
            return value
        shape = "[:, None]" if along == 0 else "[None, :]"
        return str(self._line(loop, f"{value} * in_{axis.name}{shape}.to(tl.float32)"))

    patch.setattr(kernel_text.KernelWriter, "_neutral", neutral)


def batches_ignored(patch: Patch) -> None:
    plain = kernel_text.KernelWriter._address

    def address(self: Any, request: Any, name: str) -> Any:
        where = tuple(a if a and not a.is_batch else None for a in request.where)
        return plain(self, dataclasses.replace(request, where=where), name)

    patch.setattr(kernel_text.KernelWriter, "_address", address)


def everything_is_f16(patch: Patch) -> None:
    changes_text(patch, "dtype=torch.float32", "dtype=torch.float16")


def factor_lost(patch: Patch) -> None:
    says(patch, "mul_scalar", "{0}")


@dataclasses.dataclass(frozen=True)
class Fault:
    number: int
    inject: Callable[[Patch], None]
    graph: Callable[[], mi.KernelGraph]
    gate: str


FAULTS = (
    Fault(1, imports_what_is_gone, map_graph("relu"), "COMPILE"),
    Fault(2, silu_without_factor, product_then("silu"), "BOUND"),
    Fault(3, sum_falls_through_to_quotient, product_of_sum, "EXACT"),
    Fault(4, power_that_does_not_exist, map_graph("pow", 1.5), "COMPILE"),
    Fault(5, no_cast_to_f32, map_graph("exp"), "COMPILE"),
    Fault(6, accumulator_padded, scaled_product, "COMPILE"),
    Fault(7, stride_in_blocks, map_graph("relu"), "EXACT"),
    Fault(8, wrong_shape_of_reduction, map_graph("sum", 1), "COMPILE"),
    Fault(9, no_mask_for_the_grid, product_then("relu"), "POISON"),
    Fault(10, masked_by_multiplying, sum_of_logarithms, "SHAPES"),
    Fault(11, batches_ignored, map_graph("relu", shape=(3, 8, 64)), "EXACT"),
    Fault(13, factor_lost, product_then("mul_scalar", 3.0), "BOUND"),
    Fault(14, everything_is_f16, map_graph("relu", dtype=mi.float32), "EXACT"),
)


def plan_of(graph: mi.KernelGraph) -> Any:
    return one_kernel(graph, Blocks(rows=16, columns=32, depth=32))


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.number}-{fault.gate}")
def test_a_fault_is_found_at_its_gate(fault: Fault, monkeypatch: Patch):
    graph = fault.graph()
    fault.inject(monkeypatch)
    verdict = verify(graph.graph, plan_of(graph))
    assert verdict.gate == fault.gate, verdict


@pytest.mark.nightly
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: str(fault.number))
def test_the_same_graph_without_the_fault_is_right(fault: Fault):
    graph = fault.graph()
    verdict = verify(graph.graph, plan_of(graph))
    assert verdict.is_right, verdict
    assert verdict.margin <= 1


def test_17_tensors_that_are_smaller_than_declared_are_computed_or_refused():
    graph = product_then("relu")()
    x, w = torch.randn(2, 64).half(), torch.randn(64, 64).half()
    assert_right(graph, [x, w], graph(inputs=[x, w]))
    with pytest.raises(mi.GraphError):
        graph(inputs=[x[:, :32], w])


def test_a_rejected_candidate_leaves_a_reproducer(tmp_path: Path, monkeypatch: Patch):
    graph = product_then("silu")()
    silu_without_factor(monkeypatch)
    verdict = verify(graph.graph, plan_of(graph))
    path = write_reproducer(tmp_path / "wrong", graph.graph, plan_of(graph), verdict)
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    assert "elements are wrong" in done.stdout
    assert "BOUND: output 0: " in path.read_text()
    names = ["kernel_0.ttir", "program.py", "repro.py", "run.pt"]
    assert sorted(file.name for file in path.parent.iterdir()) == names


def without_places(ttir: str) -> str:
    return re.sub(r"^#loc.*\n| loc\(.*\)$", "", ttir, flags=re.MULTILINE)


def test_a_reproducer_has_the_texts_that_a_compiler_gets(tmp_path: Path):
    """Those of a launch at the sizes at which a candidate is wrong, with its divisors."""
    graph = map_graph("relu")()
    plan = one_kernel(graph, Blocks(rows=1, columns=64))
    sizes = {"d0": 3, "d1": 17}
    verdict = Verdict("SHAPES", "for the test", 0.0, 0, tuple(sizes.items()))
    path = write_reproducer(tmp_path / "right", graph.graph, plan, verdict)
    caught: list[Any] = []
    with device("cpu"), recorder.catching(caught, "test"):
        Program(graph.graph, plan)([torch.randn(3, 17).half()])
    ((recording, _),) = caught
    text = (path.parent / "kernel_0.ttir").read_text()
    assert without_places(text) == without_places(recording.ttir)
    assert "@kernel_0(" in text
    stages.ttir_to_linalg(text)


def test_what_does_not_compile_leaves_its_inputs_and_what_there_is(
    tmp_path: Path, monkeypatch: Patch
):
    graph = map_graph("sum", 1)()
    wrong_shape_of_reduction(monkeypatch)
    plan = plan_of(graph)
    verdict = verify(graph.graph, plan)
    path = write_reproducer(tmp_path / "wrong", graph.graph, plan, verdict)
    kept = torch.load(path.parent / "run.pt")
    assert len(kept["inputs"]) == len(kept["expected"]) == 1
    assert kept["found"] == []
    assert not list(path.parent.glob("*.ttir"))
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True)
    assert done.returncode == 1
    assert "CompilationError" in done.stderr


def test_a_verdict_names_the_element_and_the_sizes(monkeypatch: Patch):
    graph = map_graph("relu")()
    stride_in_blocks(monkeypatch)
    verdict = verify(graph.graph, plan_of(graph))
    assert isinstance(verdict, Verdict)
    assert dict(verdict.sizes) == {"d0": 8, "d1": 32}
    assert verdict.message.startswith("output 0: ")
    assert "instead of" in verdict.message
