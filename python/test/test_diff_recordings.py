"""What a recording of a launch holds, a replay finds again: addresses, types, constants."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from triton_shared import library
from triton_shared.diff import modules, recorder, recording, replay


@triton.jit
def add_rows(table_ptr, out_ptr, seen_ptr, BLOCK: tl.constexpr):
    """Adds up rows that a table points to, and keeps where they were."""
    at = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for row in range(3):
        address = tl.load(table_ptr + row)
        total += tl.load(address.to(tl.pointer_type(tl.float32)) + at)
        tl.store(seen_ptr + row, address)
    tl.store(out_ptr + at, total)


def launch() -> tuple[torch.Tensor, ...]:
    rows = [torch.full((8,), float(n)) for n in range(3)]
    table = torch.tensor([row.data_ptr() for row in rows])
    out, seen = torch.zeros(8), torch.zeros(3, dtype=torch.int64)
    add_rows[(1,)](table, out, seen, BLOCK=8)
    return (table, out, seen)


def caught(run: object) -> recording.Recording:
    found: list[tuple[recording.Recording, dict[str, torch.Tensor]]] = []
    with recorder.catching(found, "rows"):
        run()  # type: ignore[operator]
    return found[0][0]


def test_what_a_table_points_to_is_recorded_and_found_again(tmp_path: Path):
    made = caught(launch)
    assert len(made.storages) == 6
    made.save(tmp_path)
    again = recording.load(tmp_path)
    done = replay.replay(again, "cpu")
    views = again.views()
    assert torch.equal(views["out_ptr"].of(done.buffers), torch.full((8,), 3.0))
    # Addresses come back as they were recorded, so that two replays can be compared.
    assert torch.equal(views["seen_ptr"].of(done.buffers), views["table_ptr"].of(made.storages))


def test_a_replay_leaves_the_recording_as_it_was():
    def numbers() -> None:
        out = torch.arange(3) * 2**40
        table = torch.tensor([out.data_ptr()] * 3)
        add_rows[(1,)](table, torch.zeros(1), out, BLOCK=1)

    made = caught(numbers)
    numbers_before = [storage.clone() for storage in made.storages]
    replay.replay(made, "cpu")
    assert all(map(torch.equal, made.storages, numbers_before))


@triton.jit
def double_all(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at) * 2)


def test_a_number_that_happens_to_be_an_address_stays_a_number():
    near = torch.zeros(64, dtype=torch.int64)
    numbers = torch.tensor([near.data_ptr(), near.data_ptr() // 2, near.data_ptr() + 8, 1])
    out = torch.zeros(4, dtype=torch.int64)
    made = caught(lambda: double_all[(1,)](numbers, out, BLOCK=4))
    assert len(made.storages) == 2
    done = replay.replay(made, "cpu")
    assert torch.equal(made.views()["out_ptr"].of(done.buffers), numbers * 2)


def test_small_numbers_name_no_tensor():
    @triton.jit
    def double(x_ptr):
        tl.store(x_ptr, tl.load(x_ptr) * 2)

    made = caught(lambda: double[(1,)](torch.tensor([5])))
    assert len(made.storages) == 1


@triton.jit
def double_first(x_ptr, SIZES, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    inside = at < SIZES[0]
    x = tl.load(x_ptr + at, mask=inside)
    tl.store(x_ptr + at, x + x, mask=inside)


def test_reinterpreted_tensors_and_constants_in_tuples(tmp_path: Path):
    def run() -> None:
        bits = torch.full((8,), 1.0).to(torch.float8_e4m3fnuz).view(torch.uint8)
        sizes = (tl.constexpr(4),)
        double_first[(1,)](triton.reinterpret(bits, tl.float8e4b8), sizes, BLOCK=8)

    made = caught(run)
    made.save(tmp_path)
    again = recording.load(tmp_path)
    assert again.arguments == made.arguments
    done = replay.replay(again, "cpu")
    assert "f8E4M3FNUZ" in done.ttir
    [found] = done.buffers
    assert found.view(torch.float8_e4m3fnuz).float().tolist() == [2.0] * 4 + [1.0] * 4


def test_tensors_without_elements(tmp_path: Path):
    made = caught(lambda: double_first[(0,)](torch.empty(0), (tl.constexpr(0),), BLOCK=1))
    made.save(tmp_path)
    assert replay.replay(recording.load(tmp_path), "cpu").buffers[0].numel() == 0


@triton.jit
def double(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, 2 * tl.load(x_ptr + at))


def test_a_reference_in_f64_is_made_by_the_library_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Wheels and packs for other machines have no tool."""
    monkeypatch.setattr(library, "tool", lambda: tmp_path / "nowhere")
    x = torch.arange(8) / 3
    made = caught(lambda: double[(1,)](x, torch.zeros(8), BLOCK=8))
    done = replay.replay(made, "f64")
    assert torch.equal(done.buffers[1], 2 * x.double())


