"""What a report says of a launch: accesses that can be counted by hand, results, speed."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import explain_kernels
import explain_launches
import jsonschema
import pytest
import torch
import triton_shared
from test_explain_report import FILE, SCHEMA, call
from triton_shared import library
from triton_shared.diff import workers
from triton_shared.diff.recording import RecordingError
from triton_shared.errors import TritonSharedError
from triton_shared.explain import (
    access_maps,
    drawings,
    gpu_use,
    launches,
    page,
    roofline,
    validation,
)


def record(kernel: Any, *args: Any, grid: tuple[int, ...] = (1,), **keywords: Any) -> Any:
    return launches.record(kernel, args, grid, keywords)


def maps(launch: Any, *programs: tuple[int, int, int]) -> list[dict[str, Any]]:
    chosen = programs or access_maps.choose_programs(launch.grid)
    return access_maps.record(launch, chosen)["programs"]


def test_programs_that_are_looked_at_are_the_first_ones_and_the_last():
    assert access_maps.choose_programs((1,)) == [(0, 0, 0)]
    assert access_maps.choose_programs((5,)) == [(0, 0, 0), (1, 0, 0), (4, 0, 0)]
    found = access_maps.choose_programs((4, 3))
    assert found == [(0, 0, 0), (1, 0, 0), (0, 1, 0), (3, 2, 0)]


@pytest.fixture(scope="module")
def add() -> Any:
    x = torch.rand(5000)
    return record(
        explain_kernels.add_kernel, x, x.clone(), x.clone(), 5000, grid=(5,), BLOCK_SIZE=1024
    )


@pytest.fixture(scope="module")
def add_maps(add: Any) -> list[dict[str, Any]]:
    return maps(add)


class TestAdd:
    def test_a_whole_block_is_counted(self, add_maps):
        first = add_maps[0]["accesses"]
        assert [one["argument"] for one in first] == ["x_ptr", "y_ptr", "output_ptr"]
        assert [one["access"] for one in first] == ["load", "load", "store"]
        for one in first:
            assert (one["elements"], one["masked"], one["bytes"]) == (1024, 0, 4096)
            assert (one["first"], one["last"], one["tensor_elements"]) == (0, 1023, 5000)
            assert one["sectors"] <= one["least_sectors"] + 32  # Where memory begins is not ours.
            assert one["picture"] == ["#" * 64] * 16
            assert one["shared_with"] == 0

    def test_lines_are_those_of_the_kernel(self, add_maps):
        lines = Path(FILE).read_text().splitlines()
        for one in add_maps[0]["accesses"]:
            assert one["file"] == FILE
            assert f"tl.{one['access']}(" in lines[one["line"] - 1]

    def test_the_last_program_overhangs(self, add_maps):
        last = add_maps[-1]
        assert last["program"] == [4, 0, 0]
        for one in last["accesses"]:
            assert (one["elements"], one["masked"], one["outside"]) == (904, 120, 0)
            assert (one["first"], one["last"]) == (4096, 4999)
            assert one["picture"] == ["#" * 64] * 14 + ["#" * 8 + "." * 56] + ["." * 64]
            assert not any(one["strip"][:104])
            assert all(one["strip"][106:])

    def test_operations_are_counted(self, add_maps):
        assert [one["flops"] for one in add_maps] == [1024, 1024, 1024]

    @pytest.mark.nightly
    def test_results_agree(self, add):
        *here, gpu = validation.validate(add)
        if torch.cuda.is_available():
            here.append(gpu)
        else:
            assert (gpu["status"], gpu["message"]) == (
                "not run", "torch sees no GPU on this machine"
            )  # fmt: skip
        for found in here:
            assert found["status"] == "equal", found
            (out,) = [one for one in found["tensors"] if one["argument"] == "output_ptr"]
            assert out["wrong"] == 0

    @pytest.mark.nightly
    def test_a_wrong_result_is_shown_where_it_is(self, add, monkeypatch: pytest.MonkeyPatch):
        real = workers.result

        def result(launch: Path, target: str) -> workers.Result:
            found = real(launch, target)
            if target == "cpu-fast":
                out = add.views()["output_ptr"].of(found.buffers)
                out[3063] += 1
                out[4321] += 9
            return found

        monkeypatch.setattr(workers, "result", result)
        (found,) = validation.validate(add, ("cpu-fast",))
        assert found["status"] == "different"
        (out,) = [one for one in found["tensors"] if one["argument"] == "output_ptr"]
        assert (out["wrong"], out["worst"]["index"]) == (2, [4321])
        assert (out["worst"]["program"], out["first"]["program"]) == ([4, 0, 0], [2, 0, 0])
        assert out["first"]["index"] == [3063]
        hot = [(y, x) for y, row in enumerate(out["heat"]) for x, v in enumerate(row) if v]
        assert len(hot) == 2
        assert out["heat"][hot[0][0]][hot[0][1]] > 1
        assert 'fill="var(--bad)"' in drawings.draw_heat(out["heat"], "error")

    def test_speed_is_that_of_the_whole_grid(self, add, add_maps):
        found = roofline.measure(add, add_maps)
        assert found["flops"] == 5 * 1024
        assert found["bytes"] == pytest.approx(3 * 4 * 5 * (1024 + 1024 + 904) / 3)
        assert found["flops_per_second"] == found["flops"] / found["seconds"]
        assert min(found["peak_flops"], found["bytes_per_second"], found["reached"]) > 0


def test_results_are_shown_with_what_they_are_of_and_what_is_allowed():
    element = {"index": [2], "left": 1.0, "right": 1.5, "error": 0.5, "ulp": None, "program": None}
    tensor = {
        "argument": "out", "dtype": "float32", "shape": [4], "bound": "accumulated", "wrong": 0,
        "margin": 0.5, "worst": element, "first": None, "heat": [],
    }  # fmt: skip
    found = {"target": "cpu-fast", "status": "equal", "message": "", "tensors": [tensor]}
    launch = {"grid": [1], "arguments": {}}
    run = {"launch": launch, "maps": [], "problems": [], "validation": [found], "roofline": None}

    def show() -> str:
        sections = page._run_sections(run, page._SourceNumbers([]), lambda *_, **values: values)
        _, validated = sections
        return page.fill("validation.html", **validated)

    text = show()
    assert "our fast code for this CPU" in text
    assert "what rounding may add up to in a sum" in text
    assert "[2]: 1 and 1.5" in text
    assert "the first that is wrong" not in text
    tensor["first"] = element
    assert "the first that is wrong" in show()


@pytest.mark.nightly
def test_a_stride_wastes_sectors_and_cache_lines():
    x = torch.rand(32 * 8)
    (program,) = maps(record(explain_launches.strided, x, torch.empty(32), 8, BLOCK=32))
    load, store = program["accesses"]
    assert (load["sectors"], load["least_sectors"]) in ((32, 4), (33, 4))
    assert load["cache_lines"] in (16, 17)
    assert load["least_cache_lines"] == 2
    assert store["sectors"] in (4, 5)


def test_what_lies_outside_is_named_and_not_touched():
    x = torch.zeros(100)
    (program,) = maps(record(explain_launches.unmasked, x, grid=(2,), BLOCK=64), (1, 0, 0))
    (store,) = program["accesses"]
    assert (store["outside"], store["first_outside"]) == (28, 100)
    assert store["picture"] == ["#" * 36 + "x" * 28]


def test_what_lies_outside_of_one_tensor_is_not_inside_of_another():
    x, out = torch.rand(32), torch.empty(32)
    (program,) = maps(record(explain_launches.strided, x, out, 8, BLOCK=32))
    load, store = program["accesses"]
    assert (load["argument"], load["outside"], load["first_outside"]) == ("x_ptr", 28, 32)
    assert (store["argument"], store["outside"]) == ("out_ptr", 0)


def test_what_an_address_points_to_is_memory_of_the_launch():
    x, out = torch.rand(32), torch.empty(32)
    launch = record(explain_launches.through, torch.tensor([x.data_ptr()]), out, BLOCK=32)
    found = access_maps.record(launch, [(0, 0, 0)])
    assert found["lost"] is None
    table, load, store = found["programs"][0]["accesses"]
    assert [one["outside"] for one in (table, load, store)] == [0, 0, 0]
    assert load["argument"] == "what an address points to"


def test_a_launch_that_leaves_its_tensors_is_not_run():
    launch = record(explain_launches.unmasked, torch.zeros(100), grid=(2,), BLOCK=64)
    found = launches.describe(launch)
    assert [one["accesses"][0]["outside"] for one in found["maps"]] == [0, 28]
    assert found["problems"] == [
        "program (1, 0, 0) accesses 28 elements outside of 'x_ptr' in line 16: the launch is not "
        "run, so that its results and its speed are not known"
    ]
    assert (found["validation"], found["roofline"]) == (None, None)


@pytest.mark.nightly
def test_programs_that_write_the_same_elements_are_seen():
    launch = record(explain_launches.everybody, torch.zeros(4), grid=(4,))
    programs = maps(launch, (0, 0, 0), (1, 0, 0), (3, 0, 0))
    assert [one["accesses"][0]["shared_with"] for one in programs] == [1, 1, 0]


@pytest.mark.nightly
def test_turns_of_a_loop_are_one_access():
    a, b = torch.rand(64, 96).half(), torch.rand(96, 64).half()
    launch = record(
        explain_kernels.matmul_kernel, a, b, torch.empty(64, 64), 64, 64, 96, 96, 64, 64,
        BLOCK_M=64, BLOCK_N=64, BLOCK_K=32,
    )  # fmt: skip
    (program,) = maps(launch)
    assert [one["turns"] for one in program["accesses"]] == [3, 3, 1]
    assert program["accesses"][0]["elements"] == 64 * 96
    assert program["flops"] == 2 * 64 * 64 * 96


@pytest.mark.nightly
def test_a_launch_that_is_not_interpreted_is_an_error_with_its_reason(add: Any):
    broken = replace(add, kernel="nothing")
    with pytest.raises(RecordingError, match="Triton's interpreter does not run it"):
        maps(broken)


@pytest.mark.nightly
def test_what_cannot_be_said_of_a_launch_is_a_problem(add: Any):
    found = launches.describe(replace(add, kernel="nothing"))
    assert "does not run it" in found["problems"][0]
    assert (found["maps"], found["roofline"]) == (None, None)
    assert {one["status"] for one in found["validation"]} <= {"failed", "not run"}
    assert found["validation"][0]["status"] == "failed"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["n=3"], "has no parameter 'n'; it has x_ptr"),
        (["x_ptr=3"], "parameter 'y_ptr' of kernel 'add' has no value"),
        (["x_ptr=a"], "'a' is no shape of a tensor"),
        (["x_ptr=4", "y_ptr=4", "output_ptr=4", "n_elements=many"], "'many' is no number"),
    ],
)
def test_what_is_wrong_with_arguments_is_said(words: list[str], said: str):
    from triton_shared.aot import parse_signature

    names = explain_kernels.add_kernel.arg_names
    parameters = parse_signature(explain_kernels.SIGNATURES["add_kernel"], names)
    with pytest.raises(TritonSharedError, match=re.escape(said)):
        launches.make_arguments(parameters, words, "add")


@pytest.mark.parametrize("element", ["fp16", "bf16", "fp32", "fp64", "i1", "i8", "i64", "u8"])
def test_tensors_of_all_types_can_be_made(element: str):
    tensor = launches._tensor(element, [4, 2])
    assert tensor.shape == (4, 2)
    wanted = {"i1": 1, "fp16": 2, "bf16": 2, "fp32": 4, "fp64": 8, "i8": 1, "i64": 8, "u8": 1}
    assert tensor.element_size() == wanted[element]


def test_occupancy_is_what_the_scarcest_allows():
    # 33 registers are 5 parts of 256 for a warp: 51 warps of 4 to a block.
    found = gpu_use.occupancy(90, 128, 33, 0)
    assert found
    assert (found["blocks"], found["warps"], found["limit"]) == (12, 48, "registers")
    found = gpu_use.occupancy(80, 128, 32, 80 * 1024)
    assert found
    assert (found["blocks"], found["limit"]) == (2, "shared memory")
    found = gpu_use.occupancy(89, 32, 16, 0)
    assert found
    assert (found["warps"], found["limit"]) == (24, "blocks")
    found = gpu_use.occupancy(121, 1024, 32, 0)
    assert found
    assert (found["blocks"], found["warps"], found["of_warps"]) == (1, 32, 48)
    assert gpu_use.occupancy(75, 128, 32, 0) is None


def test_a_block_may_have_what_the_compiler_says():
    for arch in (80, 86, 87, 89, 90, 100, 103, 120):
        ttir = "tt.func public @k(%p: !tt.ptr<f32>) { tt.return }"
        words = f"target=cuda:{arch} to-phase=ptx"
        facts = json.loads(library.compile_text(ttir, words).metadata)
        assert gpu_use.shared_limit(arch) == facts["shared_limit"], arch
    with pytest.raises(TritonSharedError, match="take the nearest of cuda:80"):
        gpu_use.shared_limit(75)


def test_a_layout_says_who_holds_what():
    tile = {
        "shape": [4, 64], "registers": [[0, 1]], "warps": [[2, 0]],
        "lanes": [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]],
    }  # fmt: skip
    owners = drawings.owners_of({**tile, "registers": [[0, 1], [1, 0]]})
    assert owners[0, 0] == (0, 0, 0)
    assert owners[1, 3] == (0, 1, 3)
    assert owners[2, 0] == (1, 0, 0)
    assert len(owners) == 4 * 64


LAUNCH = (
    "--grid", "3", "-s", explain_kernels.SIGNATURES["add_kernel"].replace("1024", "128"),
    *(f"--arg={name}=300" for name in ("x_ptr", "y_ptr", "output_ptr", "n_elements")),
)  # fmt: skip


@pytest.mark.nightly
def test_a_launch_of_a_signature_becomes_part_of_the_page(tmp_path: Path):
    page = tmp_path / "add.json"
    words = [*LAUNCH, "--program", "2", "-o", page]
    done = call(f"{FILE}::add_kernel", *words)
    assert done.returncode == 0, done.stderr
    data = json.loads(page.read_text())
    jsonschema.validate(data, SCHEMA)
    (program,) = data["run"]["maps"]
    assert (program["program"], program["accesses"][0]["masked"]) == ([2, 0, 0], 84)
    on_gpu = "equal" if torch.cuda.is_available() else "not run"
    assert [one["status"] for one in data["run"]["validation"]] == ["equal", "equal", on_gpu]
    assert data["run"]["problems"] == []
    # What is said of the launch is repeated by what has asked for it: the text has no launch.
    again = shlex.split(data["commands"]["steps"][-1]["command"])
    assert again[3:] == [f"{FILE}::add_kernel", *map(str, words)]


@pytest.mark.nightly
def test_a_launch_that_is_explained_is_kept_in_a_reproducer(tmp_path: Path):
    page, kept = tmp_path / "add.json", tmp_path / "add.ttrepro"
    words = [*LAUNCH, "-o", page, "--repro", kept]
    done = call(f"{FILE}::add_kernel", *words)
    assert done.returncode == 0, done.stderr
    data = json.loads(page.read_text())
    jsonschema.validate(data, SCHEMA)
    commands = [shlex.split(step["command"]) for step in data["commands"]["steps"][-3:-1]]
    assert [words[:4] for words in commands] == [
        ["python", "-m", "triton_shared.repro", "run"],
        ["python", "-m", "triton_shared.repro", "reduce"],
    ]
    again = subprocess.run([sys.executable, *commands[0][1:]], capture_output=True, text=True)
    assert again.returncode == 0, again.stderr
    assert "kernel 'add_kernel', grid 3" in again.stdout
    # Nothing differs, so there is nothing to reduce.
    smaller = subprocess.run([sys.executable, *commands[1][1:]], capture_output=True, text=True)
    assert smaller.returncode == 2


@pytest.mark.nightly
def test_a_launch_that_is_explained_has_its_page(capsys: pytest.CaptureFixture[str]):
    x = torch.rand(100)
    found = triton_shared.explain(
        explain_kernels.add_kernel, x, x.clone(), x.clone(), 100, grid=(1,), BLOCK_SIZE=128
    )
    report = found.report(target="cuda:90")
    checked = {one["target"]: one["status"] for one in report.data["run"]["validation"]}
    assert checked.pop("shared_cuda") in ("equal", "not run")
    assert checked == {"cpu-fast": "equal", "interpreter": "equal", "emulated": "equal"}
    page = report.html()
    assert "Is it right?" in page
    assert "28 left out" in page
    assert page.count("<svg") >= 7


SCRIPT = """
import torch
import triton
import triton.language as tl


@triton.jit
def twice(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


{guard}
    for n in (100, 200):
        x = torch.rand(n)
        twice[(2,)](x, torch.empty(n), n, B=64)
"""


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("guard", "words", "is_there"),
    [
        ('if __name__ == "__main__":', [], True),
        ('if __name__ == "__main__":', ["--no-launch"], False),
        ("if True:", [], False),
    ],
)
def test_the_first_launch_of_a_script_is_part_of_the_page(
    guard: str, words: list[str], is_there: bool, tmp_path: Path
):
    script, page = tmp_path / "script.py", tmp_path / "page.json"
    script.write_text(SCRIPT.format(guard=guard))
    done = call(f"{script}::twice", *words, "-o", page)
    assert done.returncode == 0, done.stderr
    run = json.loads(page.read_text())["run"]
    assert (run is not None) == is_there
    assert ("put it under" in done.stderr) == (guard == "if True:")
    if run:
        assert run["launch"]["arguments"]["n"] == "100"
        assert [one["status"] for one in run["validation"]][:2] == ["equal", "equal"]
