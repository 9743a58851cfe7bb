"""The ladder: who is to blame for a wrong result is named, whoever it is."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from gpu_check import blamed, threads
from gpu_check.blamed import faults
from gpu_check.blamed.faults import TOGETHER, edited
from tree import BUILD
from triton_shared.blame import assemblers, codes, ladder, our_passes, pipeline
from triton_shared.blame.__main__ import main
from triton_shared.blame.ladder import Options
from triton_shared.blame.pipeline import Compiler
from triton_shared.blame.runs import Runs
from triton_shared.blame.verdict import Report
from triton_shared.diff import run, workers
from triton_shared.diff.comparison import LaunchReport
from triton_shared.diff.given import Given
from triton_shared.repro import __main__ as repro
from triton_shared.repro import archive

PLUGIN = BUILD / "lib" / "libTritonSharedInjectFault.so"
SWAP = "mark-fault{op=arith.subf},inject-fault{kind=swap-operands}"
KERNEL = f"""{blamed.CENTRED.read_text()}

def other(x, w):
    return expected(x, w) * 1.01
"""


@pytest.fixture(scope="module", autouse=True)
def _one_process() -> Iterator[None]:
    """What replays launches is started once."""
    with workers.session():
        yield


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Report]:
    """A launch with what every ladder begins with, and the report of one where nothing is wrong."""
    folder = tmp_path_factory.mktemp("kernel")
    path = folder / "centred.py"
    path.write_text(KERNEL)
    (launch,) = run.prepare(path, "", folder / "kept")
    return launch, climb(Runs(launch))


@pytest.fixture
def runs(known: tuple[Path, Report], tmp_path: Path) -> Runs:
    return Runs(Path(shutil.copytree(known[0], tmp_path / "launch")))


def climb(runs: Runs, **options: Any) -> Report:
    report = ladder.climb(runs, Options(**options))
    assert json.loads((runs.evidence / "report.json").read_text())["verdict"]
    return report


# Our passes


NAMES = faults.our_passes(Compiler().printed(["--target=cuda:90a"], "gpu"))
ALONE = [name for name in NAMES if name not in TOGETHER]
OFTEN = ("cta-pipeline-loads",)


def faulty(name: str) -> Compiler:
    """A compiler in which a pass makes a subtraction wrong, whenever it runs."""
    return Compiler(plugins=(PLUGIN,), behind={name: SWAP})


def some(names: Any, often: tuple[str, ...]) -> list[Any]:
    return [pytest.param(n, marks=[] if n in often else [pytest.mark.nightly]) for n in names]


class TestOurPasses:
    @pytest.mark.parametrize("name", some(ALONE, OFTEN))
    def test_the_pass_that_is_wrong_is_named(self, name: str, runs: Runs):
        found = climb(runs, compiler=faulty(name)).verdict
        assert (found.level, list(found.culprits)) == ("our passes", [name])
        assert f"our pass '{name}' is wrong" in found.sentence
        before, after = ((runs.evidence / f"{n}.mlir").read_text() for n in ("before", "after"))
        assert before != after

    @pytest.mark.parametrize("name", some(TOGETHER, ()))
    def test_of_passes_that_are_all_needed_the_ends_are_named(self, name: str, runs: Runs):
        found = climb(runs, compiler=faulty(name)).verdict
        assert found.level == "our passes"
        assert name in found.culprits
        assert set(found.culprits) <= set(TOGETHER)

    @pytest.mark.parametrize("name", some(NAMES, ("cta-to-gpu",)))
    def test_another_compiler_tells_every_pass_from_the_others(self, name: str, runs: Runs):
        found = climb(runs, compiler=faulty(name), other=Compiler()).verdict
        assert (found.level, list(found.culprits)) == ("our passes", [name])

    def test_a_right_compiler_is_not_blamed(self, known: tuple[Path, Report]):
        _, found = known
        assert found.verdict.level == "nothing"
        assert found.verdict.exit_code == 0
        assert [(step.name, step.status) for step in found.steps] == [
            ("check", "right"), ("emulated", "right"),
        ]  # fmt: skip


def test_between_modules_that_do_not_run_nothing_is_told():
    silent = {3, 4, 5}
    asked: list[int] = []

    def is_right(count: int) -> bool | None:
        asked.append(count)
        return None if count in silent else count < 4

    assert our_passes.narrow(8, is_right) == (2, 6)
    assert len(asked) == len(set(asked))
    assert our_passes.narrow(8, lambda n: n < 5) == (4, 5)
    assert our_passes.narrow(4, lambda _: None) == (0, 4)


def test_a_pipeline_has_the_names_of_nested_passes():
    passes = Compiler().passes(["--target=cuda:90a"], "llir")
    names = [one.name for one in passes]
    assert {"gpu-to-nvvm", "cta-to-gpu", "triton-combine"} <= set(names)
    assert pipeline.Pass("llir", "gpu.module(gpu-to-nvvm)").name == "gpu-to-nvvm"


# The kernel


RACE = """
import torch, triton, triton.language as tl

