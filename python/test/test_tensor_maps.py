"""Tensor maps at a launch: what the driver is asked to encode, when, and what it never sees."""

from __future__ import annotations

import struct
import subprocess
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import aot_programs
import fake_cuda
import pytest
import torch
import triton_shared
from fake_cuda import Array, FakeCuda
from test_cuda_launch import Launch, cuda, hidden
from triton.tools.tensor_descriptor import TensorDescriptor
from triton_shared import TritonSharedError, aot
from triton_shared.aot.hidden import hidden_parameters
from triton_shared.aot.kernel import kernel_arguments

__all__ = ["cuda"]

BASE = 0x7F00_0000_1000


def number(value: int | str) -> dict[str, int]:
    """`"arg 2"`, or a constant."""
    if isinstance(value, str):
        return {"argument": int(value.removeprefix("arg "))}
    return {"constant": value}


def tensor_map(
    sizes: list[int | str],
    strides: list[int | str],
    box: list[int],
    element: str = "f16",
    swizzle: int = 128,
    is_nan: int | str = 0,
    base: int = 0,
) -> dict[str, Any]:
    """A hidden parameter, as the compiler lists it."""
    facts = {
        "element": element,
        "base": base,
        "box": box,
        "swizzle": swizzle,
        "is_nan_outside": number(is_nan),
    }
    facts |= {"sizes": [number(n) for n in sizes], "strides": [number(n) for n in strides]}
    return {"kind": "tensor_map", "bytes": 128, "alignment": 64, "map": facts}


MATRIX = tensor_map(["arg 1", 4096], ["arg 2", 1], [128, 64])
"""Of `a`, with rows and a stride that are arguments."""
MISSING = hidden("tensor_maps.missing", 4)


def matrix(*more: dict[str, Any], kinds: tuple[str, str] = ("i32", "i64")) -> Launch:
    """A kernel with the map of a matrix."""
    signature = {"a": "*fp16", "m": kinds[0], "stride": kinds[1]}
    kinds = tuple(kind.replace("u", "i") for kind in kinds)
    return Launch(signature, ["ptr", *kinds], hidden=[MATRIX, *more])


def a(address: int = BASE) -> Array:
    return Array(address, torch.float16)


def encodings(lines: list[str]) -> list[dict[str, str]]:
    """What the driver was asked to encode, each with its fields by name."""
    found = [line.split()[1:] for line in lines if line.startswith("cuTensorMapEncodeTiled")]
    return [dict(word.split("=", 1) for word in words) for words in found]


def passed(lines: list[str]) -> list[list[bytes]]:
    """The parameters of each launch."""
    found = [line.split()[-1] for line in lines if line.startswith("cuLaunchKernelEx")]
    return [
        [bytes.fromhex(text) for text in word.removeprefix("args=").split(",")] for word in found
    ]


def test_a_map_is_encoded_from_the_arguments_and_passed_by_value(cuda: FakeCuda):
    launch = matrix(hidden("grid.x", 4))
    cuda.take()
    launch(a(), 1000, 5120, grid=(7, 1, 1))
    lines = cuda.take()
    (encoding,) = encodings(lines)
    held = encoding.pop("map")
    assert encoding == {
        "type": "6",
        "address": str(BASE),
        "sizes": "4096,1000",
        "strides": "10240",
        "box": "64,128",
        "steps": "1,1",
        "interleave": "0",
        "swizzle": "3",
        "promotion": "2",
        "fill": "0",
    }
    ((base, m, stride, given, grid),) = passed(lines)
    assert given == bytes.fromhex(held).ljust(128, b"\0")
    assert (base, m, stride, grid) == (
        struct.pack("<Q", BASE), struct.pack("<i", 1000), struct.pack("<q", 5120),
        struct.pack("<I", 7),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("element", "kind", "size"),
    [
        ("f16", 6, 2), ("bf16", 9, 2), ("f32", 7, 4), ("f64", 8, 8), ("i8", 0, 1), ("i16", 1, 2),
        ("i32", 3, 4), ("i64", 5, 8), ("f8E4M3FN", 0, 1), ("f8E5M2", 0, 1),
    ],
)  # fmt: skip
def test_element_types(cuda: FakeCuda, element: str, kind: int, size: int):
    one = tensor_map([3, 80], [80, 1], [2, 16], element, swizzle=0)
    Launch({"a": "*i8"}, ["ptr"], hidden=[one])(Array(BASE, torch.int8))
    (encoding,) = encodings(cuda.take())
    assert (encoding["type"], encoding["strides"]) == (str(kind), str(80 * size))


