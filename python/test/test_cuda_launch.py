"""Launches on a GPU, down to the bytes that the driver gets: the driver here is a fake."""

from __future__ import annotations

import hashlib
import struct
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import fake_cuda
import pytest
import torch
import triton
import triton_shared
from fake_cuda import Array, FakeCuda
from triton.tools.tensor_descriptor import TensorDescriptor
from triton_shared.cuda import gpus, launcher

SIZES = {"ptr": 8, "i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8}
SIZES |= {"f16": 2, "bf16": 2, "f32": 4, "f64": 8}


@pytest.fixture
def cuda() -> Iterator[FakeCuda]:
    fake_cuda.choose()
    fake = FakeCuda()
    gpus.set_current(0)
    fake.take()
    yield fake
    for function in ("cuLaunchKernelEx", "cuModuleLoadDataEx", "cuDevicePrimaryCtxRetain"):
        fake.fail(function, 0)


def hidden(kind: str, size: int) -> dict[str, Any]:
    """A parameter that the launch fills in, as the compiler lists it."""
    return {"kind": kind, "bytes": size, "alignment": size}


class Launch:
    """A kernel that exists only in its signature."""

    def __init__(
        self,
        signature: dict[str, Any],
        kinds: list[str],
        shared: int = 0,
        device: int = 0,
        **facts: Any,
    ) -> None:
        sizes = [SIZES[kind] for kind in kinds] + [one["bytes"] for one in facts.get("hidden", [])]
        text = " ".join(["FAKE kernel", *map(str, sizes)])
        self.binary = launcher.load("kernel", text.encode(), shared, device)
        metadata = {
            "name": "kernel",
            "args": kinds,
            "num_warps": 4,
            "block": [32 * facts.get("num_warps", 4), 1],
            "hidden": [],
            "launch_bounds": [],
            "cubin_sha256": self.binary.cubin_sha256,
            "hash": "0" * 64,
            **facts,
        }
        self.run = launcher.make_launcher(
            SimpleNamespace(signature=signature), SimpleNamespace(**metadata)
        )

    def __call__(
        self, *args: Any, grid: tuple[int, int, int] = (1, 1, 1), stream: Any = 0, **hooks: Any
    ) -> None:
        enter, leave = hooks.get("enter"), hooks.get("leave")
        self.run(*grid, stream, self.binary, (4, 1, 0), "metadata", enter, leave, *args)


def packed(fake: FakeCuda) -> list[bytes]:
    """The parameters of the one launch that was made."""
    (launch,) = fake.launches()
    return [bytes.fromhex(text) for text in launch["args"].split(",") if text]


@pytest.mark.parametrize(
    ("type_name", "kind", "value", "bytes_"),
    [
        ("*fp32", "ptr", Array(0x1122334455667788), struct.pack("<Q", 0x1122334455667788)),
        ("*fp32", "ptr", None, bytes(8)),
        ("*fp32", "ptr", 0xFFFF_FFFF_FFFF_FFF0, struct.pack("<Q", 0xFFFF_FFFF_FFFF_FFF0)),
        ("i1", "i1", True, b"\1"),
        ("u1", "i1", False, b"\0"),
        ("i8", "i8", -3, struct.pack("<b", -3)),
        ("u8", "i8", 200, struct.pack("<B", 200)),
        ("i16", "i16", -30000, struct.pack("<h", -30000)),
        ("u16", "i16", 60000, struct.pack("<H", 60000)),
        ("i32", "i32", -(2**31), struct.pack("<i", -(2**31))),
        ("u32", "i32", 2**32 - 1, struct.pack("<I", 2**32 - 1)),
        ("i64", "i64", -(2**63), struct.pack("<q", -(2**63))),
        ("u64", "i64", 2**64 - 1, struct.pack("<Q", 2**64 - 1)),
        ("fp16", "f16", 1.5, struct.pack("<e", 1.5)),
        ("bf16", "bf16", 1 + 2**-7 + 2**-9, b"\x81\x3f"),
        ("fp32", "f32", 0.1, struct.pack("<f", 0.1)),
        ("fp64", "f64", 0.1, struct.pack("<d", 0.1)),
    ],
)
def test_a_value_has_its_natural_c_type(
    cuda: FakeCuda, type_name: str, kind: str, value: Any, bytes_: bytes
):
    Launch({"x": type_name}, [kind])(value)
    assert packed(cuda) == [bytes_]


def test_constexprs_vanish_and_tuples_are_flat(cuda: FakeCuda):
    signature = {"a": "i32", "B": "constexpr", "t": ("*fp16", ("i8", "constexpr"), "i64")}
    launch = Launch(signature, ["i32", "ptr", "i8", "i64"])
    launch(7, 128, (Array(4096, torch.float16), (5, 6), 9))
    assert packed(cuda) == [
        struct.pack("<i", 7),
        struct.pack("<Q", 4096),
        b"\5",
        struct.pack("<q", 9),
    ]


def test_a_descriptor_is_its_base_shape_and_strides(cuda: FakeCuda):
    kinds = ["ptr", "i64", "i64", "i64", "i64", "i1", "i1", "i32", "i32", "i64", "i64"]
    launch = Launch({"d": "tensordesc<fp16[16, 64]>"}, kinds)
    whole = torch.empty(48, 128, dtype=torch.float16)
    descriptor = TensorDescriptor.from_tensor(whole, [16, 64])
    descriptor.base = Array(0xABC0, torch.float16)
    launch(descriptor)
    values = (0xABC0, 48, 128, 128, 1, 0, 0, 48, 128, 128, 1)
    formats = ["<Q", "<q", "<q", "<q", "<q", "<b", "<b", "<i", "<i", "<q", "<q"]
    assert packed(cuda) == [struct.pack(f, v) for f, v in zip(formats, values, strict=True)]


def test_hidden_parameters_follow_in_the_order_of_the_list(cuda: FakeCuda):
    listed = [hidden("grid.z", 4), hidden("grid.x", 4)]
    Launch({"n": "i8"}, ["i8"], hidden=listed)(7, grid=(2, 3, 4))
    assert packed(cuda) == [b"\7", struct.pack("<I", 4), struct.pack("<I", 2)]


def test_a_hidden_parameter_that_the_launcher_cannot_pass_is_refused(cuda: FakeCuda):
    with pytest.raises(
        triton_shared.TritonSharedError,
        match=r"kernel 'kernel' has the hidden parameter 'grid.w', .* passes grid.x, grid.y,",
    ):
        Launch({}, [], hidden=[hidden("grid.w", 4)])


def test_more_arguments_than_fit_on_the_stack(cuda: FakeCuda):
    names = [f"x{i}" for i in range(100)]
    Launch(dict.fromkeys(names, "i32"), ["i32"] * 100)(*range(100))
    assert packed(cuda) == [struct.pack("<i", i) for i in range(100)]


def test_grid_block_stream_and_shared_memory(cuda: FakeCuda):
    Launch({}, [], shared=1024, num_warps=8)(grid=(2, 3, 4), stream=0xABCD)
    (launch,) = cuda.launches()
    assert launch["grid"] == "2,3,4"
    assert launch["block"] == "256,1,1"
    assert launch["stream"] == str(0xABCD)
    assert launch["shared"] == "1024"
    assert launch["attributes"] == ""


def test_much_shared_memory_is_opted_in_once(cuda: FakeCuda):
    launch = Launch({}, [], shared=200 * 1024)
    assert "cuFuncSetAttribute 8=204800" in cuda.take()
    launch()
    launch()
    assert [line.split()[0] for line in cuda.take()] == ["cuLaunchKernelEx"] * 2


def test_too_much_shared_memory_is_refused_with_the_limit(cuda: FakeCuda):
    with pytest.raises(triton_shared.CudaError, match=r"300000 bytes .* 'Fake GPU 0' has 232448"):
        Launch({}, [], shared=300000)


def test_cooperative_and_early_launches_are_attributes(cuda: FakeCuda):
    Launch({}, [], launch_cooperative_grid=True, launch_pdl=True)()
    (launch,) = cuda.launches()
    assert launch["attributes"] == "2:1,6:1"


def test_an_empty_grid_launches_nothing_but_is_checked(cuda: FakeCuda):
    launch = Launch({"n": "i32"}, ["i32"])
    for grid in ((0, 1, 1), (1, 0, 1), (1, 1, 0)):
        launch(1, grid=grid)
    assert not cuda.launches()
    with pytest.raises(OverflowError, match="argument 'n' of kernel 'kernel'"):
        launch(2**40, grid=(0, 1, 1))


@pytest.mark.parametrize("grid", [(1, 65536, 1), (1, 1, 65536), (2**31, 1, 1)])
def test_a_grid_beyond_the_limits_is_refused(cuda: FakeCuda, grid: tuple[int, int, int]):
    with pytest.raises(triton_shared.CudaError, match=r"(?s)grid \(.*65535 in y.*put the largest"):
        Launch({}, [])(grid=grid)
    assert not cuda.launches()


def test_a_block_beyond_the_registers_is_refused(cuda: FakeCuda):
    with pytest.raises(triton_shared.CudaError, match="1024 threads at most\nuse fewer warps"):
        Launch({}, [], num_warps=64)()


def test_an_error_of_the_driver_names_kernel_grid_block_and_code(cuda: FakeCuda):
    launch = Launch({}, [])
    cuda.fail("cuLaunchKernelEx", 700)
    with pytest.raises(triton_shared.CudaError) as caught:
        launch(grid=(5, 1, 1))
    text = str(caught.value)
    assert "kernel 'kernel' with grid (5, 1, 1), 128 threads per program" in text
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in text
    assert "compute-sanitizer" in text
    cuda.fail("cuLaunchKernelEx", 0)
    launch()


def test_an_unknown_error_still_has_its_number(cuda: FakeCuda):
    launch = Launch({}, [])
    cuda.fail("cuLaunchKernelEx", 4711)
    with pytest.raises(triton_shared.CudaError, match="unknown CUDA error 4711"):
        launch()


def test_a_bad_cubin_shows_the_log_of_the_driver(cuda: FakeCuda):
    with pytest.raises(triton_shared.CudaError, match=r"(?s)INVALID_IMAGE.*log: this is no cubin"):
        launcher.load("kernel", b"nonsense", 0, 0)
    with pytest.raises(triton_shared.CudaError, match="'other' is not in its cubin"):
        launcher.load("other", b"FAKE kernel", 0, 0)


def test_a_cubin_with_another_checksum_is_not_run(cuda: FakeCuda):
    launch = Launch({}, [], cubin_sha256=hashlib.sha256(b"what was compiled").hexdigest())
    with pytest.raises(triton_shared.DamagedObjectError, match="checksum does not match"):
        launch()
    assert not cuda.launches()


def test_a_kernel_runs_on_its_gpu_whatever_is_current(cuda: FakeCuda):
    launch = Launch({}, [], device=1)
    launch()
    assert gpus.current() == 0
    (found,) = cuda.launches()
    assert found["device"] == "1"


def test_a_thread_without_a_context_can_launch(cuda: FakeCuda):
    launch = Launch({}, [])
    thread = threading.Thread(target=launch)
    thread.start()
    thread.join()
    (found,) = cuda.launches()
    assert found["device"] == "0"


def test_a_missing_gpu_is_counted(cuda: FakeCuda):
    with pytest.raises(triton_shared.CudaError, match=r"no GPU 7: 2 are visible"):
        launcher.load("kernel", b"FAKE kernel", 0, 7)


def test_a_kernel_is_unloaded_with_its_last_reference(cuda: FakeCuda):
    launch = Launch({}, [])
    launch()
    cuda.take()
    del launch
    assert "cuModuleUnload kernel" in cuda.take()


def test_hooks_surround_the_launch(cuda: FakeCuda):
    seen: list[tuple[str, int]] = []

    def hook(name: str) -> Any:
        return lambda metadata: seen.append((f"{name} {metadata}", len(cuda.launches())))

    Launch({}, [])(enter=hook("enter"), leave=hook("leave"))
    assert seen == [("enter metadata", 0), ("leave metadata", 1)]


def test_memory_of_the_cpu_is_refused_by_name(cuda: FakeCuda):
    launch = Launch({"x": "*fp32"}, ["ptr"])
    launch(Array())
    with pytest.raises(ValueError, match=r"(?s)'x' of kernel 'kernel' lies on the CPU.*\.cuda\(\)"):
        launch(torch.zeros(4))
    launch(Array(is_cpu=True, pinned=True))
    assert len(cuda.launches()) == 2


def test_elements_of_another_type_are_refused(cuda: FakeCuda):
    with pytest.raises(TypeError, match="points at fp16, but the kernel was compiled for fp32"):
        Launch({"x": "*fp32"}, ["ptr"])(Array(dtype=torch.float16))


def test_scratch_memory_comes_from_the_allocators_of_triton(
    cuda: FakeCuda, monkeypatch: pytest.MonkeyPatch
):
    asked: list[tuple[int, int, Any]] = []

    def allocate(size: int, alignment: int, stream: Any) -> Array:
        asked.append((size, alignment, stream))
        return Array(0x5000, torch.int8)

    triton.set_allocator(allocate)
    try:
        facts = {"global_scratch_size": 100, "global_scratch_align": 128}
        facts["hidden"] = [hidden("grid.y", 4), hidden("scratch.global", 8)]
        Launch({"n": "i32"}, ["i32"], **facts)(3, grid=(2, 3, 1), stream=9)
    finally:
        triton.set_allocator(triton.runtime._allocation._NULL_ALLOCATOR)
    assert asked == [(600, 128, 9)]
    assert packed(cuda) == [struct.pack("<i", value) for value in (3, 3)] + [
        struct.pack("<Q", 0x5000)
    ]


def test_the_handle_is_the_function_of_the_driver(cuda: FakeCuda):
    binary = Launch({}, []).binary
    assert int(binary) == int(binary.kernel.__index__()) != 0


def test_a_given_cubin_gets_the_bytes_that_its_parameters_have(cuda: FakeCuda):
    from triton_shared.diff import cubins
    from triton_shared.diff.given import Given

    x = torch.zeros(3)
    given = Given(
        "cubin", b"FAKE other 8 4 4 1 8 4", "other", threads=64, programs=2, shared=512,
        hidden=(hidden("grid.x", 4),),
    )  # fmt: skip
    values = (x, -2, struct.pack("<f", 1.5), True, 2**63 + 5)
    cubins.start(given, values, (5, 1, 1), 0, 7)
    (launch,) = cuda.launches()
    assert (launch["kernel"], launch["block"], launch["stream"]) == ("other", "64,2,1", "7")
    assert (launch["grid"], launch["shared"]) == ("3,1,1", "512")
    assert [bytes.fromhex(text) for text in launch["args"].split(",")] == [
        struct.pack("<Q", x.data_ptr()), struct.pack("<i", -2), struct.pack("<f", 1.5), b"\1",
        struct.pack("<Q", 2**63 + 5), struct.pack("<i", 5),
    ]  # fmt: skip


def test_a_given_cubin_with_scratch_memory_is_refused(cuda: FakeCuda):
    from triton_shared.diff import cubins
    from triton_shared.diff.given import Given
    from triton_shared.diff.recording import RecordingError

    given = Given("cubin", b"FAKE other 8", "other", 32, hidden=(hidden("scratch.global", 8),))
    with pytest.raises(RecordingError, match="has no scratch memory"):
        cubins.start(given, (), (1, 1, 1), 0, 0)
