"""The parts of the package that need no Triton; where they compile, something stands in."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
from triton_shared import knobs, launcher, library, lowering
from triton_shared.errors import CompilationError, TritonSharedError
from triton_shared.options import Options


def kinds(signature: dict) -> list[str]:
    flat = [p for top in launcher.parameters(signature) for p in top.flat()]
    return [kind for p in flat for kind in p.kinds]


def test_constexprs_vanish_and_tuples_are_flattened():
    signature = {"p": "*fp32", "B": "constexpr", "t": ("i32", ("fp64", "constexpr")), "b": "u1"}
    assert kinds(signature) == ["ptr", "i32", "f64", "i1"]


def test_a_descriptor_brings_shape_and_strides():
    once = ["ptr", "i64", "i64", "i64", "i64", "i1", "i1"]
    assert kinds({"d": "tensordesc<fp16[16, 64]>"}) == [*once, "i32", "i32", "i64", "i64"]
    assert kinds({0: "!tt.tensordesc<tensor<16x64xf16>>"}) == once
    assert kinds({0: "!tt.tensordesc<16x64xf16>"}) == once


def test_a_type_that_cannot_be_passed_is_named():
    with pytest.raises(TritonSharedError, match="parameter 'x' has type 'quad'"):
        kinds({"x": "quad"})


def test_plans_number_the_flat_parameters():
    signature = {"p": "*fp32", "t": ("i32", "u64"), "B": "constexpr"}
    number = count()
    plan = [parameter.as_plan(number) for parameter in launcher.parameters(signature)]
    assert plan == [
        ("pointer", "p", 0, "ptr", False, 0, False),
        (
            "tuple",
            "t",
            [
                ("value", "t[0]", 1, "i32", False, 0, False),
                ("value", "t[1]", 2, "i64", True, 0, False),
            ],
        ),
        ("skip", "B", 3, "", False, 0, False),
    ]


def test_a_signature_that_does_not_fit_the_kernel_is_refused():
    source = SimpleNamespace(signature={"x": "i32"})
    metadata = SimpleNamespace(name="k", args=["f32"])
    with pytest.raises(
        TritonSharedError, match=r"compiled for the arguments \(f32\), but .* \(i32"
    ):
        launcher.make_launcher(source, metadata)


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        (["grid.x", "tensor_map"], "kernel 'k' has the hidden parameter 'tensor_map', which its"),
        (["grid.y", "grid.x"], r"compiled for the hidden parameters \(grid.y, grid.x\), but the"),
    ],
)
def test_hidden_parameters_that_the_runtime_does_not_pass_are_refused(
    kinds: list[str], message: str
):
    metadata = SimpleNamespace(name="k", args=[], hidden=[{"kind": kind} for kind in kinds])
    with pytest.raises(TritonSharedError, match=message):
        launcher.make_launcher(SimpleNamespace(signature={}), metadata)


def test_options_are_part_of_the_cache_key():
    assert Options().hash() == Options().hash()
    assert Options().hash() != Options(num_warps=8).hash()
    assert Options.parse({"num_warps": 8, "BLOCK": 3, "maxnreg": None}) == Options(num_warps=8)


def test_knobs(monkeypatch: pytest.MonkeyPatch):
    assert knobs.active() in (None, True, False)
    for text, value in (("1", True), ("0", False), ("yes", None), ("", None)):
        monkeypatch.setenv("TRITON_SHARED_ACTIVE", text)
        assert knobs.active() is value
    monkeypatch.setenv("TRITON_SHARED_THREADS", "3")
    monkeypatch.setenv("TRITON_SHARED_GRID_ORDER", "reverse")
    assert knobs.launch_settings() == knobs.LaunchSettings(3, "reverse", 0)
    monkeypatch.setenv("TRITON_SHARED_THREADS", "many")
    with pytest.raises(ValueError, match="TRITON_SHARED_THREADS must be a number, got 'many'"):
        knobs.launch_settings()
    with pytest.raises(ValueError, match="threads must be 0"):
        knobs.LaunchSettings(threads=-1)


def test_variables_that_nothing_reads_are_named_once(monkeypatch: pytest.MonkeyPatch):
    knobs.warn_of_strangers.cache_clear()
    monkeypatch.setenv("TRITON_SHARED_THREDS", "1")
    monkeypatch.setenv("TRITON_SHARED_ZZZ", "1")
    monkeypatch.setenv("TRITON_SHARED_TEST_RECORD", "")
    with pytest.warns(UserWarning, match="nothing reads the variable") as caught:
        knobs.warn_of_strangers()
    knobs.warn_of_strangers()
    said = [str(warning.message) for warning in caught]
    assert len(said) == 2
    assert said[0] == (
        "nothing reads the variable TRITON_SHARED_THREDS; the nearest is TRITON_SHARED_THREADS"
    )
    assert said[1].startswith("nothing reads the variable TRITON_SHARED_ZZZ; there are TRITON_")


def test_every_variable_of_ours_is_known_by_name():
    text = Path(knobs.__file__).read_text()
    read = set(re.findall(r'"TRITON_SHARED_([A-Z_]+)"', text)) - {""}
    assert read == set(knobs._OURS)


class FakeCompilation:
    """A compilation that upper-cases its input, or fails in a phase."""

    def __init__(self, source: str, failing: str | None = None):
        self.succeeded = failing is None
        self.diagnostics = "" if self.succeeded else "k.py:3:1: error: not today"
        self.metadata = '{"name": "k", "entry": "run_k", "args": ["i32"]}'
        self._failing = failing
        self._source = source

    def artefact(self, phase: str) -> bytes:
        phases = library.phases("cpu")
        reached = phases.index(self._failing) if self._failing else len(phases)
        return f"{phase} of {self._source}".encode() if phases.index(phase) < reached else b""


@pytest.fixture
def fake_compiler(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Stands in for the native library; the list fills with what it compiled."""
    compiled: list[str] = []

    def compile_text(source: str, options: str, *, printed_by_triton: bool) -> FakeCompilation:
        compiled.append(source)
        return FakeCompilation(source, "memref" if "bad" in source else None)

    monkeypatch.setattr("triton_shared.library.compile_text", compile_text)
    monkeypatch.setattr("triton_shared.library.version", lambda: "0")
    return compiled


