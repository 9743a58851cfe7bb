"""`triton_shared.graph`: the script of the source document, and its checklist 000-1 to 000-13."""

from __future__ import annotations

import functools
import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
import triton_shared.graph as mi
from graph_cases import assert_right, one_kernel, random_inputs
from triton_shared.graph import kernel_graph, search
from triton_shared.graph.tiles import Blocks
from triton_shared.graph.verify import verify
from triton_shared.run import cuda_means_cpu

SCRIPT = """\
import triton_shared.graph as mi
import torch

# Create a kernel graph
graph = mi.new_kernel_graph()

# Define inputs and operations
X = graph.new_input(dims=(16, 4096), dtype=mi.float16)
W = graph.new_input(dims=(4096, 6144), dtype=mi.float16)
D = graph.rms_norm(X, normalized_shape=(4096,))
O = graph.matmul(D, W)
graph.mark_output(O)

# Optimize and generate Triton code
optimized_graph = graph.superoptimize(config="mlp", backend="triton")

# Generate and save the code
with open("triton_generated.py", "w") as f:
    f.write(mi.generate_triton_program(
        optimized_graph.cygraph, target_cc=10)["code"])
"""


@pytest.fixture(autouse=True)
def _own_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_SHARED_GRAPH_CACHE", str(tmp_path / "graphs"))
    monkeypatch.chdir(tmp_path)


def rms_matmul(rows: int, columns: int, width: int, dtype: Any = mi.float16) -> mi.KernelGraph:
    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(rows, columns), dtype=dtype)
    w = graph.new_input(dims=(columns, width), dtype=dtype)
    graph.mark_output(graph.matmul(graph.rms_norm(x, normalized_shape=(columns,)), w))
    return graph


def planned(graph: mi.KernelGraph, blocks: Blocks) -> mi.KernelGraph:
    """The graph with one kernel for its output."""
    return mi.KernelGraph(graph.graph, one_kernel(graph, blocks))


def test_1_to_3_the_script_runs_with_the_import_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    # The search is as long as a test may be; the nightly test leaves it alone.
    short = functools.partial(search.superoptimize, budget=0.0, candidates=1, profile_iters=10)
    monkeypatch.setattr(search, "superoptimize", short)
    names: dict[str, Any] = {}
    exec(compile(SCRIPT, "document", "exec"), names)
    best = names["optimized_graph"]
    given = random_inputs(best)
    (found,) = best(inputs=given)
    assert found.shape == (16, 6144)
    assert_right(best, given, [found])
    done = subprocess.run(
        [sys.executable, "triton_generated.py"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"output 0: largest error \S+, 0\.\d\d of what is allowed\n", done.stdout)


def test_2_a_script_for_a_gpu_is_searched_on_the_cpu_where_that_stands_in_for_one():
    with cuda_means_cpu():
        assert torch.cuda.is_available()
        graph = rms_matmul(16, 64, 48)
        best = graph.superoptimize(budget=0.0, candidates=1, profile_iters=2)
        given = [torch.randn(n.shape, dtype=n.dtype, device="cuda") for n in graph.graph.inputs]
        found = best(inputs=given)
    assert best.report().device == "cpu"
    assert_right(best, given, found)


def test_2_arguments_that_limit_the_search_of_mirage_make_no_difference(
    monkeypatch: pytest.MonkeyPatch,
):
    seen: list[Any] = []
    monkeypatch.setattr(search, "superoptimize", lambda graph, **options: seen.append(options))
    limits = {"imaps": [(0, -1, -1)], "griddims": [(64, 1, 1)], "franges": [4], "verbose": True}
    rms_matmul(16, 64, 48).superoptimize(
        config="mlp", warmup_iters=2, previous_checkpoint="rmsnorm.json", **limits
    )
    assert seen == [{"warmup_iters": 2}]


@pytest.mark.nightly
def test_1_the_script_runs_untouched_by_the_tests(tmp_path: Path):
    (tmp_path / "document.py").write_text(SCRIPT)
    subprocess.run([sys.executable, "document.py"], cwd=tmp_path, check=True)
    done = subprocess.run([sys.executable, "triton_generated.py"], cwd=tmp_path, check=False)
    assert done.returncode == 0


@pytest.mark.parametrize("target_cc", [10, 80, 90])
def test_3_a_generated_program_says_what_it_gives_and_takes(target_cc: int):
    graph = planned(rms_matmul(16, 64, 48), Blocks(16, 32, 32))
    made = mi.generate_triton_program(graph.cygraph, target_cc=target_cc)
    assert isinstance(made["code"], str)
    assert made["output_shapes"] == [(16, 48)]
    assert made["is_valid"]
    assert made["shared_memory"] > 0


def test_3_a_capability_that_there_is_not_is_refused():
    with pytest.raises(mi.GraphError, match="ten times a compute capability: 80, "):
        mi.generate_triton_program(rms_matmul(16, 64, 48), target_cc=55)


@pytest.mark.parametrize("size", [1, 3, 5, 17, 100, 4095, 4096])
def test_4_blocks_are_powers_of_two_and_masked_where_they_hang_over(size: int):
    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(8, size), dtype=mi.float32)
    graph.mark_output(graph.softmax(x) if size > 1 else graph.exp(x))
    best = planned(graph, Blocks(rows=4, columns=0, depth=0))
    (text,) = best.plan.texts()
    for axis in text.axes:
        assert axis.extent & (axis.extent - 1) == 0
    masked = any("mask=" in line for line in text.lines)
    assert masked == (size != 1 and size != 4096)
    given = random_inputs(best)
    assert_right(best, given, best(given))


