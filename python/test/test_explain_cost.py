"""What a launch computes and moves, who has counted it, and what the machine could do."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import explain_kernels
import explain_launches
import gpu_check.peaks
import pytest
import torch
import triton_shared
from triton_shared.explain import access_maps, cost, drawings, launches, page, peaks, roofline
from triton_shared.run import cuda_means_cpu


def record(kernel: Any, *args: Any, grid: tuple[int, ...] = (1,), **keywords: Any) -> Any:
    """A launch with the text of its kernel."""
    (recorded,) = triton_shared.explain(kernel, *args, grid=grid, **keywords).launches
    return recorded()


def count(launch: Any) -> dict[str, Any]:
    chosen = access_maps.choose_programs(launch.grid)
    return cost.count(launch, access_maps.record(launch, chosen)["programs"])


@pytest.fixture(scope="module")
def products() -> Any:
    """64 rows and columns in two programs, over 96 in turns of 32."""
    a, b = torch.rand(64, 96).half(), torch.rand(96, 64).half()
    return record(
        explain_kernels.matmul_kernel, a, b, torch.empty(64, 64), 64, 64, 96, 96, 64, 64,
        grid=(1, 2), BLOCK_M=64, BLOCK_N=32, BLOCK_K=32,
    )  # fmt: skip


def test_turns_of_a_loop_are_counted_with_the_launch_s_numbers(products: Any):
    found = count(products)
    assert found["flops"] == 2 * 64 * 64 * 96
    assert found["bytes"] == 2 * (64 * 96 + 96 * 32) * 2 + 64 * 64 * 4
    assert found["counted"] == {"flops": "linalg", "bytes": "linalg", "why": None}


def test_sums_of_a_reduction_are_operations():
    x = torch.rand(3, 100)
    launch = record(
        explain_kernels.softmax_kernel, x.clone(), x, 100, 100, grid=(3,), BLOCK=128
    )  # fmt: skip
    found = count(launch)
    # The block, with what the mask leaves out: maximum, difference, exp, sum and quotient.
    assert found["flops"] == 3 * 5 * 128
    assert found["bytes"] == 3 * 2 * 100 * 4


def test_a_scan_is_an_operation_for_each_element():
    x = torch.rand(64)
    found = count(record(explain_launches.running_sums, x, torch.empty(64), BLOCK=64))
    assert (found["flops"], found["counted"]["flops"]) == (64, "linalg")


def test_where_data_decide_the_interpreter_has_counted():
    x, counts = torch.ones(8, 16), torch.arange(1, 9, dtype=torch.int32)
    launch = record(explain_launches.as_often_as_read, x, counts, grid=(8,), BLOCK=16)
    found = count(launch)
    lines = Path(explain_launches.__file__).read_text().splitlines()
    line = next(n for n, text in enumerate(lines, start=1) if "for _turn in" in text)
    assert found["counted"] == {
        "flops": "interpreter", "bytes": "interpreter",
        "why": f"in line {line}, scf.for turns as often as data say",
    }  # fmt: skip
    # Programs 0, 1 and 7 were looked at: 1, 2 and 8 turns.
    assert found["flops"] == pytest.approx(8 * 16 * (1 + 2 + 8) / 3)


def test_loops_and_branches_are_followed_with_the_launch_s_numbers():
    launch = record(explain_launches.halves, torch.ones(16), 20, BLOCK=16)
    found = count(launch)
    assert found["counted"] == {"flops": "linalg", "bytes": "linalg", "why": None}
    # 20, 10, 5, 2, 1: each turn multiplies, and those of even numbers add.
    assert found["flops"] == 16 * (5 + 3)
    assert found["bytes"] == 2 * 16 * 4


@pytest.mark.parametrize("word", ["if", "while"])
def test_a_number_that_is_read_ends_the_count(word: str):
    kernel = {"if": explain_launches.if_it_says, "while": explain_launches.while_it_says}[word]
    numbers = torch.tensor([3], dtype=torch.int32)
    found = count(record(kernel, torch.ones(16), numbers, BLOCK=16))
    assert found["counted"]["flops"] == "interpreter"
    assert f"scf.{word}" in found["counted"]["why"]
    assert found["flops"] == 16 * {"if": 1, "while": 3}[word]


def test_a_mask_that_is_read_leaves_the_operations_to_linalg():
    i = torch.arange(64, dtype=torch.int32)
    launch = record(explain_launches.where_it_says, torch.ones(64), i % 2, BLOCK=64)
    found = count(launch)
    assert (found["counted"]["flops"], found["counted"]["bytes"]) == ("linalg", "interpreter")
    assert "accesses as many elements as data say" in found["counted"]["why"]
    assert (found["flops"], found["bytes"]) == (64, 64 * 4 + 32 * 8)


def test_a_launch_without_a_text_is_counted_by_the_interpreter():
    launch = launches.record(explain_launches.everybody, (torch.zeros(4),), (4,), {})
    found = count(launch)
    assert found["counted"]["why"] == "the launch has no TTIR"
    assert (found["flops"], found["bytes"]) == (0, 16)


MEASURED = {
    "device": "this CPU", "peak_flops": 1e11, "peaks": {"f32": 1e11}, "bytes_per_second": 1e10,
    "flops": 1e6, "bytes": 1e6, "seconds": 1e-4, "intensity": 1.0, "flops_per_second": 1e10,
    "reached": 1.0, "counted": {"flops": "linalg", "bytes": "linalg", "why": ""},
}  # fmt: skip
"""A launch of a million operations and bytes."""


def test_the_page_says_who_has_counted():
    counted = {"flops": "linalg", "bytes": "interpreter", "why": "in line 3, tt.load <reads>"}
    found = {**MEASURED, "counted": counted}
    text = page.fill("roofline.html", r=found, svg=drawings.draw_roofline(found))
    assert "operations in phase linalg, with the launch&#39;s numbers" in text
    assert "bytes by Triton" in text
    assert "in line 3, tt.load &lt;reads&gt;" in text


def test_what_is_faster_than_the_peak_is_no_percentage_and_stays_in_the_drawing():
    found = {**MEASURED, "flops_per_second": 4.2e11, "intensity": 100.0, "reached": 4.2}
    svg = drawings.draw_roofline(found)
    text = page.fill("roofline.html", r=found, svg=svg)
    assert "% of the time" not in text
    assert "4.2 times as fast as what was measured" in text
    assert "100 % of the time" in page.fill("roofline.html", r=MEASURED, svg="")
    launch = float(re.search(r'<circle cx="[^"]*" cy="([^"]*)"', svg)[1])
    roof = float(re.search(r'<polyline points="[^"]*,([^"]*)"', svg)[1])
    assert 6 < launch < roof


def test_what_the_first_time_costs_is_no_part_of_a_peak(monkeypatch: pytest.MonkeyPatch):
    now = [0.0]

    def negate(source: torch.Tensor, out: torch.Tensor) -> None:
        now[0] += 60.0 if now[0] == 0 else 0.125

    monkeypatch.setattr(torch, "neg", negate)
    monkeypatch.setattr(peaks.time, "perf_counter", lambda: now[0])
    assert peaks._copied_bytes(1 << 10, "cpu", peaks._best_again) == 2 * (1 << 10) / 0.125


@pytest.fixture
def a_gpu(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A CPU that says it is one."""
    real = triton_shared.device
    monkeypatch.setattr(triton_shared, "device", lambda name: real("cpu"))
    monkeypatch.setattr(peaks, "_GPU_SIZE", 64)
    monkeypatch.setattr(peaks, "_GPU_COPIED", 1 << 16)
    peaks.of_gpu.cache_clear()
    with cuda_means_cpu():
        yield
    peaks.of_gpu.cache_clear()