class OneCase:
    def run(self) -> tuple[torch.Tensor, ...]:
        return launch()


@pytest.mark.parametrize("gives", [dict, OneCase, lambda: None])
def test_what_a_case_gives_is_a_case_only_if_it_runs(gives: Any):
    """A function may give its tensors to whoever tests it; on all machines it runs on the CPU."""
    seen = []

    def case() -> Any:
        seen.append(triton.runtime.driver.active.get_current_target().backend)
        launch()
        return gives()

    module = SimpleNamespace(case=case)
    (found,) = recorder.cases_of(module)
    assert (found is case) == (gives is not OneCase)
    assert seen == ["cpu"]
    assert len(recorder.record(found)) == 1


def test_a_kernel_that_a_module_has_under_another_name_is_found(tmp_path: Path):
    file = tmp_path / "named.py"
    file.write_text(
        "import triton\n\n\n"
        "def _rows(x):\n    pass\n\n\n"
        "rows = triton.autotune([triton.Config({})], key=[])(triton.jit(_rows))\n"
    )
    assert modules.kernel(str(file), "_rows") is modules.load(str(file)).rows.fn
    with pytest.raises(recording.RecordingError, match="no kernel 'columns'"):
        modules.kernel(str(file), "columns")


KERNEL = "import triton\n{more}\n\n@triton.jit\ndef {name}(x):\n    pass\n"


def test_a_folder_of_a_package_that_does_not_say_so(tmp_path: Path):
    inner = tmp_path / "outer_of_diff" / "inner"
    inner.mkdir(parents=True)
    (tmp_path / "outer_of_diff" / "__init__.py").touch()
    (inner / "other.py").write_text("NUMBER = 1\n")
    file = inner / "kernels.py"
    file.write_text(KERNEL.format(more="from .other import NUMBER", name="rows"))
    for _ in range(2):
        assert modules.kernel(str(file), "rows").fn.__module__ == "outer_of_diff.inner.kernels"


def test_a_package_of_which_no_folder_says_so(tmp_path: Path):
    inner = tmp_path / "names_of_diff" / "inner"
    inner.mkdir(parents=True)
    (inner.parent / "other.py").write_text("NUMBER = 1\n")
    file = inner / "kernels.py"
    file.write_text(KERNEL.format(more="from ..other import NUMBER", name="rows"))
    for _ in range(2):
        assert modules.kernel(str(file), "rows").fn.__module__ == "names_of_diff.inner.kernels"


def test_a_file_of_a_package_that_cannot_be_imported(tmp_path: Path):
    package = tmp_path / "broken_for_diff"
    package.mkdir()
    (package / "__init__.py").write_text("import what_is_not_there\n")
    file = package / "kernels.py"
    file.write_text(KERNEL.format(more="", name="rows"))
    assert modules.kernel(str(file), "rows").__name__ == "rows"
    other = package / "others.py"
    other.write_text(KERNEL.format(more="import this_neither", name="rows"))
    for _ in range(2):
        with pytest.raises(ImportError, match="what_is_not_there"):
            modules.kernel(str(other), "rows")