def test_4_a_grid_that_hangs_over_is_masked():
    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(6, 64), dtype=mi.float32)
    graph.mark_output(graph.relu(x))
    best = planned(graph, Blocks(rows=4, columns=64))
    (text,) = best.plan.texts()
    assert [axis.name for axis in text.axes if axis.is_ragged] == ["row"]
    assert "mask=in_row[:, None]" in text.lines[-1]


@pytest.mark.parametrize("size", [1, 2, 7, 15])
def test_5_operands_of_products_have_at_least_16_of_everything(size: int):
    graph = mi.new_kernel_graph()
    a = graph.new_input(dims=(size, size), dtype=mi.float16)
    b = graph.new_input(dims=(size, size), dtype=mi.float16)
    graph.mark_output(graph.matmul(a, b))
    best = planned(graph, Blocks(rows=16, columns=16, depth=0))
    (text,) = best.plan.texts()
    assert all(axis.extent >= 16 for axis in text.axes)
    given = random_inputs(best)
    assert_right(best, given, best(given))
    small = planned(graph, Blocks(rows=8, columns=16, depth=0))
    if size > 1:
        assert small.get_error_message() == "a product of blocks smaller than 16"


def test_6_padding_and_what_lies_outside_make_no_difference():
    graph = rms_matmul(5, 100, 33)
    verdict = verify(graph.graph, planned(graph, Blocks(16, 32, 32)).plan)
    assert verdict.is_right, verdict


def test_7_what_takes_too_much_shared_memory_is_generated_and_never_chosen():
    graph = rms_matmul(64, 4096, 256)
    blocks = Blocks(64, 256, 256, num_warps=8, num_stages=4)
    verdict = search.judge(graph.graph, planned(graph, blocks).plan, 90)
    assert verdict.gate == "SHARED"
    assert re.fullmatch(
        r"its shared memory usage exceeds the limit: \d+ of 232448 bytes", verdict.message
    )
    assert "kernel_0" in planned(graph, blocks).program.text()


def test_8_and_10_profiling_counts_times_and_writes_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    graph = rms_matmul(16, 64, 48)
    some = [planned(graph, Blocks(16, width, 32)) for width in (16, 32)]
    counts = [0, 0]
    for place, one in enumerate(some):
        one.valid_kernels()
        module = one.program.module(one.graph.sizes)
        plain = module.execute_mugraph

        def counted(*given: Any, place: int = place, plain: Any = plain) -> Any:
            counts[place] += 1
            return plain(*given)

        monkeypatch.setattr(module, "execute_mugraph", counted)
    best = mi.profile_and_select_best_graph(
        some, target_cc=90, warmup_iters=2, profile_iters=25, debug_mode=True, save_codes=True
    )
    assert counts == [27, 27]
    assert best in some
    printed = capsys.readouterr().out
    assert re.search(r"^muGraph 0: \d+\.\d{4} ms\nmuGraph 1: .*\nmuGraph [01] is the", printed)
    for name in ("generated_debug_code_0.py", "generated_codes/generated_code_1.py"):
        assert "def execute_mugraph(" in (tmp_path / name).read_text()