def test_one_compilation_serves_all_stages(fake_compiler: list[str]):
    metadata: dict = {}
    made: object = "kernel"
    for phase, stage in lowering.Lowering(Options()).stages().items():
        made = stage(made, metadata)
        assert made == (b"obj of kernel" if phase == "obj" else f"{phase} of kernel")
    assert fake_compiler == ["kernel"]
    assert metadata["entry"] == "run_k"
    assert metadata["shared"] == 1
    assert len(metadata["obj_sha256"]) == 64


def test_a_replaced_phase_is_compiled_from_there(fake_compiler: list[str]):
    metadata: dict = {}
    stages = lowering.Lowering(Options()).stages()
    stages["structured"]("kernel", metadata)
    assert stages["linalg"]("edited", metadata) == "linalg of edited"
    assert stages["memref"]("edited again", metadata) == "memref of edited again"
    assert fake_compiler == ["kernel", "edited", "edited again"]


def test_the_phase_that_fails_is_the_one_that_raises(fake_compiler: list[str]):
    stages = lowering.Lowering(Options()).stages()
    made = stages["linalg"](stages["structured"]("bad", {}), {})
    with pytest.raises(CompilationError) as caught:
        stages["memref"](made, {"name": "k"})
    assert str(caught.value).splitlines() == [
        "kernel 'k' did not compile: phase 'memref' failed",
        "k.py:3:1: error: not today",
        "set TRITON_SHARED_DUMP=<folder> to keep the input of the failing phase",
    ]


def test_importing_the_package_imports_neither_triton_nor_torch():
    code = "import sys, triton_shared; assert not {'triton', 'torch', 'numpy'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


UNASKED = (
    "asyncio", "dask", "difflib", "distributed", "filelock", "hypothesis",
    "numpy", "pip", "platformdirs", "pytest", "rich", "secrets", "sqlite3", "tomllib", "torch",
    "triton_shared._native", "triton_shared.blame", "triton_shared.campaign",
    "triton_shared.check.finding", "triton_shared.check.report", "triton_shared.diff",
    "triton_shared.emulate", "triton_shared.measure", "triton_shared.repro",
    "triton_shared.verification", "yaml",
)  # fmt: skip
"""What a kernel that compiles, launches and is right does without."""


@pytest.mark.parametrize("package", ["triton", "triton_shared"])
def test_an_import_loads_nothing_that_nobody_has_asked_for(package: str):
    """Triton loads its backends' modules with itself: who imports it pays for ours."""
    code = f"import sys, {package}; print(*(name for name in {UNASKED!r} if name in sys.modules))"
    said = subprocess.run(
        [sys.executable, "-c", code], check=True, timeout=60, text=True, stdout=subprocess.PIPE
    ).stdout
    assert said.split() == []


def test_threads_may_load_the_library_at_once():
    code = """
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from triton_shared import library
start = Barrier(16)
def load(_):
    start.wait()
    return library.native().version()
with ThreadPoolExecutor(16) as pool:
    print(len(set(pool.map(load, range(16)))))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("1\n", "")


@pytest.mark.parametrize("first", ["triton", "triton_shared", "triton_shared.backend.compiler"])
def test_any_import_order(first: str):
    code = f"import {first}, triton; assert 'cpu' in triton.backends.backends"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