@pytest.mark.parametrize("rank", [1, 2, 3, 4, 5])
def test_dimensions_are_given_the_other_way_round(cuda: FakeCuda, rank: int):
    sizes, strides, box = [2, 3, 4, 5, 64], [3840, 1280, 320, 64, 1], [1, 2, 3, 4, 8]
    one = tensor_map(sizes[-rank:], strides[-rank:], box[-rank:], "f32", 32, 1)
    Launch({"a": "*fp32"}, ["ptr"], hidden=[one])(Array(BASE))
    (encoding,) = encodings(cuda.take())
    assert encoding["sizes"] == ",".join(map(str, sizes[-rank:][::-1]))
    assert encoding["strides"] == ",".join(str(4 * s) for s in strides[-rank:-1][::-1])
    assert encoding["box"] == ",".join(map(str, box[-rank:][::-1]))
    assert encoding["steps"] == ",".join("1" * rank)
    assert (encoding["swizzle"], encoding["fill"]) == ("1", "1")


def test_a_map_is_encoded_once_for_the_same_numbers(cuda: FakeCuda):
    launch = matrix()
    numbers = [(a(), 1000, 5120), (a(BASE + 16), 1000, 5120), (a(), 999, 5120), (a(), 1000, 5128)]
    given = []
    for _ in range(3):
        for values in numbers:
            launch(*values)
        lines = cuda.take()
        given.append([one[-1] for one in passed(lines)])
        assert len(encodings(lines)) == (len(numbers) if len(given) == 1 else 0)
    assert given[0] == given[1] == given[2]
    assert len(set(given[0])) == len(numbers)


