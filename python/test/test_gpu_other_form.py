"""Kernels that take their tensor maps for granted, and the other form for launches without them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from fake_cuda import Array, FakeCuda
from test_gpu_guarded_boxes import (
    ONES,
    Launch,
    by_elements,
    compile_product,
    matmul,
    sums_of_columns,
)
from triton.backends.compiler import GPUTarget
from triton_shared.cuda.other_form import OPTION, TEXT
from triton_shared.explain.gathering import Question, gather
from triton_shared.frontend import ast_to_ttir

BLOCKS = {"BM": 128, "BN": 128, "BK": 64, "PRECISION": "tf32"}
BASE = 0x7F00_0000_1000


def kinds(hidden: Any) -> list[str]:
    return [one["kind"] for one in hidden]


# What the compiler makes.


@pytest.mark.parametrize("order", ONES)
@pytest.mark.parametrize(("kernel", "axes"), [(matmul, 1), (by_elements, 2)], ids=["wrap", "mask"])
def test_a_product_that_takes_its_maps_for_granted(
    kernel: Any, axes: int, order: str, tmp_path: Path
):
    compiled = compile_product(tmp_path, kernel, order, are_multiples=False, maps="assumed")
    assert kinds(compiled.hidden).count("tensor_map") == 2
    assert "tensor_maps.missing" not in kinds(compiled.hidden)
    for shape in [(128, 64, 128), (64, 128, 64), (80, 96, 144), (64, 80, 16), (72, 56, 208)]:
        launch = Launch(*shape, order)
        for seed in (0, 1):
            assert torch.equal(launch.run(compiled, axes, seed), launch.want)


def test_it_says_so_where_a_map_is_missing(tmp_path: Path):
    compiled = compile_product(tmp_path, matmul, "NN", are_multiples=False, maps="assumed")
    with pytest.raises(ValueError, match="TMA cannot do with the numbers"):
        Launch(64, 64, 65, "NN").run(compiled)


@pytest.mark.parametrize("order", ONES)
def test_the_other_form_has_no_maps(order: str, tmp_path: Path):
    compiled = compile_product(tmp_path, matmul, order, are_multiples=False, maps="never")
    assert "tensor_map" not in kinds(compiled.hidden)
    for shape in [(64, 64, 64), (65, 33, 17), (129, 70, 77)]:
        launch = Launch(*shape, order)
        assert torch.equal(launch.run(compiled), launch.want)


def test_what_a_program_decides_is_asked_by_the_program(tmp_path: Path):
    """Rows that count twice: whether a block has such ones is not known before the launch."""
    compiled = compile_product(tmp_path, sums_of_columns, "NN", maps="assumed")
    assert "tensor_maps.missing" in kinds(compiled.hidden)


# What Triton launches.


def array(address: int = BASE) -> Array:
    return Array(address, torch.float16)


def launch(m: int = 256, row: int = 128, a: int = BASE, **options: Any) -> Any:
    """Of a product of rows that are `row` apart."""
    blocks = {**BLOCKS, "num_warps": 4, **options}
    ones = {"a_column": 1, "b_column": 1}
    sizes = (m, 128, 128)
    return matmul[(1,)](array(a), array(), array(), *sizes, a_row=row, b_row=128, **ones, **blocks)


def maps_of(fake: FakeCuda) -> list[int]:
    """How many each launch was given."""
    return [
        [len(text) // 2 for text in one["args"].split(",")].count(128) for one in fake.launches()
    ]


def test_a_launch_with_all_maps_takes_the_first_form(cuda: FakeCuda):
    metadata = launch().metadata
    assert metadata.assumes_maps
    assert "tt.func public @matmul" in getattr(metadata, TEXT)
    assert maps_of(cuda) == [2]


@pytest.mark.parametrize(
    "unfit", [{"row": 129}, {"a": BASE + 2}, {"m": 2**30 + 1}], ids=["stride", "address", "rows"]
)
def test_a_launch_without_a_map_takes_the_other_form(cuda: FakeCuda, unfit: dict[str, int]):
    kernel = launch(**unfit)
    again = launch(**unfit)
    assert kernel.metadata.assumes_maps
    assert again.hash == kernel.hash
    assert maps_of(cuda) == [0, 0]


def test_the_other_form_is_made_once(cuda: FakeCuda, monkeypatch: pytest.MonkeyPatch):
    made = []
    original = triton.compile

    def compile(*args: Any, **named: Any) -> Any:
        made.append(named["options"][OPTION])
        return original(*args, **named)

    monkeypatch.setattr(triton, "compile", compile)
    for row in (129, 130, 131):
        launch(row=row, num_warps=8)
    assert made == ["never"]


def test_hooks_are_called_once(cuda: FakeCuda, monkeypatch: pytest.MonkeyPatch):
    called = []
    hooks = triton.knobs.runtime
    monkeypatch.setattr(hooks, "launch_enter_hook", lambda _metadata: called.append("enter"))
    monkeypatch.setattr(hooks, "launch_exit_hook", lambda _metadata: called.append("exit"))
    launch(row=129)
    assert called == ["enter", "exit"]


@pytest.mark.parametrize(("maps", "given"), [("guarded", 2), ("never", 0)])
def test_a_launch_line_may_choose(cuda: FakeCuda, maps: str, given: int):
    metadata = launch(**{OPTION: maps}).metadata
    assert not metadata.assumes_maps
    assert not getattr(metadata, TEXT)
    assert maps_of(cuda) == [given]


@pytest.mark.parametrize("phase", ["cta", "llir", "ptx"])
def test_what_somebody_has_replaced_has_no_other_form(cuda: FakeCuda, phase: str, tmp_path: Path):
    """The launch says what it cannot do with, instead of running something else."""
    text = launch().asm[phase]
    comment = {"cta": "// mine", "llir": "; mine", "ptx": "// mine"}[phase]
    (tmp_path / f"mine.{phase}").write_text(f"{text}\n{comment}\n")
    override = {"ir_override": str(tmp_path / f"mine.{phase}")}
    cuda.take()
    launch(**override)
    assert maps_of(cuda) == [2]
    with pytest.raises(ValueError, match="strides that are multiples of 16 bytes"):
        launch(row=129, **override)


def test_an_unknown_choice_names_the_known_ones(cuda: FakeCuda):
    with pytest.raises(ValueError, match="pointer_maps must be guarded or assumed or never"):
        launch(**{OPTION: "perhaps"})


@triton.jit
def _with_tuple(pair, c, K, B: tl.constexpr, BK: tl.constexpr):
    """A tuple of arguments, and constants between them."""
    rows, ks = tl.arange(0, B), tl.arange(0, BK)
    total = tl.zeros((B, B), dtype=tl.float32)
    a, b = pair
    for k in range(0, K, BK):
        left = tl.load(a + rows[:, None] * K + (k + ks)[None, :], (k + ks < K)[None, :], 0)
        right = tl.load(b + rows[None, :] * K + (k + ks)[:, None], (k + ks < K)[:, None], 0)
        total = tl.dot(left, right, total)
    tl.store(c + rows[:, None] * B + rows[None, :], total)


def test_arguments_of_every_form_arrive(cuda: FakeCuda):
    out = Array(BASE, torch.float32)
    kernel = _with_tuple[(1,)]((array(), array(BASE + 2)), out, 130, B=64, BK=64, num_warps=4)
    (one,) = cuda.launches()
    assert kernel.metadata.assumes_maps
    values = [int.from_bytes(bytes.fromhex(text), "little") for text in one["args"].split(",")]
    assert values[:4] == [BASE, BASE + 2, BASE, 130]


def test_compiling_for_a_gpu_that_has_no_copy_engine():
    signature = {"a": "*fp16", "b": "*fp16", "c": "*fp16", "M": "i32", "N": "i32", "K": "i32"}
    signature |= {"a_row": "i32", "a_column": "constexpr", "b_row": "i32", "b_column": "constexpr"}
    constants = {"a_column": 1, "b_column": 1, **BLOCKS}
    signature |= dict.fromkeys(BLOCKS, "constexpr")
    source = triton.compiler.ASTSource(matmul, signature, constexprs=constants)
    metadata = triton.compile(source, target=GPUTarget("shared_cuda", 80, 32)).metadata
    assert not metadata.assumes_maps
    assert not getattr(metadata, TEXT)


class Matrix(Array):
    """What an autotuner asks besides."""

    shape = (256, 128)


def test_a_search_compiles_the_other_forms_together(
    cuda: FakeCuda, monkeypatch: pytest.MonkeyPatch
):
    """Once the first one is timed, all are in Triton's cache."""
    compiled, timed = [], []
    original = triton.compile

    def compile(*args: Any, **named: Any) -> Any:
        compiled.append(named["options"]["num_stages"])
        return original(*args, **named)

    def time(run: Any, **_: Any) -> list[float]:
        timed.append(len(compiled))
        run()
        return [1.0, 1.0, 1.0]

    monkeypatch.setattr(triton, "compile", compile)
    monkeypatch.setattr(triton.testing, "do_bench", time)
    stages = (3, 2, 4)
    configs = [triton.Config({**BLOCKS, "BK": 32}, num_warps=4, num_stages=n) for n in stages]
    tuned = triton.autotune(configs, key=["M", "a_row"])(matmul)
    ones = {"a_column": 1, "b_column": 1}
    for row, count in ((128, 0), (129, 3)):
        compiled.clear()
        timed.clear()
        tuned[(1,)](*[Matrix(BASE, torch.float16)] * 3, 256, 128, 128, row, b_row=128, **ones)
        assert sorted(set(compiled)) == sorted(stages[:count])
        assert timed == [0, count, count + bool(count)]


