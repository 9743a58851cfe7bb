"""Environment variables, Triton's own and ours, as docs/debugging.md lists them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest
import torch
import triton
import triton.language as tl
from kernels import scale
from triton.backends.compiler import GPUTarget
from triton_shared import CompilationError, check, library

SIGNATURE = {
    "x_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32", "factor": "fp32", "BLOCK": "constexpr",
}  # fmt: skip


@pytest.fixture(autouse=True)
def _cache(fresh_cache: Path) -> None:
    """An empty folder for each test."""


def launch() -> Any:
    """Launches as a new process would, and looks at the result; the compiled kernel."""
    scale.device_caches.clear()
    x, out = torch.arange(20.0), torch.zeros(20)
    kernel = scale[(1,)](x, out, 20, 2.0, BLOCK=32)
    assert torch.equal(out, 2 * x)
    return kernel


def compile_for_gpu() -> Any:
    source = triton.compiler.ASTSource(scale, SIGNATURE, constexprs={"BLOCK": 128})
    return triton.compile(source, target=GPUTarget("shared_cuda", 90, 32))


def hits(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Is added to by each launch: whether the kernel came from the cache."""
    found: list[bool] = []
    monkeypatch.setattr(
        triton.knobs.compilation, "listener", lambda **event: found.append(event["cache_hit"])
    )
    return found


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("scale.*")}


# Where kernels are kept.


def test_triton_home_is_where_the_cache_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("TRITON_CACHE_DIR")
    monkeypatch.setenv("TRITON_HOME", str(tmp_path / "home"))
    launch()
    assert "scale.obj" in files(tmp_path / "home" / ".triton" / "cache")


def test_always_compile_takes_nothing_from_the_cache(monkeypatch: pytest.MonkeyPatch):
    found = hits(monkeypatch)
    launch()
    launch()
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    launch()
    assert found == [False, True, False]


