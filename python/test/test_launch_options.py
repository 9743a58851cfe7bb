"""Every launch option of Triton's backends on both devices; docs/launch-options.md lists them."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import kernels
import pytest
import torch
import triton
import triton.language as tl
import triton_shared
from triton.backends.amd.compiler import HIPOptions
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia.compiler import CUDAOptions
from triton_shared import knobs
from triton_shared.cuda.options import CudaOptions
from triton_shared.options import LaunchOptions, Options
from triton_shared.target_options import FROM_LAUNCH_LINE, TargetOption, target_options

PAGE = Path(__file__).parents[2] / "docs" / "launch-options.md"
ROW = re.compile(r"^\| `(\w+)` \| (\w+) \| (.+?) \| (.+?) \|$", re.MULTILINE)
ROWS = {name: (owner, cpu, gpu) for name, owner, cpu, gpu in ROW.findall(PAGE.read_text())}

NEW = {option.field for option in target_options() if option.is_new}
"""Options that the native compiler alone names."""
OURS = {"mode", "cpu", "dot", "precise", *NEW}

VALUES: dict[str, Any] = {
    "num_warps": 8, "num_ctas": 2, "num_stages": 2, "warp_size": 32, "maxnreg": 64,
    "ptx_version": 87, "ptx_options": "-O1", "enable_fp_fusion": False,
    "enable_reflect_ftz": True, "sched4reg": True, "clc": True, "min_shared_mem": 4096,
    "launch_cooperative_grid": True, "launch_pdl": True, "extern_libs": {}, "arch": "sm80",
    "debug": True, "sanitize_overflow": False, "supported_fp8_dtypes": ("fp8e5",),
    "deprecated_fp8_dot_operand_dtypes": ("fp8e5",), "default_dot_input_precision": "ieee",
    "allowed_dot_input_precisions": ("ieee",), "max_num_imprecise_acc_default": 8,
    "instrumentation_mode": "", "fpsan_homomorphic_casts": False, "waves_per_eu": 2,
    "matrix_instr_nonkdim": 16, "kpack": 2, "allow_flush_denorm": True,
    "schedule_hint": "attention", "llvm_fn_attrs": "noinline", "wgp_cu_mode": "cu",
    "mode": "reference", "cpu": "x86-64-v3", "dot": "gpu-exact:sm_90a", "precise": True,
    "keep_warps": True,
    "specialize_warps": "never", "online_softmax": "deferred", "pointer_maps": "never",
}  # fmt: skip
"""One that is not the default, where any other means something."""
SET_BY_OTHERS = ("backend_name", "ir_override")
"""One by the backend; the other has tests of its own in test_overrides.py."""


def names_of(options: type) -> set[str]:
    return {field.name for field in fields(options)}


def compile_for_gpu(fn: Any = kernels.scale, block: int = 1024, **options: Any) -> Any:
    signature = {
        "x_ptr": "*fp32",
        "out_ptr": "*fp32",
        "n": "i32",
        "factor": "fp32",
        "BLOCK": "constexpr",
    }
    source = triton.compiler.ASTSource(fn, signature, constexprs={"BLOCK": block})
    return triton.compile(source, target=GPUTarget("shared_cuda", 90, 32), options=options)


def test_the_page_has_every_option_of_every_backend():
    assert names_of(CUDAOptions) | names_of(HIPOptions) <= set(ROWS)
    # What only older or newer versions of Triton have stays accepted.
    known = names_of(LaunchOptions) | NEW | {"allowed_dot_input_precisions"}
    internal = {"cluster_dims"}
    assert known - internal == set(ROWS)
    assert {name for name, (owner, _, _) in ROWS.items() if owner == "ours"} == OURS
    # A launch line may be for either device.
    assert names_of(Options) == names_of(CudaOptions) == names_of(LaunchOptions)


@pytest.mark.every(2)
@pytest.mark.parametrize("name", [n for n in ROWS if n not in SET_BY_OTHERS])
def test_an_option_of_any_backend_is_taken_on_both_devices(name: str):
    given = {name: VALUES[name]}
    x, out = torch.arange(64.0), torch.zeros(64)
    kernels.scale[(1,)](x, out, 64, 2.0, BLOCK=64, **given)
    assert torch.equal(out, 2 * x)
    assert compile_for_gpu(**given).asm["cubin"].startswith(b"\x7fELF")


@pytest.mark.parametrize("name", [n for n in ROWS if n not in SET_BY_OTHERS])
def test_what_is_ignored_changes_nothing_in_the_compiler(name: str):
    _, cpu, gpu = ROWS[name]
    for options, word in ((Options, cpu), (CudaOptions, gpu)):
        changed = options.parse({name: VALUES[name]})
        assert name in changed.__dict__
        if word.startswith("ignored"):
            assert changed.words() == options().words()


def test_every_option_of_the_compiler_is_said_on_its_device_and_no_other():
    for options, device in ((Options(), "cpu"), (CudaOptions(), "gpu")):
        said = [word.split("=")[0] for word in options.words().split()]
        ours = [o.name for o in target_options() if o.device == device]
        assert [name for name in said if name not in ("target", "ptxas", "libdevice")] == ours


def test_no_word_of_the_launch_line_is_for_an_option_that_is_gone():
    assert FROM_LAUNCH_LINE.keys() <= {option.name for option in target_options()}
    assert tuple(sorted(knobs.MODES)) == ("fast", "reference")
    (mode,) = (option for option in target_options() if option.name == "mode")
    assert set(mode.values.split(" or ")) == set(knobs.MODES)


def test_an_option_that_is_added_to_the_list_is_one_of_a_launch_line(
    monkeypatch: pytest.MonkeyPatch,
):
    added = TargetOption("more-speed", "gpu", "false", "true or false", "for a test")
    monkeypatch.setattr("triton_shared.options.target_options", lambda: (added,))
    assert "more-speed=false" in CudaOptions().words()
    assert "more-speed=true" in CudaOptions.parse({"more_speed": True}).words()
    assert CudaOptions.parse({"more_speed": True}).hash() != CudaOptions().hash()
    assert "more-speed" not in Options.parse({"more_speed": True}).words()
    with pytest.raises(ValueError, match="more_speed must be true or false; got 3"):
        Options.parse({"more_speed": 3})


def test_warps_that_are_kept_are_not_made_fewer():
    assert compile_for_gpu(block=64).metadata.block == [32, 4]
    assert compile_for_gpu(block=64, keep_warps=True).metadata.block == [128, 1]


def test_a_config_of_another_backend_runs():
    configs = [
        triton.Config({"BLOCK": 64, "matrix_instr_nonkdim": 16, "waves_per_eu": 2, "kpack": 1}),
        triton.Config({"BLOCK": 32, "schedule_hint": "attention"}, num_warps=8, num_stages=0),
    ]
    tuned = triton.autotune(configs, key=[])(kernels.scale)
    x, out = torch.arange(64.0), torch.zeros(64)
    tuned[lambda meta: (triton.cdiv(64, meta["BLOCK"]),)](x, out, 64, 2.0)
    assert torch.equal(out, 2 * x)


def test_a_misspelt_option_is_named():
    with pytest.raises(KeyError, match="num_warp was specified but unrecognised"):
        kernels.scale[(1,)](torch.ones(4), torch.ones(4), 4, 1.0, BLOCK=4, num_warp=8)


@pytest.mark.parametrize("options", [Options, CudaOptions])
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"num_warps": 0}, "num_warps must be a power of two from 1 to 32; got 0"),
        ({"num_warps": 3}, "num_warps must be a power of two from 1 to 32; got 3"),
        ({"num_warps": 64}, "num_warps must be a power of two from 1 to 32; got 64"),
        ({"num_warps": "4"}, "num_warps must be a power of two from 1 to 32; got '4'"),
        ({"num_ctas": 3}, "num_ctas must be a power of two from 1 to 16; got 3"),
        ({"num_stages": -1}, "num_stages must be a number of stages, or 0 for none; got -1"),
    ],
    ids=str,
)
def test_sizes_are_checked_alike(options: type[LaunchOptions], given: Any, message: str):
    with pytest.raises(ValueError, match=re.escape(message)):
        options.parse(given)


def test_sizes_are_checked_at_a_launch():
    with pytest.raises(ValueError, match="num_stages must be"):
        kernels.scale[(1,)](torch.ones(4), torch.ones(4), 4, 1.0, BLOCK=4, num_stages=-1)


# ---------------------------------------------------------------------------------------------
# What is honoured on a GPU
# ---------------------------------------------------------------------------------------------


def test_registers_have_a_limit():
    assert ".maxnreg" not in compile_for_gpu().asm["ptx"]
    assert ".maxnreg 40" in compile_for_gpu(maxnreg=40).asm["ptx"]
    with pytest.raises(ValueError, match="maxnreg must be a number of registers from 1 to 255"):
        CudaOptions(maxnreg=300)


def test_the_version_of_ptx_is_that_of_the_launch_line():
    assert ".version 8.6" in compile_for_gpu().asm["ptx"]
    assert ".version 8.7" in compile_for_gpu(ptx_version=87).asm["ptx"]
    with pytest.raises(
        triton_shared.CompilationError, match=r"PTX 7\.0 is too old for sm_90a.* needs PTX 8\.6"
    ):
        compile_for_gpu(ptx_version=70)
    with pytest.raises(triton_shared.CompilationError, match=r"PTX 9\.9 is unknown"):
        compile_for_gpu(ptx_version=99)


@triton.jit
def multiply_add(x_ptr, out_ptr, n, factor, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, x * factor + x)


def test_a_product_and_a_sum_are_fused_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch):
    assert "fma.rn.f32" in compile_for_gpu(multiply_add).asm["ptx"]
    for given in ({"enable_fp_fusion": False}, {"precise": True}):
        kernel = compile_for_gpu(multiply_add, **given)
        assert "fma." not in kernel.asm["ptx"]
        assert "FFMA" not in kernel.asm["sass"]
    monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", "0")
    assert not CudaOptions().fuses


@triton.jit
def exponential(x_ptr, out_ptr, n, factor, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.extra.libdevice.hypot(tl.load(x_ptr + at), factor))


def test_functions_of_libdevice_flush_denormals_if_asked():
    assert ".ftz" not in compile_for_gpu(exponential).asm["ptx"]
    assert ".ftz" in compile_for_gpu(exponential, enable_reflect_ftz=True).asm["ptx"]


def test_a_launch_has_the_shared_memory_that_it_asks_for():
    assert compile_for_gpu().metadata.shared == 0
    assert compile_for_gpu(min_shared_mem=4096).metadata.shared == 4096


def test_words_for_ptxas_reach_it():
    with pytest.raises(triton_shared.CudaError, match="no-such-option"):
        compile_for_gpu(ptx_options="--no-such-option")


def test_another_libdevice_is_linked(tmp_path: Path):
    broken = tmp_path / "libdevice.10.bc"
    broken.write_bytes(b"no bitcode")
    with pytest.raises(triton_shared.CompilationError, match=f"cannot read '{broken}'"):
        compile_for_gpu(exponential, extern_libs={"libdevice": str(broken)})


def test_an_architecture_is_asked_for():
    assert ".target sm_80" in compile_for_gpu(arch="sm80").asm["ptx"]
    with pytest.raises(ValueError, match=r"arch must be 'sm' and a compute capability.*'gfx942'"):
        CudaOptions(arch="gfx942")


def test_a_kernel_may_name_only_the_allowed_precisions():
    for options in (Options, CudaOptions):
        given = options.parse({"allowed_dot_input_precisions": ["ieee", "tf32"]})
        assert given.allowed_dot_input_precisions == ("ieee", "tf32")
        assert given.hash() != options().hash()


def test_products_of_small_floats_are_imprecise_by_default_where_tensor_cores_add_them_up():
    def default(**given: Any) -> int | None:
        return CudaOptions.parse(given).max_num_imprecise_acc_default

    assert default(arch="sm90") == 1 << 30
    assert default(arch="sm80") == default(arch="sm100") == default(precise=True) == 0
    assert default(max_num_imprecise_acc_default=8) == 8
    assert Options().max_num_imprecise_acc_default == 0
