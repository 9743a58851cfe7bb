"""`diff --exact`: with integers for floats, rounding and order do not matter, and all else does."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import corpus_runs
import numpy as np
import ordered
import pytest
import torch
import triton
import triton.language as tl
import triton_shared
from examples import all_cases
from triton_shared.diff import exact, recorder, replay, report, ring, texts, workers
from triton_shared.diff.__main__ import main
from triton_shared.diff.comparison import LaunchReport
from triton_shared.diff.exact import Exactly
from triton_shared.diff.recording import Recording, RecordingError, Storages, encode_argument
from triton_shared.errors import CompilationError


@pytest.fixture(scope="module", autouse=True)
def _one_process() -> Iterator[None]:
    with workers.session():
        yield


class TestRing:
    def test_whole_numbers_are_themselves(self):
        values = torch.tensor([0.0, -0.0, 1.0, -3.0, 2.0**53, -(2.0**53)]).double()
        assert ring.embed(values).tolist() == [0, 0, 1, -3, 2**53, -(2**53)]

    def test_other_floats_are_odd_and_apart(self):
        g = torch.Generator().manual_seed(1)
        values = torch.cat([torch.rand(10000, generator=g), torch.tensor([0.5, torch.inf])])
        numbers = ring.embed(values.double())
        assert bool((numbers % 2 != 0).all())
        assert len(numbers.unique()) == len(values.unique())
        assert torch.equal(ring.embed(-values.double()), -numbers)

    def test_what_is_no_number_has_one(self):
        odd = np.array([0x7FF8000000000000, 0xFFF0000000000001, 0x7FF0000000000001], np.uint64)
        values = torch.from_numpy(odd.view(np.float64))
        assert len(ring.embed(values).unique()) == 1

    def test_the_compiler_embeds_constants_in_the_same_way(self):
        values = [0.5, -0.1, 3.0, -7.0, 1e30, float("-inf"), 2.0**-140, 0.1, float("nan")]
        hexes = [f"0x{np.float32(v).view(np.uint32):08X}" for v in values]
        text = (
            "tt.func public @k(%p: tensor<9x!tt.ptr<f32>>) {\n"
            f"  %0 = arith.constant dense<[{', '.join(hexes)}]> : tensor<9xf32>\n"
            "  tt.store %p, %0 : tensor<9x!tt.ptr<f32>>\n  tt.return\n}"
        )
        made = texts.apply_passes(text, "triton-exact-floats")
        found = re.search(r"dense<\[([^\]]*)\]> : tensor<9xi64>", made)
        assert found
        wanted = ring.embed(torch.tensor(values, dtype=torch.float32).double())
        assert [int(n) for n in found[1].split(",")] == wanted.tolist()


@triton.jit
def sums_at_once(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.load(x + tl.program_id(0) * n + at, mask=at < n, other=0.0)
    tl.store(out + tl.program_id(0), tl.sum(row * 0.3, axis=0))


@triton.jit
def sums_in_a_loop(x, out, n, BLOCK: tl.constexpr):
    total = tl.zeros((16,), tl.float16)
    for start in range(0, BLOCK, 16):
        at = BLOCK - 16 - start + tl.arange(0, 16)
        row = tl.load(x + tl.program_id(0) * n + at, mask=at < n, other=0.0)
        total = (total + row.to(tl.float16) * 0.3).to(tl.float16)
    tl.store(out + tl.program_id(0), tl.sum(total, axis=0))


@triton.jit
def sums_beyond(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.load(x + tl.program_id(0) * n + at, mask=at <= n, other=0.0)
    tl.store(out + tl.program_id(0), tl.sum(row * 0.3, axis=0))


@triton.jit
def sums_without_tail(x, out, n, BLOCK: tl.constexpr):
    total = tl.zeros((16,), tl.float32)
    for start in range(0, n // 16):
        at = start * 16 + tl.arange(0, 16)
        total += tl.load(x + tl.program_id(0) * n + at) * 0.3
    tl.store(out + tl.program_id(0), tl.sum(total, axis=0))


@triton.jit
def dot_at_once(a, b, c, K: tl.constexpr, S: tl.constexpr):
    i, j, k = tl.arange(0, S), tl.arange(0, S), tl.arange(0, K)
    left = tl.load(a + i[:, None] * K + k[None, :])
    right = tl.load(b + k[:, None] * S + j[None, :])
    tl.store(c + i[:, None] * S + j[None, :], tl.dot(left, right))


@triton.jit
def dot_as_a_sum(a, b, c, K: tl.constexpr, S: tl.constexpr):
    i, j = tl.arange(0, S), tl.arange(0, S)
    total = tl.zeros((S, S), tl.float32)
    for k in range(K):
        left = tl.load(a + i * K + k).to(tl.float32)
        right = tl.load(b + k * S + j).to(tl.float32)
        total += left[:, None] * right[None, :]
    tl.store(c + i[:, None] * S + j[None, :], total)


@triton.jit
def add_up(x, out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out, tl.sum(tl.load(x + at).to(tl.float32), axis=0))


@triton.jit
def softmax(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.load(x + tl.program_id(0) * n + at, mask=at < n, other=-float("inf"))
    power = tl.exp(row.to(tl.float32) - tl.max(row, axis=0))
    quotient = power / tl.sum(power, axis=0)
    tl.store(out + tl.program_id(0) * n + at, quotient, mask=at < n)


@triton.jit
def quantised(x, out, scale, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n, other=0.0)
    largest = tl.max(tl.abs(v), axis=0)
    picked = tl.where(v > 0, v / largest * scale, 0.0)
    tl.store(out + at, picked.to(tl.int8), mask=at < n)


@triton.jit
def running(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.cumsum(tl.load(x + at), axis=0))


@triton.jit
def takes_bits(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at).to(tl.int32, bitcast=True))  # bits


def record(kernel: Any, grid: tuple[int, ...], *given: Any) -> Recording:
    caught: list[Any] = []
    with triton_shared.device("cpu"), recorder.catching(caught, ""):
        kernel[grid](*given)
    recording: Recording = caught[0][0]
    recording.file = ""
    return recording


def run(launch: Recording, target: str = "cpu") -> tuple[exact.Transformed, dict[str, Any]]:
    """The tensors that the launch leaves in the ring."""
    changed = exact.transform(launch)
    made = replay.replay(changed.launch, target)
    return changed, {name: view.of(made.buffers) for name, view in changed.views()}


def rows(n: int = 100, dtype: torch.dtype = torch.float16) -> torch.Tensor:
    return torch.randn(4, n, generator=torch.Generator().manual_seed(1)).to(dtype)


class TestAlgorithms:
    def sums(self, kernel: Any) -> torch.Tensor:
        _, found = run(record(kernel, (3,), rows(), torch.zeros(3), 100, 128))
        return found["out"]

    def test_a_sum_in_another_order_and_in_narrower_types_is_equal(self):
        assert torch.equal(self.sums(sums_at_once), self.sums(sums_in_a_loop))

    def test_a_wrong_mask_and_a_tail_that_is_left_out_are_different(self):
        right = self.sums(sums_at_once)
        for wrong in (sums_beyond, sums_without_tail):
            assert bool((self.sums(wrong) != right).all())

    @pytest.mark.parametrize("K", [16, 32, 64])
    def test_a_product_of_matrices_is_a_sum_of_products(self, K: int):
        g = torch.Generator().manual_seed(1)
        a, b = (torch.randn(*s, generator=g).half() for s in ((16, K), (K, 16)))
        found = [
            run(record(kernel, (1,), a, b, torch.zeros(16, 16), K, 16))[1]["c"]
            for kernel in (dot_at_once, dot_as_a_sum)
        ]
        assert torch.equal(*found)
        numbers = ring.embed(a.double()).numpy(), ring.embed(b.double()).numpy()
        assert np.array_equal(found[0].numpy(), numbers[0] @ numbers[1])


LAUNCHES = {
    "sums": lambda: record(sums_at_once, (3,), rows(), torch.zeros(3), 100, 128),
    "dot": lambda: record(
        dot_at_once, (1,), rows(256).view(16, 64), rows(256).view(64, 16), rows(64), 64, 16
    ),
    "atomics": lambda: record(add_up, (4,), rows(64), torch.zeros(1), 64),
    "softmax": lambda: record(softmax, (3,), rows(), torch.zeros(4, 100), 100, 128),
    "quantised": lambda: record(
        quantised, (1,), rows(), torch.zeros(100, dtype=torch.int8), 127.0, 100, 128
    ),
    "scan": lambda: record(running, (1,), rows(), torch.zeros(128), 128),
}


class TestTargets:
    @pytest.mark.parametrize("name", LAUNCHES)
    def test_all_leave_the_same_bits(self, name: str):
        launch = LAUNCHES[name]()
        _, wanted = run(launch, "cpu")
        assert any(bool((found != 0).any()) for found in wanted.values())
        for target in ("cpu-fast", "emulated"):
            _, found = run(launch, target)
            assert wanted.keys() == found.keys()
            for argument in wanted:
                assert torch.equal(wanted[argument], found[argument]), (target, argument)

    def test_comparisons_take_a_second_track(self):
        assert [exact.transform(LAUNCHES[n]()).tracks for n in LAUNCHES] == [1, 1, 1, 2, 2, 1]


class TestReasons:
    def test_what_takes_bits_is_named_with_its_line(self):
        launch = record(takes_bits, (1,), rows(dtype=torch.float32), torch.zeros(64), 64)
        with pytest.raises(CompilationError) as caught:
            exact.transform(launch)
        lines = Path(__file__).read_text().splitlines()
        (number,) = [n for n, line in enumerate(lines, 1) if line.endswith("  # bits")]
        assert f"test_diff_exact.py:{number}:" in str(caught.value)
        assert "takes bits for a float, or those of a float for something else" in str(caught.value)

    def test_memory_of_two_types(self):
        launch = LAUNCHES["sums"]()
        launch.arguments["out"] = launch.arguments["x"].__class__(0, "int32", (3,), (1,), 0)
        with pytest.raises(RecordingError, match="read as two types: it has no integers for"):
            exact.transform(launch)

    def test_a_launch_without_a_text(self):
        launch = LAUNCHES["sums"]()
        launch.ttir = ""
        with pytest.raises(RecordingError, match="has no TTIR: record the launch again"):
            exact.transform(launch)


ORDERED = (
    ordered.KERNEL
    + """