def test_the_other_form_is_loaded_where_the_first_is(
    cuda: FakeCuda, monkeypatch: pytest.MonkeyPatch
):
    from triton_shared.cuda import launcher
    from triton_shared.cuda.other_form import OtherForm

    loaded = []

    def load(name: str, cubin: bytes, shared: int, device: int) -> SimpleNamespace:
        loaded.append(device)
        return SimpleNamespace(device=device)

    kernel = launch()
    other = OtherForm(kernel.metadata, kernel.src.signature, 0)
    launched = []
    monkeypatch.setattr(launcher, "load", load)
    monkeypatch.setattr(launcher, "make_launcher", lambda *_: lambda *args: launched.append(args))
    for device in (1, 0, 1):
        first = SimpleNamespace(device=device)
        other(5, 1, 1, 7, first, "packed", "metadata", "enter", "exit", "a", "b")
    assert loaded == [1, 0]
    assert [args[4].device for args in launched] == [1, 0, 1]
    assert launched[0][:4] == (5, 1, 1, 7)
    assert launched[0][5:] == ("packed", None, None, None, "a", "b")


@pytest.mark.parametrize(("options", "is_asked"), [({}, False), ({OPTION: "guarded"}, True)])
def test_what_is_explained_is_what_triton_launches(options: dict[str, Any], is_asked: bool):
    names = ("a", "b", "c", "M", "N", "K", "a_row", "b_row")
    kinds = dict.fromkeys(names[:3], "*fp16") | dict.fromkeys(names[3:], "i32")
    ones = {"a_column": 1, "b_column": 1, **BLOCKS}
    ttir = ast_to_ttir(matmul, kinds, ones, names, target="cuda:90")
    report = gather(Question(ttir, "cuda:90", options))
    text = str(report["phases"])
    assert "cta.copy_box" in text
    assert ("tensor_maps.missing" in text) == is_asked
