"""The names of phases: the library has the list, and pages and passes have no other."""

from __future__ import annotations

import re
import subprocess

import pytest
from tree import BUILD, ROOT
from triton_shared import library

CPU, GPU = library.phases("cpu"), library.phases("cuda")


def read(page: str) -> str:
    return (ROOT / page).read_text()


def test_both_ways_begin_alike_and_end_in_code():
    assert CPU[:3] == GPU[:3] == ("ttir", "structured", "linalg")
    assert CPU[-1] == "obj"
    assert GPU[-2:] == ("ptx", "cubin")


def test_the_tables_of_the_architecture_page_have_every_phase():
    chapter = read("docs/architecture.md").split("## Phases")[1].split("\n## ")[0]
    cells = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", chapter, re.MULTILINE)
    named = tuple(name for cell in cells for name in re.findall(r"\w+", cell))
    assert named == (*CPU, *GPU[GPU.index("linalg") + 1 :])


@pytest.mark.parametrize("page", ["README.md", "docs/debugging.md"])
def test_pages_list_what_a_kernel_of_the_cpu_has(page: str):
    assert re.findall(r"ttir structured [\w ]*obj", read(page)) == [" ".join(CPU)]


def test_the_pass_that_verifies_phases_knows_all_that_are_mlir():
    in_mlir = [*CPU[: CPU.index("llir")], *GPU[GPU.index("linalg") + 1 : GPU.index("llir") + 1]]
    done = subprocess.run(
        [BUILD / "bin" / "triton-shared-opt", "--verify-phase=phase=nothing", "-"],
        input="module {}", capture_output=True, text=True,
    )  # fmt: skip
    assert f"'nothing' of option 'phase'; use one of {', '.join(in_mlir)}\n" in done.stderr
    described = read("docs/generated/transform-passes.md").split("### `-verify-phase`")[1]
    rows = re.findall(r"^\| `(\w+)` +\|", described.split("\n### ")[0], re.MULTILINE)
    assert rows == in_mlir