@triton.jit
def sums(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out, tl.sum(tl.load(x + i, mask=i < n, other=0.0)))

@triton.jit
def bits(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(out + i, (v.to(tl.int32, bitcast=True) + 1).to(tl.float32, bitcast=True), mask=i < n)

def run_differences():
    x = torch.rand(90, generator=torch.Generator().manual_seed(1))
    differences[(2,)](x, torch.zeros(90), 90, BLOCK=64)

def run_sums():
    sums[(1,)](torch.rand(90), torch.zeros(1), 90, BLOCK=128)

def run_bits():
    bits[(1,)](torch.rand(90), torch.zeros(90), 90, BLOCK=128)

def cases():
    return [run_differences, run_sums, run_bits]
"""
)


class TestCommand:
    def run(self, folder: Path, *words: str) -> tuple[int, list[dict[str, Any]]]:
        file, told = folder / "ordered.py", folder / "report.json"
        file.write_text(ORDERED)
        status = main([str(file), "--exact", "--json", str(told), *words])
        return status, json.loads(told.read_text())["launches"]

    @pytest.mark.nightly
    def test_an_algorithm_is_located(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
        status, (told,) = self.run(
            tmp_path, "--case", "differences", "--targets", "cpu,emulated", "--locate"
        )
        assert status == 1
        assert told["exact"]["verdict"] == "different"
        site = told["exact"]["culprit"]["culprit"]["site"]
        assert (site["op"], site["line"]) == ("tt.reduce", 12)
        said = capsys.readouterr().out
        assert "exact: different at out[0], written by program (0, 0, 0): 90 of 90" in said
        assert "total = tl.reduce(v, 0, minus)" in said

    @pytest.mark.nightly
    def test_what_is_equal_and_what_has_no_form(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ):
        status, (_, sums, bits) = self.run(tmp_path, "--targets", "cpu,cpu-fast")
        assert status == 0
        assert (sums["exact"]["verdict"], bits["exact"]["verdict"]) == ("equal", "not done")
        said = capsys.readouterr().out
        assert "exact: not done: " in said
        assert "ordered.py:24:" in said

    @pytest.mark.nightly
    def test_other_targets_have_no_text_to_run(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ):
        _, (told,) = self.run(tmp_path, "--case", "sums", "--targets", "cpu,interpreter")
        assert told["exact"]["verdict"] == "not done"
        assert "cpu, cpu-fast, emulated alone run a kernel from its TTIR" in told["exact"]["said"]

    def test_configurations_are_refused(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
        with pytest.raises(SystemExit):
            main(["x.py", "--exact", "--configs"])
        assert "--exact compares targets, not configurations" in capsys.readouterr().err

    def test_what_differs_where_nothing_does_exactly_is_rounding(self):
        one = LaunchReport("k", "k", (1,), "different", exact=Exactly("equal"))
        assert "exact: equal: what differs is rounding" in report.as_text([one], ("cpu", "cpu"))


BITS = "takes bits for a float"
REFUSED = {
    "atomics_f32": BITS,
    "casts": BITS,
    "desc_device": "combines floats in memory",
    "dot_scaled_e2m1": "multiplies floats of one format",
    "dot_scaled_e2m1_bf16": "multiplies floats of one format",
    "dot_scaled_e4m3_e5m2": BITS,
    "libdevice": "makes integers by a function of a library",
    "ptr_int_bitcast": BITS,
    "reduce_custom_welford": "not in the ring",
    "ptr_table_i64": "takes the address of a float for a number",
    "sort_flip_topk": BITS,
}
"""Kernels of the corpus that have no exact form, and why."""


CORPUS = {case["name"]: case for case in corpus_runs.load_corpus().CASES}
RUNS = CORPUS.keys() & corpus_runs.RUNS.keys() - REFUSED.keys()


def of_corpus(name: str) -> Recording:
    """A kernel of the corpus as a recording."""
    case = CORPUS[name]
    given, _ = corpus_runs.arguments(case, corpus_runs.RUNS[name])
    signature = {n: "constexpr" if n in case["const"] else case["sig"][n] for n in given}
    source = triton.compiler.ASTSource(case["fn"], signature, constexprs=case["const"])
    with triton_shared.device("cpu"):
        compiled = triton.compile(source, options=case["opts"])
    storages = Storages()
    arguments = {n: encode_argument(n, value, storages) for n, value in given.items()}
    return Recording(
        "", name, corpus_runs.RUNS[name].grid, arguments,
        ttir=compiled.asm["ttir"], types=signature,
        storages=storages.copies, addresses=storages.addresses,
    )  # fmt: skip


def agree(launch: Recording, targets: tuple[str, ...]) -> None:
    _, wanted = run(launch, "cpu")
    for target in targets:
        _, found = run(launch, target)
        for argument in wanted:
            assert torch.equal(wanted[argument], found[argument]), (target, argument)


class TestCorpus:
    def test_every_text_has_an_exact_form_or_a_reason(self):
        found = sorted((corpus_runs.CORPUS.parent / "ttir").glob("*.mlir"))
        assert len(found) > 150
        for file in found:
            name = file.stem.rpartition("-")[0]
            passes = (*texts.ONE_FUNCTION, "triton-exact-floats")
            if name not in REFUSED:
                assert "tt.exact_tracks" in texts.apply_passes(file.read_text(), *passes), name
                continue
            with pytest.raises(CompilationError, match=REFUSED[name]):
                texts.apply_passes(file.read_text(), *passes)

    @pytest.mark.parametrize(
        "name", ["vec_add_const_ptr", "float_math_f64", "float_cmp_scalar", "tuple_args"]
    )
    def test_on_two_targets(self, name: str):
        agree(of_corpus(name), ("cpu-fast",))

    @pytest.mark.nightly
    @pytest.mark.parametrize(
        "name", sorted(CORPUS.keys() & corpus_runs.RUNS.keys() - REFUSED.keys())
    )
    def test_on_all_targets(self, name: str):
        agree(of_corpus(name), ("cpu-fast", "emulated"))


EXAMPLES = list(all_cases())


class TestExamples:
    @pytest.mark.nightly
    @pytest.mark.parametrize("case", EXAMPLES, ids=str)
    def test_every_example_is_equal(self, case: Any):
        for launch in recorder.record(case):
            launch.file = ""
            agree(launch, ("cpu-fast", "emulated"))