def test_the_peak_of_a_gpu_is_measured_on_it_and_once(a_gpu: Any, monkeypatch: pytest.MonkeyPatch):
    timed: list[float] = []

    def best_on_gpu(*works: Any) -> float:
        for work in works:
            work()
        timed.append(0.5)
        return 0.5

    monkeypatch.setattr(peaks, "best_on_gpu", best_on_gpu)
    assert peaks.of_gpu() == peaks.of_gpu()
    assert len(timed) == 3
    found = peaks.of_gpu()
    assert found.device == torch.cuda.get_device_name()
    assert (found.flops, found.product_flops) == (2 * 2 * 64**3, 2 * 2 * 64**3)
    assert found.bytes_per_second == 2 * 2 * (1 << 16)


@pytest.mark.usefixtures("a_gpu")
def test_the_launch_of_a_gpu_s_code_is_measured_there(products: Any):
    maps = access_maps.record(products, [(0, 0, 0)])["programs"]
    found = roofline.measure(products, maps, "cuda:90")
    assert found["device"] == torch.cuda.get_device_name()
    assert set(found["peaks"]) == {"f32", "f16"}
    assert found["peak_flops"] == found["peaks"]["f16"]
    assert found["seconds"] > 0
    roofs = re.findall("<polyline", drawings.draw_roofline(found))
    assert len(roofs) == 2


@pytest.mark.nightly
@pytest.mark.usefixtures("a_gpu")
def test_the_check_on_a_gpu_leaves_its_peaks_and_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(gpu_check.peaks, "_ADDED", 4096)
    monkeypatch.setattr(gpu_check.peaks, "_MULTIPLIED", 128)
    assert gpu_check.peaks.main(tmp_path) == 0
    found = json.loads((tmp_path / "peaks.json").read_text())
    assert found["target"] == "cuda:90"
    assert found["add"]["bytes"] == 3 * 4 * 4096
    assert found["matmul"]["flops"] == 2 * 128**3
    assert found["matmul"]["peak_flops"] == found["peaks"]["product_flops"]
    page = (tmp_path / "peaks.html").read_text()
    assert f"µs on {found['peaks']['device']}" in page
    assert "of f16 in tensor cores" in page


def test_without_products_no_tensor_core_counts(monkeypatch: pytest.MonkeyPatch):
    x = torch.rand(256)
    launch = record(explain_kernels.add_kernel, x, x, x.clone(), 256, BLOCK_SIZE=256)
    monkeypatch.setattr(peaks, "of_cpu", lambda: peaks.Peaks("this CPU", 1e9, 4e9, 1e9))
    maps = access_maps.record(launch, [(0, 0, 0)])["programs"]
    found = roofline.measure(launch, maps)
    assert (found["device"], found["peak_flops"], found["peaks"]) == ("this CPU", 1e9, {"f32": 1e9})
