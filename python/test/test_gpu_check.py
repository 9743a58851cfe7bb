"""What scripts/gpu-check repeats on a GPU, packs and tells is what it should be."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import tomllib
import torch
import triton
from gpu_check import check, install, launches, newest_triton, operations, there
from recording import cells_of
from tree import ROOT
from triton_shared.diff import modules, recording, replay, workers
from triton_shared.diff.comparison import LaunchReport


def test_every_kernel_of_the_corpus_is_recorded_or_says_why_not():
    recorded = dict(launches.corpus())
    for made in recorded.values():
        assert modules.kernel(made.file, made.kernel).arg_names
    names = {case["name"] for case in sys.modules["corpus_runs"].load_corpus().CASES}
    # The machine with the GPU has 3.6; later versions have kernels that no test runs yet.
    assert triton.__version__ >= "3.7" or names == set(recorded) | set(launches.NOT_RECORDED)
    assert set(launches.QUICK) <= set(recorded)


def test_the_table_tells_what_did_not_agree():
    def row(name: str, verdict: str, **facts: Any) -> check.Row:
        usual = {"policies": ("exact",), "margin": 0.5, "message": "", "detail": []}
        usual |= {"registers": 40, "spills": 0, "seconds": 0.1}
        return check.Row(name=name, kernel=name, verdict=verdict, **{**usual, **facts})

    said = check.table(
        [
            row("fine", "agree"),
            row("odd", "refused", message="CompilationError: …\nf.py:1:2: error: no such thing\n"),
            row("off", "differ", detail=["out (4 float32): 1 of 4 elements are beyond"], spills=3),
        ]
    )
    assert "refused  odd" in said
    assert "f.py:1:2: error: no such thing" in said
    assert "1 of 4 elements" in said
    assert (
        "3 launches: 1 agree, 1 refused, 1 differ; largest margin of those that agree 0.50" in said
    )
    assert "fine" not in said


def test_a_difference_without_its_reference_is_left_for_the_next_call():
    """Without one, single steps are the bound: a sum in another order is beyond it."""
    ran = workers.Result(True)
    report = LaunchReport("k", "kernel", (1,), "different")
    assert check._verdict(report, ran, lacks_reference=False) == "differ"
    assert check._verdict(report, ran, lacks_reference=True) == "left"
    equal = LaunchReport("k", "kernel", (1,), "equal")
    assert check._verdict(equal, ran, lacks_reference=True) == "agree"


def test_what_agrees_says_which_operations_it_had(tmp_path: Path):
    text = "tt.func public @k() {\n  %x = arith.addi %a, %b : tensor<8xi16>\n}"
    rows = []
    for name, verdict in (
        ("corpus-vec_add", "agree"),
        ("suite-x-0", "agree"),
        ("tests-a-0", "differ"),
    ):
        place = tmp_path / name / "shared_cuda"
        place.mkdir(parents=True)
        (place / "result.json").write_text('{"succeeded": true, "facts": {}, "seconds": 0}')
        (place / "ttir.mlir").write_text(text)
        rows.append(check.Row(name, "k", verdict, (), 0.0, "", [], 0, 0, 0.0))
    file = operations.write([tmp_path / row.name for row in rows], rows, tmp_path)
    assert file.parent.name == f"gpu-{triton.__version__}"
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line["test"].rpartition("::")[2] for line in lines] == [
        "corpus[vec_add]",
        "examples[x-0]",
    ]
    assert all(line["cells"] == [["arith.addi", "i16"]] for line in lines)


@pytest.mark.nightly
def test_kernels_of_the_newest_triton_travel_as_texts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The machine with the GPU has a Triton that does not write these operations."""
    build = tmp_path / "build"
    newest_triton.record(build / launches.NEWEST)
    monkeypatch.setenv("TRITON_SHARED_TEST_BUILD", str(build))
    monkeypatch.setattr(launches, "corpus", lambda: [])
    made = launches.save_all(tmp_path / "kept", quick=False, only=f"{launches.NEWEST}-")
    cells: set[tuple[str, str]] = set()
    for place in made:
        loaded = recording.load(place)
        assert not loaded.file
        cells |= cells_of(loaded.ttir)
    assert len(made) > 80
    assert cells >= {(f"tt.atomic_{name}", "i32") for name in ("load", "poll", "store")}
    assert cells >= {("arith.negf", "f32"), ("arith.negf", "f64")}
    [polls] = [place for place in made if place.name.endswith("-atomic_load_store_poll")]
    assert operations.test_of(polls).endswith("newest_triton.py::corpus[atomic_load_store_poll]")
    done = replay.replay(recording.load(polls), "cpu")
    assert done.buffers[1].view(torch.int32)[:48].tolist() == [0, *[1] * 39, *[0] * 8]


def test_launches_of_tests_that_agree_are_counted(tmp_path: Path):
    usual = {"policies": ("exact",), "margin": 0.5, "message": "", "detail": []}
    usual |= {"kernel": "k", "registers": 40, "spills": 0, "seconds": 0.1}
    names = {"tests-test_a-01-0": "agree", "tests-test_a-02-0": "differ", "corpus-k": "agree"}
    rows = [check.Row(name=name, verdict=verdict, **usual) for name, verdict in names.items()]
    check.write(rows, {"mode": "usual"}, tmp_path / "found.json")
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["counts"] == {"agree": 2, "differ": 1}
    assert found["tests"] == {"test_a": 1}
    assert [row["name"] for row in found["rows"]] == ["tests-test_a-02-0", "corpus-k"]


def test_what_a_machine_has_goes_into_the_results(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TRITON_F32_DEFAULT", "tf32")
    facts = there.look()
    assert facts["triton"] == triton.__version__
    assert facts["torch"] == torch.__version__
    assert facts["environment"]["TRITON_F32_DEFAULT"] == "tf32"
    assert {"python", "library", "driver", "cuda of torch"} <= facts.keys()


def test_the_other_machine_gets_all_files_of_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(install, "PLACE", tmp_path)
    module = tmp_path / "module" / "_native.so"
    module.parent.mkdir()
    module.touch()
    site = install._make_site(tmp_path, module)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = project["tool"]["scikit-build"]["wheel"]["packages"]
    for place, source in packages.items():
        files = [
            path for path in (ROOT / source).rglob("*.*") if path.suffix in {".c", ".h", ".py"}
        ]
        assert files
        for path in files:
            assert (site / place / path.relative_to(ROOT / source)).exists(), path