@triton.jit
def lost(out):
    tl.store(out, tl.load(out) + 1)

def case():
    lost[(4,)](torch.zeros(1))
"""


class TestKernel:
    def test_a_race_is_to_blame_before_any_compiler(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ):
        path, kept = tmp_path / "lost.py", tmp_path / "lost.ttrepro"
        path.write_text(RACE)
        assert main([str(path), "--repro", str(kept)]) == 1
        said = capsys.readouterr().out.splitlines()[-1]
        assert re.match(r"the kernel is wrong: .*lost\.py:6:\d+: .*tl\.(load|store)", said)
        # It has everything that the file had, but runs nothing unasked.
        evidence = archive.read(kept).evidence
        assert json.loads(evidence["report.json"])["verdict"]["level"] == "kernel"
        assert main([str(kept)]) == 2
        assert "that takes --run" in capsys.readouterr().err
        assert repro.main(["info", str(kept)]) == 0
        shown = capsys.readouterr().out
        assert "evidence: report.json\n" in shown
        assert f"reported: {said}" in shown
        assert repro.main(["to-python", str(kept), "--out", str(tmp_path / "unpacked")]) == 0
        assert (tmp_path / "unpacked" / "evidence" / "report.json").is_file()

    @pytest.mark.nightly
    def test_a_reproducer_goes_down_the_ladder_again(self, tmp_path: Path):
        path, kept = tmp_path / "lost.py", tmp_path / "lost.ttrepro"
        path.write_text(RACE)
        assert main([str(path), "--repro", str(kept)]) == 1
        assert main([str(kept), "--run"]) == 1

    def test_what_torch_computes_is_right(self, runs: Runs):
        found = climb(runs, expected="expected")
        assert found.verdict.level == "nothing"
        assert ("expected", "right") in [(s.name, s.status) for s in found.steps]

    def test_a_kernel_that_computes_something_else_is_wrong(self, runs: Runs):
        found = climb(runs, expected="other")
        assert found.verdict.level == "kernel"
        assert re.match(
            r"the kernel is wrong: on the CPU, too, out\[\d+, \d+\] is \S+, expected \S+ within",
            found.verdict.sentence,
        )
        assert ("interpreter", "right") in [(s.name, s.status) for s in found.steps]

    def test_functions_that_do_not_fit_are_errors(self, runs: Runs, tmp_path: Path):
        file = tmp_path / "wrong.py"
        file.write_text("def strange(y): ...\ndef small(x, w): return x\ndef none(): return 1\n")
        for name, said in (
            ("missing", "there is no function 'missing'"),
            (f"{file}:strange", "takes 'y', and kernel 'centred' has no such argument"),
            (f"{file}:small", "for 'out', which is \\[32, 16\\]"),
            (f"{file}:none", "nothing says which argument the function describes: x, w, out"),
        ):
            found = climb(runs, expected=name).verdict
            assert found.exit_code == 2
            assert re.search(said, found.sentence), found.sentence


# Configurations


@pytest.mark.nightly
def test_a_wrong_configuration_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    found = tmp_path / "found.json"
    assert main([str(blamed.TUNED), "--configs", "--json", str(found)]) == 1
    said = capsys.readouterr().out
    assert "configuration BLOCK=128 of kernel 'row_sums' is wrong, on the CPU, too" in said
    (one,) = json.loads(found.read_text())["launches"]
    assert (one["verdict"]["level"], one["verdict"]["culprits"]) == ("configuration", ["BLOCK=128"])


@pytest.mark.nightly
def test_why_a_configuration_does_not_run_is_said(capsys: pytest.CaptureFixture[str]):
    source = next(one.source for one in threads.THREADS if one.name == "fla 984")
    assert main([str(source), "--configs", "--suspect", "nvidia"]) == 2
    said = capsys.readouterr().out
    assert re.search(r"num_warps=2 num_stages=2: does not run on nvidia: \w+: ", said)


# Below our passes


@dataclass
class PretendGpu(Runs):
    """A GPU that runs cubins as their PTX says, but for those that `breaks` names.

    Cubins are those of ptxas. What they do is what the PTX does in the emulator; of a ptxas that is
    wrong, what other PTX does.
    """

    breaks: str = ""
    faults: bool = False
    """Whether the GPU stops at what is broken."""

    def has_gpu(self) -> bool:
        return True

    def compare(self, target: str) -> LaunchReport:
        if target in ladder.ON_GPU:
            make = codes.of_ours if target == "shared_cuda" else codes.of_triton
            made = make(self.recorded)
            return self._run(made.given, target, is_wrong=bool(self.breaks))
        return super().compare(target)

    def compare_given(self, given: Given, name: str) -> LaunchReport:
        if given.form != "cubin":
            return super().compare_given(given, name)
        assert given.code[:4] == b"\x7fELF"
        ours = "shared_cuda" in {path.stem for path in self.evidence.iterdir()}
        made = (codes.of_ours if ours else codes.of_triton)(self.recorded)
        return self._run(made.given, name, is_wrong=bool(re.search(self.breaks, name)))

    def _run(self, given: Given, name: str, is_wrong: bool) -> LaunchReport:
        ptx = given.code.decode()
        code = edited(ptx) if is_wrong else ptx
        found = super().compare_given(replace(given, code=code.encode()), f"pretended-{name}")
        said = "AcceleratorError: CUDA error: an illegal memory access was encountered"
        return replace(found, status="failed", message=said) if is_wrong and self.faults else found


@pytest.fixture
def pretended(known: tuple[Path, Report], tmp_path: Path) -> PretendGpu:
    return PretendGpu(Path(shutil.copytree(known[0], tmp_path / "launch")))


class TestBelow:
    def test_edited_ptx_of_triton_is_to_blame(self, runs: Runs):
        ptx = edited(codes.of_triton(runs.recorded).ptx)
        found = climb(runs, suspect="nvidia", ptx=ptx)
        assert found.verdict.level == "PTX"
        assert "the PTX is wrong" in found.verdict.sentence
        assert [(s.name, s.status) for s in found.steps][-2:] == [
            ("its PTX, emulated", "wrong"), ("the compiler's PTX, emulated", "right"),
        ]  # fmt: skip

    def test_without_a_gpu_nobody_knows_what_ptxas_does(self, runs: Runs):
        found = climb(runs, suspect="nvidia")
        assert found.verdict.exit_code == 2
        assert "right down to its PTX, and what ptxas makes of it takes a GPU" in (
            found.verdict.sentence
        )

    @pytest.mark.nightly
    def test_triton_s_passes_are_to_blame(self, runs: Runs, monkeypatch: pytest.MonkeyPatch):
        def wrong(launch: Any) -> codes.Codes:
            made = of_triton(launch)
            phases = {**made.phases, "ptx": edited(made.ptx)}
            phases["llir"] = re.sub(r"\bfsub\b", "fadd", made.phases["llir"])
            assert phases["llir"] != made.phases["llir"]
            return replace(made, phases=phases)

        of_triton = codes.of_triton
        monkeypatch.setattr(codes, "of_triton", wrong)
        assert climb(runs, suspect="nvidia").verdict.level == "Triton's passes"

    @pytest.mark.nightly
    def test_triton_s_llvm_is_to_blame(self, runs: Runs, monkeypatch: pytest.MonkeyPatch):
        def wrong(launch: Any) -> codes.Codes:
            made = of_triton(launch)
            return replace(made, phases={**made.phases, "ptx": edited(made.ptx)})

        of_triton = codes.of_triton
        monkeypatch.setattr(codes, "of_triton", wrong)
        assert climb(runs, suspect="nvidia").verdict.level == "Triton's LLVM"

    def test_our_llvm_is_to_blame(self, runs: Runs, monkeypatch: pytest.MonkeyPatch):
        def wrong(launch: Any, **more: Any) -> codes.Codes:
            made = of_ours(launch, **more)
            return replace(made, phases={**made.phases, "ptx": edited(made.ptx)})

        of_ours = codes.of_ours
        monkeypatch.setattr(codes, "of_ours", wrong)
        found = climb(runs, suspect="shared_cuda")
        assert found.verdict.level == "LLVM"

    def test_ptx_goes_to_the_ptxas_of_its_compiler(self, runs: Runs):
        """Triton 3.9 has two, and writes PTX that only the newer one reads."""
        for made in (codes.of_ours(runs.recorded), codes.of_triton(runs.recorded)):
            cubin, _ = assemblers.Assembler(made.ptxas).assemble(made.ptx)
            assert cubin[:4] == b"\x7fELF"

    @pytest.mark.parametrize("faults", [False, True], ids=["leaves", "stops"])
    def test_a_ptxas_that_is_right_without_optimisation_is_to_blame(
        self, faults: bool, pretended: PretendGpu
    ):
        pretended.breaks, pretended.faults = r"^ptxas-[\d.]+$", faults
        found = climb(pretended, suspect="nvidia")
        version = assemblers.Assembler(codes.of_triton(pretended.recorded).ptxas)
        assert found.verdict.level == "ptxas"
        assert found.verdict.sentence == (
            f"{version} is wrong: {version} -O0 is right for the same PTX"
        )
        kept = {path.suffix for path in pretended.evidence.iterdir()}
        assert {".ptx", ".cubin", ".log", ".json"} <= kept

    @pytest.mark.nightly
    def test_approximations_are_to_blame(self, pretended: PretendGpu):
        pretended.breaks = r"^ptxas-"
        found = climb(pretended, suspect="shared_cuda")
        assert found.verdict.level == "hardware flags"

    @pytest.mark.nightly
    def test_nobody_is_to_blame_for_what_no_rung_changes(self, pretended: PretendGpu):
        pretended.breaks = r"."
        found = climb(pretended, suspect="nvidia").verdict
        assert found.exit_code == 2
        assert "right in the emulator, and wrong on the GPU through ptxas" in found.sentence