def test_8_the_documents_iterations_are_the_defaults():
    defaults = search.Options()
    assert (defaults.warmup_iters, defaults.profile_iters) == (16, 1000)
    names = mi.profile_and_select_best_graph.__code__.co_varnames[:5]
    assert names == ("graphs", "target_cc", "warmup_iters", "profile_iters", "debug_mode")
    assert mi.profile_and_select_best_graph.__defaults__ == (None, 16, 1000, False, False)


def test_7_and_9_what_does_not_run_is_skipped_with_the_reason(
    capsys: pytest.CaptureFixture[str],
):
    graph = rms_matmul(16, 64, 48)
    wrong, right = planned(graph, Blocks(8, 16, 32)), planned(graph, Blocks(16, 16, 32))
    assert not wrong.valid_kernels()
    best = mi.profile_and_select_best_graph([wrong, right], warmup_iters=1, profile_iters=2)
    assert best is right
    assert capsys.readouterr().out == (
        "muGraph 0: skipping since a product of blocks smaller than 16\n"
    )


def test_9_if_nothing_runs_the_error_says_why():
    wrong = planned(rms_matmul(16, 64, 48), Blocks(8, 16, 32))
    with pytest.raises(mi.SearchError) as caught:
        mi.profile_and_select_best_graph([wrong])
    assert str(caught.value) == (
        "none of 1 graphs runs\nmuGraph 0: a product of blocks smaller than 16"
    )


UNARY = ["exp", "silu", "gelu", "relu", "square", "sqrt", "rsqrt", "log", "neg", "abs", "tanh",
         "sigmoid"]  # fmt: skip


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("dtype", [mi.float16, mi.bfloat16, mi.float32])
def test_12_functions(name: str, dtype: Any):
    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(3, 50), dtype=dtype)
    graph.mark_output(getattr(graph, name)(x))
    given = [random_inputs(graph)[0].abs() + 0.25]
    assert_right(graph, given, graph(given))


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "maximum", "minimum", "pow"])
@pytest.mark.parametrize("shapes", [((3, 50), (3, 50)), ((3, 50), (50,)), ((3, 1), (3, 50))])
def test_12_functions_of_two(name: str, shapes: tuple[tuple[int, ...], ...]):
    graph = mi.new_kernel_graph()
    a, b = (graph.new_input(dims=shape, dtype=mi.float32) for shape in shapes)
    graph.mark_output(getattr(graph, name)(a, b))
    given = [tensor.abs() + 0.25 for tensor in random_inputs(graph)]
    assert_right(graph, given, graph(given))


@pytest.mark.parametrize("name", ["sum", "reduction", "mean", "max", "min"])
@pytest.mark.parametrize("dim", [0, 1, 2])
def test_12_reductions(name: str, dim: int):
    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(3, 20, 50), dtype=mi.float16)
    graph.mark_output(getattr(graph, name)(x, dim))
    given = random_inputs(graph)
    assert_right(graph, given, graph(given))


def test_12_numbers_and_norms():
    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(3, 48), dtype=mi.float16)
    graph.mark_output(graph.clamp(graph.mul(graph.add(x, 0.5), -2.0), -1.0, 1.5))
    graph.mark_output(graph.layer_norm(x, (48,)))
    graph.mark_output(graph.softmax(x, 0))
    graph.mark_output(graph.pow(graph.div(graph.abs(graph.sub(x, 3.0)), 4.0), 1.5))
    graph.mark_output(graph.transpose(graph.pow(x, 2)))
    given = random_inputs(graph)
    assert_right(graph, given, graph(given))


def test_13_the_example_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    from examples import graph_rms_norm

    monkeypatch.setattr(
        sys, "argv", ["graph_rms_norm", "--shape", "16", "64", "48", "--budget", "0"]
    )
    graph_rms_norm.main()
    printed = capsys.readouterr().out
    difference = re.search(r"largest difference to torch: (\S+)$", printed)
    assert difference
    assert float(difference[1]) < 0.1
    assert Path("triton_generated.py").exists()


