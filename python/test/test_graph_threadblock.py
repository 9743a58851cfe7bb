"""Graphs of a thread block, written by hand as in Mirage, and functions of torch as graphs."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import triton_shared.graph as mi
from graph_cases import assert_right, random_inputs
from triton_shared.graph.verify import verify


def rms_norm_matmul() -> mi.KernelGraph:
    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(16, 256), dtype=mi.float16)
    w = graph.new_input(dims=(256, 128), dtype=mi.float16)
    block = mi.new_threadblock_graph(
        grid_dim=(4, 1, 1), block_dim=(128, 1, 1), forloop_range=8, reduction_dimx=64
    )
    tile_x = block.new_input(dtensor=x, input_map=(-1, -1, -1), forloop_dim=1)
    tile_w = block.new_input(dtensor=w, input_map=(1, -1, -1), forloop_dim=0)
    product = block.forloop_accum(block.matmul(tile_x, tile_w))
    scale = block.forloop_accum(tile_x, "rms")
    block.new_output(stensor=block.div(product, scale), output_map=(1, -1, -1))
    graph.mark_output(*graph.customized([x, w], block))
    return graph


def gated_mlp() -> mi.KernelGraph:
    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(16, 128), dtype=mi.float16)
    a, b = (graph.new_input(dims=(128, 128), dtype=mi.float16) for _ in range(2))
    block = mi.new_threadblock_graph((4, 1, 1), (128, 1, 1), 4, 64)
    tile = block.new_input(x, (-1, -1, -1), 1)
    gate, up = (
        block.forloop_accum(block.matmul(tile, block.new_input(w, (1, -1, -1), 0))) for w in (a, b)
    )
    block.new_output(block.mul(block.silu(gate), up), (1, -1, -1))
    graph.mark_output(*graph.customized([x, a, b], block))
    return graph


def lora() -> mi.KernelGraph:
    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(16, 128), dtype=mi.float16)
    w = graph.new_input(dims=(128, 128), dtype=mi.float16)
    a = graph.new_input(dims=(128, 16), dtype=mi.float16)
    b = graph.new_input(dims=(16, 128), dtype=mi.float16)
    block = mi.new_threadblock_graph((4, 1, 1), (128, 1, 1), 4, 64)
    tile = block.new_input(x, (-1, -1, -1), 1)
    whole = block.forloop_accum(block.matmul(tile, block.new_input(w, (1, -1, -1), 0)))
    low = block.forloop_accum(block.matmul(tile, block.new_input(a, (-1, -1, -1), 0)))
    high = block.matmul(low, block.new_input(b, (1, -1, -1)))
    block.new_output(block.add(whole, high), (1, -1, -1))
    graph.mark_output(*graph.customized([x, w, a, b], block))
    return graph


def attention_scores() -> mi.KernelGraph:
    """A grid of batches and rows, without a loop: one turn has everything."""
    graph = mi.new_kernel_graph()
    q = graph.new_input(dims=(2, 64, 32), dtype=mi.float16)
    k = graph.new_input(dims=(2, 32, 48), dtype=mi.float16)
    v = graph.new_input(dims=(2, 48, 32), dtype=mi.float16)
    block = mi.new_threadblock_graph((2, 4, 1), (128, 1, 1))
    tiles = [block.new_input(q, (0, 1, -1)), block.new_input(k, (0, -1, -1)),
             block.new_input(v, (0, -1, -1))]  # fmt: skip
    powers = block.exp(block.mul_scalar(block.matmul(tiles[0], tiles[1]), 0.125))
    weighted = block.div(block.matmul(powers, tiles[2]), block.reduction(powers, 2))
    block.new_output(weighted, (0, 1, -1))
    graph.mark_output(*graph.customized([q, k, v], block))
    return graph


@pytest.mark.parametrize("case", [rms_norm_matmul, gated_mlp, lora, attention_scores],
                         ids=lambda case: case.__name__)  # fmt: skip
def test_a_thread_block_is_one_kernel_and_right(case: Any):
    graph = case()
    assert len(graph.plan.parts) == 1
    given = random_inputs(graph)
    assert_right(graph, given, graph(given))


def test_grid_and_loop_become_blocks():
    (part,) = rms_norm_matmul().plan.parts
    assert (part.blocks.rows, part.blocks.columns, part.blocks.depth) == (16, 32, 32)


@pytest.mark.nightly
def test_a_thread_block_is_verified_as_any_candidate():
    graph = gated_mlp()
    assert verify(graph.graph, graph.plan).is_right


class TestWhatNoThreadBlockCan:
    def start(self) -> tuple[mi.ThreadblockGraph, Any, Any]:
        graph = mi.new_kernel_graph()
        x = graph.new_input(dims=(16, 128), dtype=mi.float16)
        w = graph.new_input(dims=(128, 128), dtype=mi.float16)
        block = mi.new_threadblock_graph((4, 1, 1), (128, 1, 1), 4, 64)
        return block, block.new_input(x, (-1, -1, -1), 1), block.new_input(w, (1, -1, -1), 0)

    def test_a_function_of_a_part_of_a_sum(self):
        block, x, w = self.start()
        with pytest.raises(mi.GraphError, match="forloop_accum makes it whole"):
            block.exp(block.matmul(x, w))

    def test_a_result_in_the_loop(self):
        block, x, _ = self.start()
        with pytest.raises(mi.GraphError, match="a result is left after the loop"):
            block.new_output(x, (-1, -1, -1))

    def test_a_result_that_is_put_together_otherwise(self):
        block, x, w = self.start()
        whole = block.forloop_accum(block.matmul(x, w))
        with pytest.raises(mi.GraphError, match="axis 0 of the grid divides dimension 1"):
            block.new_output(whole, (0, -1, -1))

    def test_parts_that_are_not_equal(self):
        graph = mi.new_kernel_graph()
        x = graph.new_input(dims=(16, 130), dtype=mi.float16)
        block = mi.new_threadblock_graph((4, 1, 1), (128, 1, 1), 4, 64)
        with pytest.raises(mi.GraphError, match="4 parts of dimension 1"):
            block.new_input(x, (-1, -1, -1), 1)

    def test_turns_added_element_by_element(self):
        block, x, _ = self.start()
        with pytest.raises(mi.GraphError, match="say what of the last dimension is wanted"):
            block.forloop_accum(x)


class TestFromTorch:
    @pytest.mark.parametrize("number", range(5))
    def test_a_function_of_torch(self, number: int):
        x, w, b = torch.randn(6, 40).half(), torch.randn(24, 40).half(), torch.randn(24).half()
        functions = [
            lambda x, w, b: torch.nn.functional.linear(x, w, b),
            lambda x, w, b: torch.softmax(x @ w.t() * 0.25, dim=-1) + b,
            lambda x, w, b: x.pow(2).sum(-1) - 1,
            lambda x, w, b: torch.nn.functional.rms_norm(x, (40,), eps=1e-5).transpose(0, 1),
            lambda x, w, b: (torch.relu(x).amax(0), torch.nn.functional.silu(w) / 2),
        ]
        graph = mi.from_torch(functions[number], (x, w, b))
        found = graph(inputs=[x, w, b])
        expected = functions[number](*(tensor.double() for tensor in (x, w, b)))
        expected = expected if isinstance(expected, tuple) else (expected,)
        for one, right in zip(found, expected, strict=True):
            assert one.shape == right.shape
        assert_right(graph, [x, w, b], found)
        # What torch means, not only what the graph means.
        for one, right in zip(graph.graph.evaluate([x, w, b]), expected, strict=True):
            assert torch.allclose(one, right, atol=1e-3)

    def test_what_graphs_do_not_have_is_left_to_torch(self):
        def function(x: Any, w: Any) -> Any:
            sums = torch.cumsum(torch.relu(x @ w), 0)
            return torch.exp(sums * 0.125) + 1, sums

        x, w = torch.randn(6, 40).half(), torch.randn(40, 24).half() / 8
        mixed = mi.from_torch(function, (x, w))
        assert mixed.left == ("cumsum",)
        assert sorted(len(one.graph.nodes) for one in mixed.graphs.values()) == [4, 4]
        for one, right in zip(mixed.function(x, w), function(x, w), strict=True):
            assert torch.allclose(one, right, rtol=1e-2, atol=1e-2)
        with pytest.raises(mi.GraphError, match="shapes are those of the examples"):
            mixed(inputs=[x[:3], w])

    def test_parts_that_are_graphs_are_searched(self, monkeypatch: pytest.MonkeyPatch):
        mixed = mi.from_torch(lambda x: torch.cumsum(torch.relu(x), 0), (torch.randn(4, 4),))
        seen: list[Any] = []

        def superoptimize(self: Any, **options: Any) -> Any:
            seen.append(options)
            return self

        monkeypatch.setattr(mi.KernelGraph, "superoptimize", superoptimize)
        found = mixed.superoptimize(budget=1.0)
        assert seen == [{"budget": 1.0}]
        x = torch.randn(4, 4)
        assert torch.equal(found.function(x), torch.cumsum(torch.relu(x), 0))

    def test_where_nothing_is_left_for_a_graph_the_error_names_the_function(self):
        with pytest.raises(mi.GraphError) as caught:
            mi.from_torch(lambda x: torch.cumsum(x, 0), (torch.randn(4, 4),))
        assert "graphs have nothing for 'aten.cumsum' with (0,)" in str(caught.value)
        assert "test_graph_threadblock.py:" in str(caught.value)

    def test_tensors_that_a_function_holds_are_to_be_inputs(self):
        held = torch.randn(4)
        with pytest.raises(mi.GraphError, match="holds 1 tensors of its own: make them inputs"):
            mi.from_torch(lambda x: x + held, (torch.randn(4, 4),))