def test_threads_get_the_maps_of_their_own_numbers(cuda: FakeCuda):
    launch = matrix()

    def work(first: int) -> None:
        for i in range(200):
            launch(a(BASE + 16 * (first + i % 7)), 1000, 5120)

    threads = [threading.Thread(target=work, args=(100 * i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = cuda.take()
    address_of = {one["map"]: int(one["address"]) for one in encodings(lines)}
    launches = passed(lines)
    assert len(launches) == 800
    for base, _, _, given in launches:
        assert address_of[given[:8].hex()] == int.from_bytes(base, "little")


def test_more_maps_than_fit_on_the_stack(cuda: FakeCuda):
    maps = [tensor_map([64 + i], [1], [8], swizzle=0) for i in range(9)]
    Launch({"a": "*fp16"}, ["ptr"], hidden=maps)(a())
    lines = cuda.take()
    assert [one["sizes"] for one in encodings(lines)] == [str(64 + i) for i in range(9)]
    ((_, *given),) = passed(lines)
    assert [one[:8].hex() for one in given] == [one["map"] for one in encodings(lines)]


def test_a_map_of_a_descriptor(cuda: FakeCuda):
    """Shape and strides of a `TensorDescriptor` are arguments like others."""
    kinds = ["i32", "ptr", "i64", "i64", "i64", "i64", "i1", "i1", "i32", "i32", "i64", "i64"]
    one = tensor_map(["arg 2", "arg 3"], ["arg 4", 1], [16, 64], is_nan="arg 6", base=1)
    signature = {"n": "i32", "N": "constexpr", "d": "tensordesc<fp16[16, 64]>"}
    launch = Launch(signature, kinds, hidden=[one])
    whole = torch.empty(48, 128, dtype=torch.float16)
    descriptor = TensorDescriptor.from_tensor(whole, [16, 64])
    descriptor.base = a()
    launch(5, 1, descriptor)
    (encoding,) = encodings(cuda.take())
    fields = ("address", "sizes", "strides", "fill")
    assert [encoding[name] for name in fields] == [str(BASE), "128,48", "256", "0"]
    descriptor.padding = "nan"
    launch(5, 1, descriptor)
    (encoding,) = encodings(cuda.take())
    assert encoding["fill"] == "1"
    descriptor.strides = [12, 1]
    with pytest.raises(ValueError, match=r"argument 'd.strides\[0\]' of kernel 'kernel' is 12, in"):
        launch(5, 1, descriptor)


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ((a(BASE + 8), 9, 64), r"(?s)'a' of kernel 'kernel' lies at address 0x7f0000001008: .*"
                               "at a multiple of 16 bytes\npass a tensor that begins there"),
        ((None, 9, 64), "'a' of kernel 'kernel' lies at address 0x0"),
        ((a(), 0, 64), "'m' of kernel 'kernel' is 0: .* 'a' by TMA, which takes 1 to 2.32 elements "
                       "along a dimension\nlaunch no kernel for a tensor without elements"),
        ((a(), -5, 64), "'m' of kernel 'kernel' is -5"),
        ((a(), 9, 63), "'stride' of kernel 'kernel' is 63, in elements of 2 bytes: .* 'a' by TMA, "
                       "which takes strides that are multiples of 16 bytes and below 2.40\npad"),
        ((a(), 9, -64), "'stride' of kernel 'kernel' is -64"),
        ((a(), 9, 2**39), "'stride' of kernel 'kernel' is 549755813888"),
    ],
)  # fmt: skip
def test_numbers_that_no_map_can_have(cuda: FakeCuda, values: tuple[Any, ...], complaint: str):
    launch = matrix()
    cuda.take()
    with pytest.raises(ValueError, match=complaint):
        launch(*values)
    assert not cuda.take()


def test_bytes_that_cannot_be_nan(cuda: FakeCuda):
    one = tensor_map([64], [1], [16], "f8E5M2", swizzle=0, is_nan="arg 3")
    launch = Launch(
        {"d": "tensordesc<fp8e5[16]>"},
        ["ptr", "i64", "i64", "i1", "i1", "i32", "i64"],
        hidden=[one],
    )
    descriptor = TensorDescriptor(torch.empty(64, dtype=torch.float8_e5m2), [64], [1], [16])
    descriptor.base = Array(BASE, torch.float8_e5m2)
    launch(descriptor)
    assert encodings(cuda.take())[0]["fill"] == "0"
    descriptor.padding = "nan"
    complaint = r"'d.padding' of kernel 'kernel' asks for NaN outside of tensor 'd': .* zeros only"
    with pytest.raises(ValueError, match=complaint):
        launch(descriptor)


def test_a_tensor_without_elements_is_no_error_in_an_empty_grid(cuda: FakeCuda):
    launch = matrix()
    cuda.take()
    for grid in ((0, 1, 1), (1, 0, 1), (1, 1, 0)):
        launch(None, 0, 64, grid=grid)
    assert not cuda.take()


def test_the_largest_numbers_are_taken(cuda: FakeCuda):
    launch = matrix(kinds=("i64", "i64"))
    launch(a(), 2**32, 2**39 - 8)
    (encoding,) = encodings(cuda.take())
    assert (encoding["sizes"], encoding["strides"]) == (f"4096,{2**32}", str(2**40 - 16))
    with pytest.raises(ValueError, match="'m' of kernel 'kernel' is 4294967297"):
        launch(a(), 2**32 + 1, 64)


def test_an_unsigned_number_is_not_negative(cuda: FakeCuda):
    matrix(kinds=("u32", "u64"))(a(), 2**32 - 1, 64)
    (encoding,) = encodings(cuda.take())
    assert encoding["sizes"] == f"4096,{2**32 - 1}"


def test_a_kernel_that_asks_is_told_which_maps_are_missing(cuda: FakeCuda):
    other = tensor_map(["arg 1"], [1], [8], swizzle=0)
    launch = matrix(MISSING, other)
    asked = [(a(), 9, 64), (a(), 9, 63), (a(), 0, 64), (a(BASE + 2), 9, 64)]
    for values in asked:
        launch(*values)
    launches = passed(cuda.take())
    assert [int.from_bytes(one[4], "little") for one in launches] == [0, 0b01, 0b11, 0b11]
    assert all(one[3] == bytes(128) for one in launches[1:])
    assert launches[1][5] == launches[0][5] != bytes(128)


def test_a_map_that_the_driver_refuses(cuda: FakeCuda):
    launch, asks = matrix(), matrix(MISSING)
    cuda.fail("cuTensorMapEncodeTiled", 1)
    try:
        with pytest.raises(triton_shared.CudaError) as caught:
            launch(a(), 9, 64)
        asks(a(), 9, 64)
    finally:
        cuda.fail("cuTensorMapEncodeTiled", 0)
    text = "GPU 0 does not copy from argument 'a' of kernel 'kernel' by TMA: CUDA_ERROR_INVALID"
    assert text in str(caught.value)
    ((_, _, _, given, missing),) = passed(cuda.take())
    assert (given, missing) == (bytes(128), struct.pack("<I", 1))
    launch(a(), 9, 64)
    assert len(encodings(cuda.take())) == 1


def test_a_map_that_was_forgotten_is_encoded_again(cuda: FakeCuda):
    launch = matrix()
    for i in (*range(17), 0, 16):
        launch(a(BASE + 16 * i), 9, 64)
    addresses = [(int(one["address"]) - BASE) // 16 for one in encodings(cuda.take())]
    assert addresses == [*range(17), 0]


# Programs made ahead of time.


def ahead(folder: Path, *listed: dict[str, Any]) -> tuple[aot.Kernel, list[Path]]:
    """A launcher in C of a kernel `(a, m, stride)` that has these hidden parameters."""
    signature, grid = "*fp16, i32, i64", "m, 1, 1"
    (folder / "kernel.py").write_text(_EMPTY)
    kernel = aot.compile_kernel(folder / "kernel.py", "kernel", signature, grid, target="cuda:90")
    hidden = hidden_parameters(kernel.symbol, "cuda", listed, kernel_arguments(kernel.parameters))
    sizes = ["8", "4", "8", *(str(one["bytes"]) for one in listed)]
    cubin = " ".join(["FAKE", kernel.symbol, *sizes]).encode().ljust(256, b"\0")
    kernel = replace(kernel, hidden=hidden, artefacts={"cubin": cubin})
    return kernel, aot.write(kernel, folder / "kernel", ["so", "h", "c"])


_EMPTY = """
import triton

@triton.jit
def kernel(a, m, stride):
    pass
"""


@pytest.fixture
def current(cuda: FakeCuda, monkeypatch: pytest.MonkeyPatch) -> FakeCuda:
    """The driver, for programs that ask for a current context."""
    monkeypatch.setenv("TRITON_SHARED_LIBCUDA", str(fake_cuda.LIBRARY))
    return cuda


def test_a_program_made_ahead_of_time_encodes(current: FakeCuda, tmp_path: Path):
    kernel, (library, header, _) = ahead(tmp_path, hidden("grid.x", 4), MATRIX)
    program = aot.Program(library, header)
    program(BASE, 1000, 5120, stream=0)
    lines = current.take()
    (encoding,) = encodings(lines)
    fields = ("type", "address", "sizes", "strides", "box", "swizzle", "promotion", "fill")
    assert [encoding[name] for name in fields] == [
        *("6", str(BASE), "4096,1000", "10240", "64,128", "3", "2", "0")
    ]
    ((_, _, _, grid, given),) = passed(lines)
    assert grid == struct.pack("<I", 1000)
    assert given == bytes.fromhex(encoding["map"]).ljust(128, b"\0")
    assert kernel.symbol in lines[-1]
    with pytest.raises(TritonSharedError, match="CUresult 1"):
        program(BASE + 8, 1000, 5120, stream=0)
    assert not current.launches()


def test_a_program_made_ahead_of_time_is_told_which_maps_are_missing(
    current: FakeCuda, tmp_path: Path
):
    one = tensor_map([2**32, "arg 1"], [0, 1], [1, 8], swizzle=0)
    _, (library, header, _) = ahead(tmp_path, MATRIX, MISSING, one)
    program = aot.Program(library, header)
    program(BASE, 9, 64, stream=0)
    program(BASE, 9, 63, stream=0)
    program(BASE + 8, 9, 64, stream=0)
    launches = passed(current.take())
    assert [int.from_bytes(one[4], "little") for one in launches] == [0, 0b01, 0b11]
    assert [one[3] == bytes(128) for one in launches] == [False, True, True]


@pytest.mark.parametrize("command", [aot_programs.C, aot_programs.CPP])
def test_its_launcher_is_c_and_cpp(tmp_path: Path, command: tuple[str, ...]):
    _, (_, _, source) = ahead(tmp_path, MATRIX, MISSING)
    language = "c++" if command is aot_programs.CPP else "c"
    line = [*command, "-O2", "-c", "-x", language, str(source), "-o", str(tmp_path / "made.o")]
    subprocess.run(line, check=True)
