"""Names in C: what a launcher cannot have is refused in a sentence, the rest compiles."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from triton_shared import TritonSharedError, aot, compile
from triton_shared.aot import kernel, names

SCALE = """
import triton
import triton.language as tl

@triton.jit
def scale({name}, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store({name} + i, tl.load({name} + i, mask=i < n) * 2, mask=i < n)
"""


def header_of(tmp_path: Path, name: str, parameter: str) -> Path:
    facts = {
        "name": name,
        "symbol": f"{name}_0",
        "algorithm": "_",
        "target": "cpu",
        "parameters": [[parameter, "CUdeviceptr", None]],
    }
    path = tmp_path / f"{name}.h"
    path.write_text(f"// triton-shared: {json.dumps(facts)}\n")
    return path


def compile_with(tmp_path: Path, name: str) -> kernel.Kernel:
    file = tmp_path / "scale.py"
    file.write_text(SCALE.format(name=name))
    return aot.compile_kernel(file, "scale", "*fp32, i32, 64", "1,1,1")


@pytest.mark.parametrize("name", ["double", "register", "stream", "gridX", "running", "uint8_t"])
def test_a_parameter_that_c_cannot_have_is_refused(name: str, tmp_path: Path):
    with pytest.raises(TritonSharedError, match=f"launcher in C can be called '{name}': it is"):
        compile_with(tmp_path, name)


@pytest.mark.parametrize(("name", "parameter"), [("scale", "algo_id"), ("scale", "scale")])
def test_a_parameter_that_a_linked_function_cannot_have_is_refused(
    name: str, parameter: str, tmp_path: Path
):
    header = header_of(tmp_path, name, parameter)
    with pytest.raises(TritonSharedError, match=f"called '{parameter}': it is taken"):
        aot.link_headers([header], tmp_path / "all")


def test_a_linked_function_that_c_cannot_have_takes_a_prefix(tmp_path: Path):
    header = header_of(tmp_path, "double", "x")
    with pytest.raises(TritonSharedError, match=r"called 'double': .*\nchoose .* with --prefix"):
        aot.link_headers([header], tmp_path / "all")
    assert aot.link_headers([header], tmp_path / "all", prefix="my_")


@pytest.mark.skipif(not shutil.which("c++"), reason="there is no C++ compiler")
@pytest.mark.parametrize("name", ["result", "check", "new_value"])
def test_names_that_launchers_share_with_kernels_compile(name: str, tmp_path: Path):
    made = compile_with(tmp_path, name)
    files = aot.write(made, tmp_path / "out", ("c", "h", "hpp"))
    for compiler, file in (("cc", files[0]), ("c++", files[2])):
        command = [compiler, "-fsyntax-only", "-x", "c" if compiler == "cc" else "c++", str(file)]
        subprocess.run(command, check=True, timeout=60)


def test_names_of_functions_are_checked():
    names.require_function("double", "--out-name")
    for name in ("my-scale", "9lives", "", "a.b"):
        with pytest.raises(
            TritonSharedError, match=r"letters, digits and '_'\nchoose .*--out-name"
        ):
            names.require_function(name, "--out-name")


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("def f(:", ": SyntaxError: invalid syntax"),
        ("\nimport nowhere_at_all", " in line 2: ModuleNotFoundError: No module named 'nowhere_"),
        ("raise SystemExit('no')", " in line 1: SystemExit: no"),
    ],
)
def test_a_script_that_does_not_run_is_said_in_a_sentence(
    script: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "bad.py"
    file.write_text(script)
    assert compile.main(["-n", "f", "-s", "*fp32", "-g", "1,1,1", str(file)]) == 1
    said = capsys.readouterr().err
    assert f"error: '{file}' is run to find its kernel, and fails{why}" in said
    assert "Traceback" not in said


def test_a_place_that_cannot_be_made_is_said_in_a_sentence(tmp_path: Path):
    made = compile_with(tmp_path, "x")
    for path in (tmp_path / "scale.py" / "out", Path("/proc/out")):
        with pytest.raises(
            TritonSharedError, match=r"cannot write '.*': .*\nname a place that can"
        ):
            aot.write(made, path)
