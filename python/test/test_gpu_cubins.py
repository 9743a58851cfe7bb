"""Every kernel becomes machine code for sm_80 and sm_90a that ptxas has nothing to say about.

Without a GPU: ptxas tells what a kernel costs. What is not fine are its warnings about serialised
matrix instructions (C75xx) and memory that only threads use, unless gpu_stacks.toml has a reason.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import corpus_runs
import fake_cuda
import pytest
import tomllib
import triton
from examples import all_cases
from examples.case import Case
from test_benchmarks import problems, tensors
from tree import ROOT
from triton.backends.compiler import GPUTarget
from triton.runtime.jit import JITFunction
from triton.tools.disasm import get_sass
from triton_shared import library
from triton_shared.backend.gpu.driver import SharedCudaDriver
from triton_shared.cuda import tools
from triton_shared.frontend import Target, parse_options

ARCHS = ("80", "90a")
VINTAGE = "3.6.0" if triton.__version__ < "3.8" else "3.9.0"
WARPS = {c["name"]: c["opts"].get("num_warps", 4) for c in corpus_runs.load_corpus().CASES}
SOURCES = {
    name: path
    for path in sorted((ROOT / "test" / "corpus" / "ttir").glob(f"*-{VINTAGE}.mlir"))
    # The newest Triton has kernels that this one cannot say.
    if (name := path.stem.removesuffix(f"-{VINTAGE}")) in WARPS
}

STACKS: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("gpu_stacks.toml").read_text()
)


@dataclass(frozen=True)
class Facts:
    """What ptxas says about one kernel."""

    stack: int
    """Bytes that each thread has in memory, spilled registers included."""
    warnings: tuple[str, ...]
    left_out: int = 0
    """Products of which ptxas believes that their result is known."""
    cubin: bytes = field(default=b"", compare=False, repr=False)

    @staticmethod
    def read(log: str) -> Facts:
        stacks = [int(n) for n in re.findall(r"(\d+) bytes stack frame", log)]
        assert stacks, f"ptxas names no kernel:\n{log}"
        lines = [line for line in log.splitlines() if "warning" in line or "(C75" in line]
        return Facts(max(stacks), tuple(lines))


def test_warnings_and_stacks_are_found():
    log = """\
ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized
ptxas info    : Compiling entry function 'f' for 'sm_90a'
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
    16 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads
