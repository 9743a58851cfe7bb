"""Another backend whose stages call our passes, in its own process: docs/embedding.md."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
import triton
import triton.language as tl
from tree import ROOT
from triton._C.libtriton import ir, passes
from triton.backends.compiler import BaseBackend, GPUTarget
from triton.compiler import ASTSource
from triton_shared import ext
from triton_shared.errors import CompilationError

VERSION = tuple(map(int, triton.__version__.split(".")[:2]))
LIBTRITON = next((Path(triton.__file__).parent / "_C").glob("libtriton*.so"))
STORE = """module {
  tt.func public @store(%p: !tt.ptr<i32>, %v: i32) {
    %c = arith.constant 2 : i32
    %d = arith.muli %v, %c : i32
    tt.store %p, %d : !tt.ptr<i32>
    tt.return
  }
}
"""


@triton.jit
def rows(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.device_assert(n > 0)
    tl.store(out + at, tl.load(x + at % n), mask=at < n)


class ToyOptions:
    """What Triton's compiler asks the options of a launch for."""

    num_warps = num_ctas = num_stages = 1
    cluster_dims = (1, 1, 1)
    shared = 0
    debug = True
    sanitize_overflow = False
    arch = instrumentation_mode = ""
    extern_libs = None
    supported_fp8_dtypes = deprecated_fp8_dot_operand_dtypes = ()
    allowed_dot_input_precisions = ("ieee",)
    default_dot_input_precision = "ieee"
    max_num_imprecise_acc_default = 0
    enable_fp_fusion = True
    warp_size = 1
    backend_name = "toy"

    def hash(self) -> str:
        return "toy"


