"""Graphs of a thread block, written by hand as in Mirage, and functions of torch as graphs."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import triton_shared.graph as mi
from graph_cases import assert_right, random_inputs
from triton_shared.graph.partition import cuts
from triton_shared.graph.rules import rewritten
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


_LORA = ((16, 128), (128, 128), (128, 16), (16, 128))
"""The sizes of x, w, a and b."""


def lora() -> mi.KernelGraph:
    graph = mi.new_kernel_graph()
    x, w, a, b = (graph.new_input(dims=dims, dtype=mi.float16) for dims in _LORA)
    block = mi.new_threadblock_graph((4, 1, 1), (128, 1, 1), 4, 64)
    tile = block.new_input(x, (-1, -1, -1), 1)
    whole = block.forloop_accum(block.matmul(tile, block.new_input(w, (1, -1, -1), 0)))
    low = block.forloop_accum(block.matmul(tile, block.new_input(a, (-1, -1, -1), 0)))
    high = block.matmul(low, block.new_input(b, (1, -1, -1)))
    block.new_output(block.add(whole, high), (1, -1, -1))
    graph.mark_output(*graph.customized([x, w, a, b], block))
    return graph


def lora_joined() -> mi.KernelGraph:
    """One product of what is joined: [x, x a] [w; b]."""
    graph = mi.new_kernel_graph()
    x, w, a, b = (graph.new_input(dims=dims, dtype=mi.float16) for dims in _LORA)
    block = mi.new_threadblock_graph((4, 1, 1), (128, 1, 1), 4, 64)
    tile = block.new_input(x, (-1, -1, -1), 1)
    tile_w = block.new_input(w, (1, -1, -1), 0)
    low = block.matmul(tile, block.new_input(a, (-1, -1, -1), 0))
    left = block.concat(tile, low, dim=1)
    right = block.concat(tile_w, block.new_input(b, (1, -1, -1)), dim=0)
    block.new_output(block.forloop_accum(block.matmul(left, right)), (1, -1, -1))
    graph.mark_output(*graph.customized([x, w, a, b], block))
    return graph


def online(norm: bool = False) -> mi.KernelGraph:
    """Queries of a grid of batches and rows, and a loop over keys with a maximum that grows."""
    graph = mi.new_kernel_graph()
    q = graph.new_input(dims=(2, 64, 32), dtype=mi.float16)
    k = graph.new_input(dims=(2, 32, 64), dtype=mi.float16)
    v = graph.new_input(dims=(2, 64, 32), dtype=mi.float16)
    block = mi.new_threadblock_graph((2, 4, 1), (128, 1, 1), 4, 64)
    tile_q = block.new_input(q, (0, 1, -1))
    tile_k, tile_v = block.new_input(k, (0, -1, -1), 2), block.new_input(v, (0, -1, -1), 1)
    tile_q = block.rms_norm(tile_q) if norm else tile_q
    scores = block.mul_scalar(block.matmul(tile_q, tile_k), 0.125)
    largest, grown = block.reduction_max(scores, dim=2)
    powers, factor = block.exp(block.sub(scores, largest)), block.exp(grown)
    sums = block.forloop_accum_rescale(powers, factor, "sum")
    weighted = block.forloop_accum_rescale(block.matmul(powers, tile_v), factor)
    block.new_output(block.div(weighted, sums), (0, 1, -1))
    graph.mark_output(*graph.customized([q, k, v], block))
    return graph


def grouped_query_attention() -> mi.KernelGraph:
    return online()


def normalized_attention() -> mi.KernelGraph:
    return online(norm=True)


def normalized_transformer() -> mi.KernelGraph:
    """A block for each four rows, with one turn."""
    graph = mi.new_kernel_graph()
    x, h, rate = (graph.new_input(dims=(16, 128), dtype=mi.float16) for _ in range(3))
    block = mi.new_threadblock_graph((4, 1, 1), (128, 1, 1))
    tiles = [block.new_input(one, (0, -1, -1)) for one in (x, h, rate)]
    step = block.mul(tiles[2], block.add(block.rms_norm(tiles[1]), tiles[0]))
    whole = block.forloop_accum(block.add(tiles[0], step))
    block.new_output(block.rms_norm(whole), (0, -1, -1))
    graph.mark_output(*graph.customized([x, h, rate], block))
    return graph


def multi_head_attention() -> mi.KernelGraph:
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


def attention_in_parts() -> mi.KernelGraph:
    """Four blocks share the keys of a query; a second thread block adds up what they leave."""
    graph = mi.new_kernel_graph()
    q = graph.new_input(dims=(2, 64, 32), dtype=mi.float16)
    k = graph.new_input(dims=(2, 32, 256), dtype=mi.float16)
    v = graph.new_input(dims=(2, 256, 32), dtype=mi.float16)
    block = mi.new_threadblock_graph((2, 4, 2), (128, 1, 1), 2, 32)
    tile_q = block.new_input(q, (0, -1, 1))
    tile_k, tile_v = block.new_input(k, (0, 2, -1), 2), block.new_input(v, (0, 1, -1), 1)
    powers = block.exp(block.mul_scalar(block.matmul(tile_q, tile_k), 0.125))
    block.new_output(block.forloop_accum(block.matmul(powers, tile_v)), (0, 2, 1))
    block.new_output(block.forloop_accum(powers, "sum"), (0, 2, 1))
    parts = graph.customized([q, k, v], block)
    assert [part.shape for part in parts] == [(2, 64, 128), (2, 64, 4)]
    other = mi.new_threadblock_graph((2, 16, 1), (128, 1, 1), 1, 32)
    weighted, sums = (other.new_input(part, (0, 1, -1)) for part in parts)
    whole = other.forloop_accum(weighted, "sum_todimx")
    other.new_output(other.div(whole, other.forloop_accum(sums, "sum")), (0, 1, -1))
    graph.mark_output(*graph.customized(parts, other))
    return graph


BY_HAND = (
    rms_norm_matmul, gated_mlp, lora, lora_joined, grouped_query_attention, attention_in_parts,
    normalized_attention, normalized_transformer, multi_head_attention,
)  # fmt: skip


@pytest.mark.parametrize("case", BY_HAND, ids=lambda case: case.__name__)
def test_a_thread_block_is_one_kernel_and_right(case: Any):
    graph = case()
    assert len(graph.plan.parts) == 1
    given = random_inputs(graph)
    assert_right(graph, given, graph(given))


@pytest.mark.parametrize("case", BY_HAND, ids=lambda case: case.__name__)
def test_what_is_written_by_hand_is_among_what_is_searched(case: Any):
    graph = case().graph
    forms = rewritten(graph, 24)
    assert any(len(cut) == 1 and not why for _, form in forms for cut, why in cuts(form, 8))


def test_a_maximum_that_grows_is_a_loop_that_rescales():
    (part,) = grouped_query_attention().plan.parts
    assert part.blocks.online
    assert (part.blocks.rows, part.blocks.depth) == (16, 16)
    (text,) = grouped_query_attention().plan.texts()
    assert sum("for " in line for line in text.lines) == 1


def test_parts_of_sums_are_a_split_loop():
    (part,) = attention_in_parts().plan.parts
    assert (part.blocks.rows, part.blocks.columns) == (32, 32)
    assert (part.blocks.depth, part.blocks.split) == (32, 4)
    assert len(attention_in_parts().plan.texts()) == 2


def test_grid_and_loop_become_blocks():
    (part,) = rms_norm_matmul().plan.parts
    assert (part.blocks.rows, part.blocks.columns, part.blocks.depth) == (16, 32, 32)


@pytest.mark.nightly
@pytest.mark.parametrize("case", BY_HAND, ids=lambda case: case.__name__)
def test_a_thread_block_is_verified_as_any_candidate(case: Any):
    graph = case()
    verdict = verify(graph.graph, graph.plan)
    assert verdict.is_right, verdict
    assert verdict.is_equal


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

    def test_sums_of_powers_of_different_maxima(self):
        block, x, _ = self.start()
        largest, grown = block.reduction_max(x, dim=1)
        powers = block.exp(block.sub(x, largest))
        with pytest.raises(mi.GraphError, match="relative to different maxima"):
            block.forloop_accum(powers, "sum")
        with pytest.raises(mi.GraphError, match="scaled by exp of how a maximum has grown"):
            block.forloop_accum_rescale(powers, grown, "sum")

    def test_what_does_not_scale_as_a_maximum_grows(self):
        block, x, _ = self.start()
        largest, grown = block.reduction_max(x, dim=1)
        factor = block.exp(grown)
        for wrong in (block.exp(x), block.square(block.exp(block.sub(x, largest))), x):
            with pytest.raises(mi.GraphError, match="only exp"):
                block.forloop_accum_rescale(wrong, factor, "sum")

    def test_a_maximum_in_the_loop_is_no_result(self):
        block, x, _ = self.start()
        largest, _ = block.reduction_max(x, dim=1)
        with pytest.raises(mi.GraphError, match="a result is left after the loop"):
            block.new_output(largest, (-1, -1, -1))
        block.new_output(block.forloop_accum_max(largest), (-1, -1, -1))

    def test_growth_goes_nowhere_but_into_exp(self):
        block, x, _ = self.start()
        _, grown = block.reduction_max(x, dim=1)
        with pytest.raises(mi.GraphError, match="how a maximum has grown goes into exp"):
            block.add(x, grown)

    def test_what_is_joined_goes_into_one_product(self):
        block, x, w = self.start()
        with pytest.raises(mi.GraphError, match="no further"):
            block.exp(block.concat(x, x, dim=1))
        with pytest.raises(mi.GraphError, match="joined along columns by what is by rows"):
            block.matmul(block.concat(x, x, dim=0), block.concat(w, w, dim=0))

    def test_products_of_two_parts_of_sums(self):
        block, x, w = self.start()
        part = block.matmul(x, w)
        with pytest.raises(mi.GraphError, match="forloop_accum makes it whole"):
            block.matmul(part, w)

    def test_rows_that_are_divided(self):
        block, x, _ = self.start()
        with pytest.raises(mi.GraphError, match="divides the rows that are normalized"):
            block.rms_norm(x)


class TestWhatNobodyDoesWithPartsOfSums:
    def start(self) -> tuple[mi.KernelGraph, mi.ThreadblockGraph, Any]:
        graph = mi.new_kernel_graph()
        x = graph.new_input(dims=(16, 128), dtype=mi.float16)
        block = mi.new_threadblock_graph((1, 4, 1), (128, 1, 1))
        return graph, block, block.reduction(block.new_input(x, (-1, 1, -1)), 1)

    def test_a_function_of_them(self):
        _, block, part = self.start()
        with pytest.raises(mi.GraphError, match="another thread block adds up"):
            block.exp(part)

    def test_a_sum_with_what_is_whole(self):
        graph, block, part = self.start()
        whole = block.new_input(graph.new_input((16, 1)), (-1, -1, -1))
        with pytest.raises(mi.GraphError, match="meet what is whole"):
            block.add(part, whole)

    def test_a_result_of_the_graph(self):
        graph, block, part = self.start()
        block.new_output(part, (-1, 1, -1))
        with pytest.raises(mi.GraphError, match="parts of a sum are no result"):
            graph.mark_output(*graph.customized(block.inputs, block))

    def test_another_place_than_the_last_dimension(self):
        _, block, part = self.start()
        with pytest.raises(mi.GraphError, match="divides dimension 1 of the result, not 0"):
            block.new_output(part, (-1, 0, -1))

    def test_anything_before_they_are_added_up(self):
        graph, block, part = self.start()
        block.new_output(part, (-1, 1, -1))
        (parts,) = graph.customized(block.inputs, block)
        other = mi.new_threadblock_graph((1, 1, 1), (128, 1, 1))
        tile = other.new_input(parts, (-1, -1, -1))
        with pytest.raises(mi.GraphError, match="are added up by forloop_accum, first"):
            other.exp(tile)
        with pytest.raises(mi.GraphError, match="those of one column by 'sum'"):
            other.forloop_accum(tile, "sum_todimx")


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
