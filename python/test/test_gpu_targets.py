"""Every compute capability compiles or is refused with a sentence, and LLVM neither prints nor ends
the process: what it would do is looked at from another one."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import kernels
import pytest
import triton
import triton_shared
from triton.backends.compiler import GPUTarget
from triton_shared import frontend, library, stages
from triton_shared.cuda import tools

HERE = Path(__file__).parent
CAPABILITIES = range(50, 131)

SHARED_KILOBYTES = {
    80: 163, 86: 99, 87: 163, 88: 99, 89: 99, 90: 227, 100: 227, 101: 227, 103: 227, 110: 227,
    120: 99, 121: 99,
}  # fmt: skip
"""Of a block, per capability that LLVM knows: "Memory Information per Compute Capability"."""
ASSEMBLED = (80, 86, 87, 89, 90, 100, 101, 103, 120, 121)
"""Those that the ptxas of every supported wheel knows."""

SIGNATURE = {
    "x_ptr": "*fp32",
    "out_ptr": "*fp32",
    "n": "i32",
    "factor": "fp32",
    "BLOCK": "constexpr",
}


def compile_for(target: GPUTarget, **options: Any) -> Any:
    source = triton.compiler.ASTSource(kernels.scale, SIGNATURE, constexprs={"BLOCK": 64})
    return triton.compile(source, target=target, options=options)


def answer(target: GPUTarget, **options: Any) -> str:
    """What a compilation ends with, in words."""
    try:
        asm = compile_for(target, **options).asm
    except Exception as error:  # Whatever it is: the test looks at it.
        return f"{type(error).__name__}: {error}"
    if "ptx" not in asm:
        return "compiled"
    found = re.findall(r"^\.(?:version|target) (\S+)", asm["ptx"], re.MULTILINE)
    return f"compiled: {' '.join(found)}"


def ask(names: list[str]) -> dict[str, str]:
    """The answers for targets, from a process of their own that is still alive at the end."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", __file__, *names], capture_output=True, text=True, cwd=HERE
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert len(lines) == 1, lines
    answers: dict[str, str] = json.loads(lines[0])
    return answers


def test_every_capability_compiles_or_is_refused():
    answers = ask([str(capability) for capability in CAPABILITIES])
    for capability in CAPABILITIES:
        said = answers[str(capability)]
        if capability in ASSEMBLED:
            suffix = "a" if capability >= 90 else ""
            assert said.endswith(f"sm_{capability}{suffix}"), said
        elif capability in SHARED_KILOBYTES:
            assert said.startswith("compiled") or f"is too old for sm_{capability}" in said, said
        else:
            assert said.startswith("CompilationError")
            assert f"unknown target 'cuda:{capability}" in said
            assert "or one of cuda:80, " in said


def test_the_list_is_that_of_llvm():
    said = answer(GPUTarget("shared_cuda", 95, 32))
    listed = {int(number) for number in re.findall(r"cuda:(\d+)\b", said.split("or one of")[1])}
    assert listed == set(SHARED_KILOBYTES)


@pytest.mark.parametrize(
    ("capability", "version"), [(80, "8.6"), (90, "8.6"), (100, "8.6"), (103, "8.8"), (120, "8.7")]
)
def test_the_version_of_ptx_follows_the_target(capability: int, version: str):
    assert f"compiled: {version} sm_{capability}" in answer(
        GPUTarget("shared_cuda", capability, 32)
    )


def test_ptx_needs_no_ptxas_that_knows_the_target():
    ttir = frontend.ast_to_ttir(kernels.scale, SIGNATURE, {"BLOCK": 64}, target="cuda:110")
    ptx = stages.run(ttir, "ptx", target="cuda:110").decode()
    assert ".version 9.0" in ptx
    assert ".target sm_110a" in ptx


def test_a_ptxas_that_is_too_old_is_named(monkeypatch: pytest.MonkeyPatch):
    old = tools.find_ptxas("cuda:80")
    if "sm_110a" in tools.architectures(old):
        pytest.skip("this ptxas knows every GPU")
    monkeypatch.setenv("TRITON_PTXAS_PATH", str(old))
    said = answer(GPUTarget("shared_cuda", 110, 32))
    assert f"the ptxas at '{old}' is too old for sm_110a" in said
    assert "name it by TRITON_PTXAS_PATH" in said
    with pytest.raises(triton_shared.CudaError, match="is too old for sm_110a"):
        tools.assemble(".version 9.0\n.target sm_110a\n.address_size 64\n", "cuda:110a")


@pytest.mark.parametrize("capability", SHARED_KILOBYTES)
def test_shared_memory_is_that_of_the_capability(capability: int):
    signature = {"x": "*fp32", "out": "*fp32", "N": "constexpr"}
    source = triton.compiler.ASTSource(backwards, signature, constexprs={"N": 256})
    target = GPUTarget("shared_cuda", capability, 32)
    with pytest.raises(triton.OutOfResources) as raised:
        triton.compile(source, target=target, options={"num_warps": 32})
    assert raised.value.limit == 1024 * SHARED_KILOBYTES[capability]


@triton.jit
def backwards(x, out, N: triton.language.constexpr):
    """Rows from the last to the first: any thread may need what any other has."""
    i, j = triton.language.arange(0, N)[:, None], triton.language.arange(0, N)[None, :]
    rows = triton.language.gather(triton.language.load(x + i * N + j), N - 1 - i + 0 * j, axis=0)
    triton.language.store(out + i * N + j, rows)


CPUS = {
    "znver4,+bogus": "have no feature 'bogus'",
    "x86-64-v3,-sse2": "no CPU of the kind x86_64 lacks 'sse2'",
    "x86-64,-64bit": "no CPU of the kind x86_64 lacks '64bit'",
    "pdp11": "unknown target 'pdp11'",
    "x86-64,+16bit-mode": "no process of a CPU of the kind x86_64 runs code with '16bit-mode'",
    "x86-64,+soft-float": "runs code with 'soft-float'",
    "x86-64-v4,-avx512bw": "compiled",
}
"""CPUs, and what is said of them."""


def test_no_word_for_a_cpu_ends_the_process():
    answers = ask([f"cpu:{cpu}" for cpu in CPUS])
    for cpu, said in CPUS.items():
        assert said in answers[f"cpu:{cpu}"]
        assert answers[f"cpu:{cpu}"].startswith(("compiled", "CompilationError"))


def test_code_for_chosen_features_is_made_in_another_process(monkeypatch: pytest.MonkeyPatch):
    isolated = []
    original = library.compile_isolated
    monkeypatch.setattr(
        library, "compile_isolated", lambda *given: isolated.append(given[1]) or original(*given)
    )
    for cpu in ("x86-64-v3", "host", "x86-64-v3,-bmi2"):
        compile_for(GPUTarget("cpu", "cpu", 32), cpu=cpu)
    assert ["target=cpu:x86-64-v3,-bmi2" in words for words in isolated] == [True]


def main(names: list[str]) -> None:
    """Answers for the targets that are named: `90`, or `cpu:znver4`."""
    answers = {}
    for name in names:
        if name.startswith("cpu:"):
            answers[name] = answer(GPUTarget("cpu", "cpu", 32), cpu=name.removeprefix("cpu:"))
        else:
            answers[name] = answer(GPUTarget("shared_cuda", int(name), 32))
    print(json.dumps(answers))


if __name__ == "__main__":
    main(sys.argv[1:])