def test_the_binary_alone_is_stored(fresh_cache: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TRITON_STORE_BINARY_ONLY", "1")
    found = hits(monkeypatch)
    kernel = launch()
    assert "linalg" not in kernel.asm
    assert kernel.asm["obj"].startswith(b"\x7fELF")
    assert files(fresh_cache) == {"scale.source", "scale.obj", "scale.json"}
    launch()
    assert found == [False, True]


def test_the_cubin_alone_is_stored(fresh_cache: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TRITON_STORE_BINARY_ONLY", "1")
    assert compile_for_gpu().asm["cubin"].startswith(b"\x7fELF")
    assert files(fresh_cache) == {"scale.source", "scale.cubin", "scale.json"}


def run(program: str, **environment: str) -> str:
    """What a program prints, which reads the environment when it starts."""
    path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    known = {**os.environ, "TRITON_SHARED_ACTIVE": "1", "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-c", program], env={**known, **environment},
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


LAUNCH = "import test_switches as t; t.launch(); "


def test_another_keeper_of_the_cache_is_used(fresh_cache: Path):
    run(LAUNCH, TRITON_CACHE_MANAGER="triton.runtime.cache:FileCacheManager")
    names = {path.name for path in fresh_cache.rglob("*") if path.is_file()}
    assert {"scale.obj", "__grp__scale.json"} <= names
    assert "manifest.json" not in names


class Memory(triton.runtime.cache.RemoteCacheBackend):
    """A remote cache that is not remote."""

    kept: ClassVar[dict[str, dict[str, bytes]]] = {}

    def __init__(self, key: str) -> None:
        self._files = self.kept.setdefault(key, {})

    def get(self, filenames: list[str]) -> dict[str, bytes]:
        return {name: self._files[name] for name in filenames if name in self._files}

    def put(self, filename: str, data: bytes) -> None:
        self._files[filename] = data


def test_a_remote_cache_is_used():
    said = run(
        "import triton, shutil, os; found = []\n"
        "triton.knobs.compilation.listener = lambda **event: found.append(event['cache_hit'])\n"
        f"{LAUNCH}\n"
        "shutil.rmtree(os.environ['TRITON_CACHE_DIR'], ignore_errors=True)\n"
        "t.launch()\n"
        "import json\n"
        "print(json.dumps([found, [sorted(files) for files in t.Memory.kept.values()]]))",
        TRITON_CACHE_MANAGER="triton.runtime.cache:RemoteCacheManager",
        TRITON_REMOTE_CACHE_BACKEND="test_switches:Memory",
    )
    found, kept = json.loads(said)
    assert found == [False, True]
    assert any("scale.obj" in names for names in kept)


# What is shown.


def test_timing_shows_every_pass(monkeypatch: pytest.MonkeyPatch, capfd):
    launch()
    assert "Execution time report" not in capfd.readouterr().err
    monkeypatch.setenv("MLIR_ENABLE_TIMING", "1")
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    launch()
    said = capfd.readouterr().err
    # A table for each phase of ours, and those of the wheel.
    assert said.count("Execution time report") > 4
    assert "StructuredRecoverAccesses" in said


def test_the_ptx_is_shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setenv("NVPTX_ENABLE_DUMP", "1")
    kernel = compile_for_gpu()
    assert f"// -----// NVPTX Dump //----- //\n{kernel.asm['ptx']}\n" in capsys.readouterr().out


def test_the_log_of_ptxas_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("TRITON_DUMP_PTXAS_LOG", "1")
    compile_for_gpu()
    said = capsys.readouterr().out
    assert "ptxas info    : Used " in said
    assert "registers" in said


def test_options_for_ptxas_reach_it(monkeypatch: pytest.MonkeyPatch):
    usual = compile_for_gpu()
    monkeypatch.setenv("PTXAS_OPTIONS", "--opt-level 0")
    slow = compile_for_gpu()
    assert slow.asm["ptx"] == usual.asm["ptx"]
    assert len(slow.asm["sass"]) > 1.2 * len(usual.asm["sass"])
    assert slow.hash != usual.hash
    monkeypatch.setenv("PTXAS_OPTIONS", "--no-such-option")
    with pytest.raises(Exception, match="Unknown option '-no-such-option'"):
        compile_for_gpu()


def test_locations_of_the_text_take_the_place_of_the_source_s(
    fresh_cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    assert "kernels.py" in launch().asm["linalg"]
    monkeypatch.setenv("USE_IR_LOC", "ttir")
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    kernel = launch()
    assert "Creating new locations for " in capsys.readouterr().out
    (place,) = set(re.findall(r'loc\("([^"]*/scale\.ttir)"', kernel.asm["linalg"]))
    assert "tt.load" in Path(place).read_text()
    # The kernel itself is where it was.
    assert len(set(re.findall(r'kernels\.py":(\d+)', kernel.asm["linalg"]))) < 2


def test_a_reproducer_of_the_wheel_s_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TRITON_REPRODUCER_PATH", str(tmp_path / "kept"))
    launch()
    ours = tmp_path / "kept.triton_shared.repro.mlir"
    found = [path for path in tmp_path.glob("kept*") if path != ours]
    assert all("external_resources" in path.read_text() for path in found)
    assert found


@pytest.mark.parametrize(
    ("compiled", "function"), [(launch, "@scale.entry"), (compile_for_gpu, "@scale")]
)
def test_a_reproducer_of_our_passes_is_repeated_by_the_tool(
    compiled: Callable[[], Any], function: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("TRITON_REPRODUCER_PATH", str(tmp_path / "kept"))
    compiled()
    kept = tmp_path / "kept.triton_shared.repro.mlir"
    assert "tt.func public @scale" in kept.read_text()
    done = subprocess.run(
        [library.tool(), "--run-reproducer", kept], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert re.search(rf"llvm.func.*{re.escape(function)}\(", done.stdout)


def test_no_line_tables_are_made(monkeypatch: pytest.MonkeyPatch):
    kernel = launch()
    assert "!dbg" not in kernel.asm["llir"]
    assert ".loc" not in compile_for_gpu().asm["ptx"]
    monkeypatch.setenv("TRITON_DISABLE_LINE_INFO", "1")
    assert launch().asm["llir"] == kernel.asm["llir"]


def test_autotuning_is_shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setenv("TRITON_PRINT_AUTOTUNING", "1")
    configs = [triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 32})]
    x, out = torch.arange(20.0), torch.zeros(20)
    triton.autotune(configs, key=["n"], warmup=1, rep=1)(scale)[(2,)](x, out, 20, 2.0)
    assert torch.equal(out, 2 * x)
    said = capsys.readouterr().out
    assert "best config selected: BLOCK: " in said


@triton.jit
def square(x, out, N: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    block = tl.load(x + at)
    tl.store(out + at, tl.dot(block, block))


@pytest.mark.parametrize("precision", ["", "tf32"])
def test_dots_that_name_no_precision_get_the_chosen_one(
    precision: str, monkeypatch: pytest.MonkeyPatch
):
    if precision:
        monkeypatch.setenv("TRITON_F32_DEFAULT", precision)
    out = torch.zeros(16, 16)
    square.device_caches.clear()
    kernel = square[(1,)](torch.eye(16), out, N=16)
    assert torch.equal(out, torch.eye(16))
    assert ("inputPrecision = tf32" in kernel.asm["ttir"]) == (precision == "tf32")


def test_the_interpreter_is_triton_s(fresh_cache: Path):
    said = run(
        "import triton, torch, kernels\n"
        "x, out = torch.arange(20.0), torch.zeros(20)\n"
        "kernels.scale[(1,)](x, out, 20, 2.0, BLOCK=32)\n"
        "print(torch.equal(out, 2 * x), type(kernels.scale).__name__)",
        TRITON_INTERPRET="1",
    )
    assert said == "True InterpretedFunction\n"
    assert not fresh_cache.exists() or not files(fresh_cache)


def test_errors_are_shown_without_being_asked_for(monkeypatch: pytest.MonkeyPatch):
    from test_source_lines import assembly

    texts = []
    for switch in ("", "warnings,remarks,operations"):
        monkeypatch.setenv("MLIR_ENABLE_DIAGNOSTICS", switch)
        with pytest.raises(CompilationError) as caught:
            assembly[(1,)](torch.zeros(8, dtype=torch.int32), N=8)
        texts.append(str(caught.value))
    assert "error: " in texts[0]
    assert texts[0] == texts[1]


# Ours.


@pytest.mark.parametrize("switch", ["0", "1"])
def test_checks_are_switched_off(switch: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TRITON_SHARED_CHECKS", switch)
    monkeypatch.setenv("TRITON_INSTRUMENTATION_MODE", "check-bounds")
    # The kernel writes behind its tensor, and not behind the memory.
    x, out = torch.arange(32.0), torch.zeros(32)
    with check() as report:
        scale[(1,)](x, out[:20], 32, 2.0, BLOCK=32)
    assert report.is_clean == (switch == "0")
    assert torch.equal(out[20:], 2 * x[20:]) == (switch == "0")