"""
    facts = Facts.read(log)
    assert facts.stack == 16
    assert len(facts.warnings) == 1
    strange = Facts(16, ()), Facts(0, ("warning : …",)), Facts(0, (), left_out=1)
    for name, found in zip("fghi", (facts, *strange), strict=True):
        with pytest.raises(AssertionError, match=name):
            assert_fine(name, found)


def to_cubin(text: str, arch: str, warps: int, stages: int = 3, **options: str) -> Facts:
    """Compiles the text of a phase up to `linalg`; `options` are more of a launch."""
    target = Target.parse(f"cuda:{arch}")
    chosen = parse_options(target, {"num_warps": warps, "num_stages": stages, **options})
    made = library.compile_text(text, f"{chosen.words()} to-phase=cubin", printed_by_triton=True)
    assert made.succeeded, made.diagnostics
    log = json.loads(made.metadata)["ptxas_log"]
    return read_facts(log, made.artefact("ptx").decode(), made.artefact("cubin"))


def read_facts(log: str, ptx: str, cubin: bytes) -> Facts:
    assert cubin.startswith(b"\x7fELF")
    left_out = count_left_out(cubin) if "wgmma" in ptx else 0
    return replace(Facts.read(log), left_out=left_out, cubin=cubin)


def count_left_out(cubin: bytes) -> int:
    """In the place of a product of four warps that it leaves out, ptxas puts one of nothing."""
    return len(re.findall(r"GMMA\S* RZ, gdesc\[URZ\]", tools.disassemble(cubin)))


def assert_fine(name: str, facts: Facts) -> None:
    allowed = STACKS.get(name, {"bytes": 0})["bytes"]
    assert not facts.warnings, f"{name}: {facts.warnings}"
    assert not facts.left_out, f"{name}: {facts.left_out} products are not in the machine code"
    assert facts.stack <= allowed, (
        f"{name}: each thread uses {facts.stack} bytes of memory, not {allowed} as gpu_stacks.toml "
        "allows: registers are spilled, or an array is not in registers"
    )


def measure_corpus(name: str) -> list[Facts]:
    return [to_cubin(SOURCES[name].read_text(), arch, WARPS[name]) for arch in ARCHS]


@pytest.mark.parametrize("name", SOURCES)
def test_corpus(name: str):
    for facts in measure_corpus(name):
        assert_fine(f"corpus {name}", facts)


class Elsewhere(SharedCudaDriver):
    """A GPU that can only be compiled for."""

    def get_current_target(self) -> Any:
        return GPUTarget("shared_cuda", 90, 32)

    def get_current_device(self) -> str:
        return "shared_cuda:0"

    def get_current_stream(self, device: Any = None) -> int:
        return 0


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """What is compiled in the test, where it would have been launched."""
    fake_cuda.choose()
    found: list[Any] = []
    original = JITFunction.run

    def run(self: Any, *arguments: Any, grid: Any, warmup: bool, **keywords: Any) -> Any:
        made = original(self, *arguments, grid=grid, warmup=True, **keywords)
        found.append(made)
        return made

    monkeypatch.setattr(JITFunction, "run", run)
    before = triton.runtime.driver._active
    triton.runtime.driver.set_active(Elsewhere())
    yield found
    triton.runtime.driver.set_active(before)


@pytest.mark.every(2)
@pytest.mark.parametrize("softmax", ["deferred", "speculative"])
@pytest.mark.parametrize("dims", [64, 128])
def test_products_go_on_where_sums_are_rarely_rescaled(
    dims: int, softmax: str, compiled: list[Any], monkeypatch: pytest.MonkeyPatch
):
    """The branch round the product is one that all threads of a warp take; what a turn that is
    computed again needs fits into registers, too."""
    monkeypatch.setattr(tensors, "DEVICE", "meta")
    name = f"attention by descriptors f16 {8192 // dims}x4096x{dims}"
    no_generator: Any = None
    TIMED[name].launch(TIMED[name].make(no_generator), TIMED[name].configs[4])
    facts = to_cubin(compiled[0].asm["ttir"], "90a", 8, 2, online_softmax=softmax)
    assert facts == Facts(stack=0, warnings=())


def test_a_warp_copies_for_both_loops_of_causal_attention_by_pointers(
    compiled: list[Any], monkeypatch: pytest.MonkeyPatch
):
    """Under one guard; on threads alone it is a fifth slower."""
    monkeypatch.setattr(tensors, "DEVICE", "meta")
    problem = TIMED["attention f16 64x4096x128 causal"]
    config = next(c for c in problem.configs if c["BN"] == 128)
    no_generator: Any = None
    problem.launch(problem.make(no_generator), config)
    assert "setmaxnreg.inc" in compiled[0].asm["ptx"]


_GRADIENTS = [p.name for p in problems.all_problems() if " gradients " in p.name]


@pytest.mark.nightly
@pytest.mark.parametrize("name", _GRADIENTS)
def test_no_product_begins_with_a_zero_that_others_read(
    name: str, compiled: list[Any], monkeypatch: pytest.MonkeyPatch
):
    """ptxas would wait for it before the copies that go on beside it, or, in the one turn of a
    loop along the diagonal, run all products of the kernel one by one; and groups of warps can
    hand over registers even where all of them use few."""
    monkeypatch.setattr(tensors, "DEVICE", "meta")
    no_generator: Any = None
    memory = TIMED[name].make(no_generator)
    for config in TIMED[name].configs:
        if not fits_into_registers(config, name):
            continue
        TIMED[name].launch(memory, config)
        text = compiled.pop().asm["ttir"]
        facts = to_cubin(text, "90a", config["num_warps"], config["num_stages"])
        assert facts == Facts(stack=0, warnings=()), config


_SEEN: set[str] = set()
"""What has been compiled: shapes often differ in what the kernel is given alone."""


def measure(kernels: list[Any]) -> Iterator[tuple[str, Facts]]:
    """The facts of the kernels that are new to this process, with each architecture."""
    assert kernels
    for kernel in kernels:
        warps, stages = kernel.metadata.num_warps, kernel.metadata.num_stages
        key = f"{warps} {stages} {kernel.asm['ttir']}"
        if key in _SEEN:
            continue
        _SEEN.add(key)
        assert ".target sm_90a" in kernel.asm["ptx"]
        yield "90a", read_facts(kernel.metadata.ptxas_log, kernel.asm["ptx"], kernel.asm["cubin"])
        yield "80", to_cubin(kernel.asm["ttir"], "80", warps, stages)


@pytest.mark.parametrize("case", list(all_cases()), ids=str)
def test_examples(case: Case, compiled: list[Any]):
    case.run()
    for _, facts in measure(compiled):
        assert_fine(f"example {case.kernel}", facts)


TIMED = {problem.name: problem for problem in problems.all_problems()}
SOME_TIMED = (
    "add f32 2^24", "softmax f16 4096x512", "layer norm f32 4096x2048", "rms norm f16 4096x8192",
    "matmul f16 4096", "matmul f16 16x8192x8192",
    "matmul f16 32 of 1024", "matmul f16 64x8192x8192 in parts of K",
    "matmul f16 by i8 16x8192x8192", "attention f16 64x4096x128",
    "attention f16 64x4096x128 causal", "attention f16 32x4096x256",
    "attention of turned values e4m3 64x4096x128", "attention of turned values e5m2 128x4096x64",
    "attention f16 16x16384x128 window 1024", "attention f16 8 lengths to 4096, 16 heads of 128",
    "attention of one token f16 128x8192x128, 16 heads, pages of 16",
    "attention gradients of keys f16 64x4096x128 causal",
    "attention gradients of queries f16 64x4096x128",
    "gather rows f16 65536x1024", "cumsum f32 4096x4096", "atomic histogram i32 2^24 into 65536",
    "argmax bf16 8192x8192", "sort f32 65536x512", "cross entropy bf16 4096x131072",
    "dropout f16 2^26",
)  # fmt: skip


def check_timed(
    name: str, configs: tuple[Any, ...], compiled: list[Any], mp: pytest.MonkeyPatch,
    spills: tuple[str, ...] = (),
) -> None:  # fmt: skip
    """That all are fine; for the architectures in `spills`, without a look at stacks."""
    # Nobody looks at the memory, which would not fit here.
    mp.setattr(tensors, "DEVICE", "meta")
    no_generator: Any = None
    memory = TIMED[name].make(no_generator)
    for config in configs:
        TIMED[name].launch(memory, config)
    for arch, facts in measure(compiled):
        assert_fine(f"timed {name}", replace(facts, stack=0) if arch in spills else facts)


@pytest.mark.parametrize("name", SOME_TIMED)
def test_timed_kernels(name: str, compiled: list[Any], monkeypatch: pytest.MonkeyPatch):
    check_timed(name, TIMED[name].configs[1:2], compiled, monkeypatch)


def fits_into_registers(config: dict[str, int], name: str) -> bool:
    """Whether what a thread must hold leaves it room to work, whoever compiles the kernel: sums,
    scores, and operands that are of 16 bits for the tensor cores but not in memory."""
    threads = 32 * config["num_warps"]
    if "BLOCK" in config:
        return config["BLOCK"] <= 32 * threads
    if "BM" not in config:
        return True
    dims = int(re.findall("(?:x|heads of )([0-9]+)", name)[-1]) if "attention" in name else 0
    if " gradients " in name:
        sums = config["BM"] * dims if " of queries " in name else 2 * config["BN"] * dims
        return sums + 2 * config["BM"] * config["BN"] <= 192 * threads
    if dims:
        return config["BM"] * (config["BN"] + dims) <= 160 * threads
    decodes = " by mx" in name or " fp8 " in name
    decoded = (config["BM"] + config["BN"]) * config["BK"] // 2 if decodes else 0
    return config["BM"] * config["BN"] + decoded <= 128 * threads


@pytest.mark.nightly
@pytest.mark.parametrize("name", TIMED)
def test_timed_kernels_in_all_configurations(
    name: str, compiled: list[Any], monkeypatch: pytest.MonkeyPatch
):
    configs = tuple(c for c in TIMED[name].configs if fits_into_registers(c, name))
    check_timed(name, configs, compiled, monkeypatch, spills=("80",))


_MATRIX = "GMMA"
"""What the names of `wgmma` have in machine code: HGMMA, IGMMA, QGMMA."""


def find_loops(sass: str) -> list[list[str]]:
    """The instructions of each innermost loop with products of groups of warps."""
    lines = [line.rpartition("\t")[2].rstrip(";") for line in sass.splitlines()[1:]]
    begins = {line.rstrip(":"): number for number, line in enumerate(lines) if line.endswith(":")}
    spans = []
    for end, line in enumerate(lines):
        begin = begins.get(line.rpartition(" ")[2], end) if "BRA" in line else end
        if any(_MATRIX in one for one in lines[begin:end]):
            spans.append((begin, end))
    inner = [
        span for span in spans
        if not any(span != other and span[0] <= other[0] and other[1] <= span[1] for other in spans)
    ]  # fmt: skip
    return [lines[begin:end] for begin, end in inner]


@pytest.mark.every(2)
@pytest.mark.parametrize(
    "name",
    [
        *(f"matmul f16 4096{order}" for order in ("", " NT", " TN")),
        *("matmul tf32 4096 NT", "matmul i8 4096 NT", "matmul fp8 4096 NT"),
        *(f"matmul f16 4096 NT by {kind}" for kind in ("descriptors", "persistent descriptors")),
        "matmul f16 16x8192x8192",
    ],
)
def test_all_threads_know_where_operands_lie(
    name: str, compiled: list[Any], monkeypatch: pytest.MonkeyPatch
):
    """Registers become uniform (R2UR) in no turn but for copies that one thread asks for."""
    monkeypatch.setattr(tensors, "DEVICE", "meta")
    no_generator: Any = None
    TIMED[name].launch(TIMED[name].make(no_generator), TIMED[name].configs[0])
    loops = [loop for kernel in compiled for loop in find_loops(get_sass(kernel.asm["cubin"]))]
    assert loops
    for loop in loops:
        assert not [one for one in loop if one.startswith("R2UR")]


@pytest.mark.parametrize(
    "name",
    [
        # All configurations of what is timed take long.
        pytest.param(name, marks=pytest.mark.nightly if name.startswith("timed ") else ())
        for name in STACKS
    ],
)
def test_what_is_allowed_is_needed(name: str, compiled: list[Any], monkeypatch: pytest.MonkeyPatch):
    assert STACKS[name]["reason"]
    kind, kernel = name.split(" ", 1)
    monkeypatch.setattr("test_gpu_cubins._SEEN", set())
    if kind == "corpus":
        found = measure_corpus(kernel)
    elif kind == "timed":
        monkeypatch.setattr(tensors, "DEVICE", "meta")
        no_generator: Any = None
        memory = TIMED[kernel].make(no_generator)
        for config in TIMED[kernel].configs:
            TIMED[kernel].launch(memory, config)
        found = [facts for _, facts in measure(compiled)]
    else:
        assert kind == "example"
        for case in all_cases():
            if case.kernel == kernel:
                case.run()
        found = [facts for _, facts in measure(compiled)]
    # How much it is differs between versions of ptxas.
    assert any(facts.stack > 0 for facts in found), f"gpu_stacks.toml is stale: {name}"