class ToyBackend(BaseBackend):
    """Of somebody else: its own clean-up by the wheel's passes, then ours, then its own text."""

    binary_ext = "toy"
    pipeline = "triton-to-linalg-experimental{enable-modulo-support=false enable-collapse-shape=1}"

    @staticmethod
    def supports_target(target: Any) -> bool:
        return bool(target.backend == "toy")

    def hash(self) -> str:
        return "toy"

    def parse_options(self, opts: dict[str, Any]) -> Any:
        options = ToyOptions()
        options.__dict__.update({n: getattr(ToyOptions, n) for n in dir(ToyOptions) if n[0] != "_"})
        options.__dict__.pop("hash")
        return options

    def pack_metadata(self, metadata: Any) -> tuple[()]:
        return ()

    def get_codegen_implementation(self, options: Any) -> dict[str, Any]:
        return {"min_dot_size": lambda left, right: (1, 1, 1)}

    def get_module_map(self) -> dict[str, Any]:
        return {}

    def load_dialects(self, ctx: Any) -> None:
        """None besides the wheel's."""

    def add_stages(self, stages: dict[str, Any], options: Any, language: Any = None) -> None:
        stages["ttir"] = self._make_ttir
        stages["linalg"] = lambda module, metadata: ext.run_passes(module, self.pipeline)
        stages["toy"] = lambda text, metadata: text.replace("linalg.", "toy.").encode()

    @staticmethod
    def _make_ttir(module: Any, metadata: dict[str, Any]) -> Any:
        manager = ir.pass_manager(module.context)
        passes.common.add_inliner(manager)
        passes.common.add_canonicalizer(manager)
        manager.run(module, "make_ttir")
        metadata["name"], metadata["shared"] = module.get_entry_func_name(), 0
        # Ours on the way, and back into the wheel's own MLIR.
        return ext.read_module(ext.run_passes(module, "triton-combine,cse"), module.context)


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    from triton import backends

    monkeypatch.setitem(backends.backends, "toy", backends.Backend(ToyBackend, None))  # type: ignore[arg-type]
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    signature = {"x": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": "constexpr"}
    source = ASTSource(rows, signature, {"BLOCK": 64})
    return triton.compile(source, target=GPUTarget("toy", "", 1))


def test_the_stages_of_another_backend_call_our_passes(compiled: Any):
    assert compiled.asm["linalg"].count("func.func @rows(") == 1
    assert "memref<*xf32>" in compiled.asm["linalg"]
    assert "cf.assert" in compiled.asm["linalg"]
    assert "toy.generic" in bytes(compiled.asm["toy"]).decode()


def test_lines_of_the_kernel_reach_the_other_backend(compiled: Any):
    assert re.search(r'loc\(".*test_ext\.py":\d+', compiled.asm["linalg"])


def test_text_goes_in_as_well_as_a_module():
    made = ext.run_passes(STORE, "canonicalize,triton-to-linalg{accesses=structured}")
    assert "tts.store" in made
    assert "func.func @store(" in made


def test_ttir_comes_back_as_a_module_of_the_wheel():
    context = ir.context()
    ir.load_dialects(context)
    module = ext.read_module(ext.run_passes(STORE, "canonicalize"), context)
    assert module.get_entry_func_name() == "store"
    assert "arith.muli" in str(module) or "arith.shli" in str(module)


def test_what_a_pass_refuses_has_its_place_and_reason():
    with pytest.raises(CompilationError, match="has no portable meaning") as caught:
        ext.run_passes(
            STORE.replace(
                "arith.muli %v, %c : i32",
                'tt.extern_elementwise %v {libname = "l", libpath = "", pure = true, '
                'symbol = "strange"} : (i32) -> i32',
            ),
            "triton-to-linalg",
        )
    assert re.search(r":4:\d+: error:", caught.value.diagnostics)
    with pytest.raises(CompilationError, match="does not refer to a registered pass"):
        ext.run_passes(STORE, "no-such-pass")


@pytest.mark.parametrize("pipeline", ["", "a b", "a{b=1", "to-phase=obj keep=times"])
def test_what_is_no_pipeline_is_refused(pipeline: str):
    with pytest.raises(ValueError, match="is no pipeline"):
        ext.run_passes(STORE, pipeline)


def test_the_wheel_cannot_hold_linalg():
    """Why results are text: the operations of linalg are not in libtriton, of any version."""
    symbols = subprocess.run(
        ["nm", "-D", "-C", "--defined-only", LIBTRITON], capture_output=True, text=True, check=True
    ).stdout
    assert "mlir::linalg::GenericOp" not in symbols
    assert "mlir::bufferization::ToTensorOp" not in symbols
    assert "mlir::scf::ForOp" in symbols or VERSION < (3, 8)
    context = ir.context()
    ir.load_dialects(context)
    with pytest.raises(RuntimeError):
        ext.read_module(ext.run_passes(STORE, "triton-to-linalg"), context)


@pytest.mark.skipif(VERSION < (3, 8), reason="plugins came with Triton 3.8")
def test_the_wheel_s_plugins_are_made_with_an_mlir_that_nobody_packages():
    """A plugin hands over `mlir::Pass` objects, and the layout of these follows MLIR's version."""
    plugins = Path(triton.__file__).parent / "plugins"
    (versioned,) = plugins.glob("libMLIRDialectPlugin.so.*")
    assert versioned.name.endswith("git")
    assert not versioned.name.startswith("libMLIRDialectPlugin.so.22")
    assert b"TRITON_PLUGIN_PATHS" in LIBTRITON.read_bytes()
    assert not list(Path(triton.__file__).parent.rglob("mlir/Pass/Pass.h"))


@pytest.mark.parametrize("first", ["triton._C.libtriton", "triton_shared.library"])
def test_both_mlirs_live_in_one_process(first: str):
    code = (
        f"import {first}, triton._C.libtriton as l; from triton_shared import ext; "
        "c = l.ir.context(); l.ir.load_dialects(c); "
        f"print(ext.read_module(ext.run_passes({STORE!r}, 'cse'), c))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "tt.store" in done.stdout


def test_the_extension_wheel_has_no_backend(tmp_path: Path):
    """The rest of it is the other wheel's, which scripts/check wheel builds and tries."""
    loader = SourceFileLoader("build_wheel", str(ROOT / "scripts" / "build-wheel"))
    spec = spec_from_loader("build_wheel", loader)
    assert spec
    script = module_from_spec(spec)
    loader.exec_module(script)
    for has_backends, name in ((True, "triton_shared"), (False, "triton_shared_ext")):
        stage = tmp_path / name
        (stage / "triton_shared").mkdir(parents=True)
        wheel = script.pack(stage, ["3.11"], (2, 36), tmp_path, has_backends=has_backends)
        assert wheel.name == f"{name}-0.1.0-cp311-none-manylinux_2_36_x86_64.whl"
        with ZipFile(wheel) as packed:
            entries = packed.read(f"{name}-0.1.0.dist-info/entry_points.txt").decode()
            facts = packed.read(f"{name}-0.1.0.dist-info/METADATA").decode()
        assert ("[triton.backends]" in entries) == has_backends
        assert "triton-shared-opt = " in entries
        assert f"Name: {name.replace('_', '-')}\n" in facts