class TestStrides:
    def test_inputs_are_f16_by_rows_if_nothing_is_said(self):
        graph = mi.new_kernel_graph()
        x = graph.new_input((3, 4))
        assert x.dtype == mi.float16
        assert graph.strides == [(4, 1)]

    def test_inputs_by_columns_are_what_a_search_times(self, monkeypatch: pytest.MonkeyPatch):
        seen: list[Any] = []
        plain = search.Search._time_shortly

        def time(self: Any, one: Any, targets: Any = ()) -> None:
            seen.extend(tensor.stride() for tensor in self.inputs)
            plain(self, one, targets)

        monkeypatch.setattr(search.Search, "_time_shortly", time)
        graph = mi.new_kernel_graph()
        x = graph.new_input((16, 64), strides=(1, 16))
        graph.mark_output(graph.relu(x), strides=(64, 1))
        best = graph.superoptimize(budget=0.0, candidates=1, profile_iters=2)
        assert seen == [(1, 16)]
        given = [torch.randn(64, 16).half().t()]
        assert_right(best, given, best(given))

    def test_strides_that_are_neither_are_refused(self):
        graph = mi.new_kernel_graph()
        with pytest.raises(mi.GraphError, match=r"are \(4, 1\) or, column by column, \(1, 3\)"):
            graph.new_input((3, 4), strides=(8, 1))
        with pytest.raises(mi.GraphError, match="mark its transpose"):
            graph.mark_output(graph.exp(graph.new_input((3, 4))), strides=(1, 3))


class TestWrongGraphs:
    def test_shapes_that_do_not_fit(self):
        graph = mi.new_kernel_graph()
        a = graph.new_input(dims=(3, 4), dtype=mi.float16)
        with pytest.raises(mi.GraphError, match=r"matmul of shapes \(3, 4\) and \(3, 4\)"):
            graph.matmul(a, a)
        with pytest.raises(mi.GraphError, match="add of shapes"):
            graph.add(a, graph.new_input(dims=(5, 4), dtype=mi.float16))
        with pytest.raises(mi.GraphError, match="over the last dimension, of 4"):
            graph.rms_norm(a, normalized_shape=(3,))

    def test_types_that_are_not_known(self):
        with pytest.raises(mi.GraphError, match="float16, bfloat16, float32, not"):
            mi.new_kernel_graph().new_input(dims=(3,), dtype=torch.int32)

    def test_an_unknown_operation(self):
        with pytest.raises(AttributeError, match="a graph has no 'frobnicate'"):
            mi.new_kernel_graph().frobnicate()

    def test_no_output(self):
        with pytest.raises(mi.GraphError, match="the graph has no output"):
            mi.new_kernel_graph().superoptimize()

    def test_another_backend(self):
        with pytest.raises(mi.GraphError, match="backend is one of triton, not 'cuda'"):
            rms_matmul(16, 64, 48).superoptimize(backend="cuda")

    def test_an_option_that_a_search_does_not_have(self):
        with pytest.raises(mi.GraphError, match="a search has no 'seconds'; it has target_cc, "):
            rms_matmul(16, 64, 48).superoptimize(seconds=1)

    def test_tensors_that_do_not_fit_when_it_is_called(self):
        graph = rms_matmul(16, 64, 48)
        with pytest.raises(mi.GraphError, match=r"input 1 has the shape \(d1, d2\)"):
            graph(inputs=[torch.zeros(16, 64).half(), torch.zeros(63, 48).half()])
        with pytest.raises(mi.GraphError, match=r"input 0 is torch.float16"):
            graph(inputs=[torch.zeros(16, 64), torch.zeros(64, 48).half()])


def test_other_sizes_than_declared_are_right():
    graph = planned(rms_matmul(16, 64, 48), Blocks(16, 16, 32))
    for rows, columns, width in ((2, 64, 48), (33, 71, 1), (1, 1, 1)):
        given = [torch.randn(rows, columns).half(), torch.randn(columns, width).half()]
        assert_right(graph, given, graph(given))


def test_a_graph_that_was_not_searched_runs_one_kernel_for_each_operation():
    graph = rms_matmul(16, 64, 48)
    assert len(graph.plan.parts) == len(kernel_graph.one_by_one(graph.graph).parts) == 5
    given = random_inputs(graph)
    assert_right(graph, given, graph(given))
    assert math.isfinite(graph(given)[0].sum().item())
