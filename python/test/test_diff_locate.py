"""`diff --locate`: the operation that is wrong is named, with its line and its element."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ordered
import pytest
import torch
import triton
import triton.language as tl
from seeded.faults import FAULTS, PLUGIN, find, line_of, make_launch, record
from triton_shared.diff import culprit, probes, run, texts, workers
from triton_shared.diff.__main__ import main
from triton_shared.diff.recording import Recording, RecordingError
from triton_shared.diff.widening import Widening, Widenings


@pytest.fixture(scope="module", autouse=True)
def _one_process() -> Iterator[None]:
    """What replays launches is started once."""
    with workers.session():
        yield


@pytest.fixture(scope="module")
def launch() -> Recording:
    return make_launch()


SOME = (0, 4, 5, 10, 11)
"""Those that `make test` looks for; on a GPU, in the emulator, the last one."""


def some(numbers: tuple[int, ...]) -> list[Any]:
    """All faults; those whose numbers are not named only at night."""
    return [
        pytest.param(
            fault,
            marks=[] if number in numbers else [pytest.mark.nightly],
            id=f"{fault[0]}-{fault[1]}-{fault[3]}",
        )
        for number, fault in enumerate(FAULTS)
    ]


class TestFaults:
    @pytest.mark.every(2)
    @pytest.mark.parametrize("fault", some(SOME))
    def test_the_operation_is_named_with_its_line(
        self, launch: Recording, fault: Any, tmp_path: Path
    ):
        found = find(launch, fault, "cpu-fast", tmp_path)
        assert found is not None
        assert (found.site.op, found.site.line) == (fault[1], line_of(fault[3]))
        assert Path(found.site.file).name == "faults.py"
        assert found.program == (1, 0, 0)

    @pytest.mark.parametrize("fault", some(SOME[-1:]))
    def test_in_code_for_a_gpu(self, launch: Recording, fault: Any, tmp_path: Path):
        found = find(launch, fault, "emulated", tmp_path)
        assert (found.site.op, found.site.line) == (fault[1], line_of(fault[3]))

    def test_the_worst_element_is_told(self, launch: Recording, tmp_path: Path):
        found = find(launch, FAULTS[11], "cpu-fast", tmp_path)
        assert found.iteration == 1
        assert found.why == "is wrong for its operands"
        worst = found.worst
        assert worst.off == "right"
        assert worst.bound == "accumulated"
        assert abs(worst.left - worst.expected) < worst.allowed < abs(worst.right - worst.expected)

    @pytest.mark.nightly
    def test_the_bound_of_an_operation_may_be_wider(self, launch: Recording, tmp_path: Path):
        wider = Widening("tolerances.toml:1", "mixed", 1e12, "a test", op="tt.dot")
        kind, op, nth, _ = FAULTS[11]
        found = culprit.find(
            launch,
            ("cpu", "cpu-fast"),
            (1, 0, 0),
            tmp_path,
            before=[f"mark-fault{{op={op} nth={nth}}}"],
            after=[f"inject-fault{{kind={kind}}}"],
            plugins=[PLUGIN],
            widenings=Widenings((wider,)),
        )
        assert found.culprit is None
        assert {one.widening for one in found.widened} == {wider}
        assert all(one.margin > 1 for one in found.widened)
        assert f":{line_of('product')}: tt.dot: its bound widened" in found.widened[0].describe()

    @pytest.mark.nightly
    def test_what_is_rounded_once_is_off_by_more_than_that(self, launch: Recording, tmp_path: Path):
        worst = find(launch, FAULTS[10], "cpu-fast", tmp_path).worst
        assert worst.bound == "one rounding"
        assert (worst.expected, worst.ulp) == (worst.left, 1)
        # Half of the distance between the two, or a quarter across a power of two.
        assert worst.allowed * 4 >= abs(worst.right - worst.left) > worst.allowed

    @pytest.mark.nightly
    def test_a_difference_that_vanishes_under_probes_is_found_by_stores(
        self, launch: Recording, tmp_path: Path
    ):
        # The compiler is wrong where nothing is probed, and where one value alone is stored.
        fault = ("shy-swap", "arith.divf", 0, "quotient")
        found = find(launch, fault, "cpu-fast", tmp_path)
        assert (found.site.op, found.site.line) == ("arith.divf", line_of("quotient"))
        assert "where a store of one value is added" in found.why
        runs = re.search(r"vanishes under probes \((\d+) runs\)", found.why)
        assert runs
        assert int(runs[1]) <= 12
        assert found.worst.off == "right"
        assert abs(found.worst.right - found.worst.expected) > found.worst.allowed

    @pytest.mark.nightly
    def test_a_right_compiler_has_no_culprit(self, launch: Recording, tmp_path: Path):
        # In fast mode, sums have another order: values differ, and none is wrong.
        finding = culprit.find(launch, ("cpu", "cpu-fast"), (1, 0, 0), tmp_path)
        assert finding.culprit is None
        assert finding.said == "every operation is right for its operands, within its bound"


@triton.jit
def branches(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    step = 1
    while step < n:
        v = v * 2
        step = step * 2
    if n > 3:
        v += 1
    wide = v.to(tl.float64) * 3
    tl.store(out + i, wide)


class TestLogs:
    def entries(self, launch: Recording, folder: Path, words: int) -> list[probes.Entry]:
        probed = probes.probe(launch.ttir)
        log = probes.Log(launch, probed, (0, 0, 0), "cpu", folder, words, 60)
        return list(log.entries())

    @pytest.mark.nightly
    def test_a_log_has_every_value_in_order(self, tmp_path: Path):
        x = torch.arange(8, dtype=torch.int16)
        launch = record(lambda: branches[(1,)](x, torch.zeros(8, dtype=torch.float64), 5, B=8))
        probed = probes.probe(launch.ttir)
        with workers.session():
            entries = self.entries(launch, tmp_path, 1 << 16)
            # In as many runs as there is little memory.
            again = self.entries(launch, tmp_path / "small", 40)
        assert [(e.number, e.occurrence) for e in entries] == [
            (e.number, e.occurrence) for e in again
        ]
        assert all(torch.equal(a.value, b.value) for a, b in zip(entries, again, strict=True))
        products = [e for e in entries if probed.values[e.number].variable == "v"]
        loops = [e for e in products if probed.values[e.number].op == "arith.muli"]
        assert [e.occurrence for e in loops] == [0, 1, 2]
        assert torch.equal(loops[-1].value, x * 8)
        doubles = [e for e in entries if e.value.dtype == torch.float64]
        assert torch.equal(doubles[-1].value, (x.double() * 8 + 1) * 3)

    @pytest.mark.nightly
    def test_memory_that_is_too_small_for_one_value(self, tmp_path: Path):
        launch = record(
            lambda: branches[(1,)](
                torch.zeros(8, dtype=torch.int16), torch.zeros(8, dtype=torch.float64), 5, B=8
            )
        )
        with pytest.raises(RecordingError, match="more than 20 bytes: raise --max-probe-bytes"):
            self.entries(launch, tmp_path, 5)


class TestCommand:
    def test_a_report_shows_the_line(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
        file, found = tmp_path / "ordered.py", tmp_path / "report.json"
        file.write_text(ordered.WITH_A_CASE)
        words = [str(file), "--targets", "cpu,emulated", "--locate", "--json", str(found)]
        assert main(words) == 1
        said = capsys.readouterr().out
        # Versions of Triton differ in the column.
        assert re.search(
            rf"{re.escape(str(file))}:12:\d+: error: on emulated, tt.reduce \(variable 'total'\) "
            r"is wrong for its operands\n        total = tl.reduce\(v, 0, minus\)\n",
            said,
        )
        assert "in program (0, 0, 0), computed 0 times before" in said
        site = json.loads(found.read_text())["launches"][0]["culprit"]["culprit"]["site"]
        assert (site["op"], site["line"]) == ("tt.reduce", 12)

    def test_targets_without_probes_say_so(self, tmp_path: Path, launch: Recording):
        launch.save(tmp_path)
        report = run.comparison.LaunchReport("", "mixed", (2,), "different", folder=tmp_path)
        (located,) = run.locate([report], ("cpu", "interpreter"))
        assert located.culprit.said == "probes run on cpu, cpu-fast, emulated alone"
        (located,) = run.locate([report], ("cpu", "emulated"))
        assert "which program has written the worst element" in located.culprit.said


def test_passes_that_fail_are_compilation_errors():
    from triton_shared import CompilationError

    with pytest.raises(CompilationError, match="there is no kernel in this module"):
        texts.apply_passes("module {}", "triton-probe-values")
    with pytest.raises(CompilationError, match="'no-such-pass' does not refer to a registered"):
        texts.apply_passes("module {}", "no-such-pass")
