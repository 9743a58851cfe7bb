"""`triton_shared.run`: files, automatic types and pinned memory of "cuda" are the CPU's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from triton_shared.run import cuda_means_cpu


@pytest.mark.parametrize("place", ["cuda", "cuda:0", torch.device("cuda"), {"cpu": "cuda:0"}, None])
def test_files_are_loaded_to_the_cpu(place: Any, tmp_path: Path):
    x = torch.arange(4.0)
    torch.save(x, tmp_path / "x.pt")
    with cuda_means_cpu():
        loaded = torch.load(tmp_path / "x.pt", map_location=place)
        assert loaded.is_cuda
        assert torch.equal(loaded, x)


def test_what_was_saved_on_a_gpu_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with monkeypatch.context() as patched:
        patched.setattr(torch.serialization, "location_tag", lambda storage: "cuda:0")
        torch.save(torch.arange(4.0), tmp_path / "x.pt")
    with cuda_means_cpu():
        assert torch.load(tmp_path / "x.pt").tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_autocast_takes_the_type_that_is_asked_for(dtype: torch.dtype):
    x = torch.rand(4, 4)
    with cuda_means_cpu():
        with torch.autocast("cuda", dtype):
            assert torch.is_autocast_enabled("cuda")
            assert torch.get_autocast_dtype("cuda") == dtype
            assert (x @ x).dtype == dtype
            with torch.autocast("cuda", enabled=False):
                assert (x @ x).dtype == torch.float32
        assert not torch.is_autocast_enabled()


def test_autocast_without_a_type_takes_that_of_a_gpu():
    x = torch.rand(4, 4)
    with cuda_means_cpu(), torch.autocast(device_type="cuda"):
        assert (x @ x).dtype == torch.float16
    with torch.autocast("cpu"):
        assert (x @ x).dtype == torch.bfloat16


def test_pinned_memory_is_memory():
    x = torch.arange(8.0)
    with cuda_means_cpu():
        assert x.pin_memory() is x
        assert torch.empty(3, pin_memory=True).shape == (3,)
        batches = torch.utils.data.DataLoader(x, batch_size=4, pin_memory=True)
        assert [batch.sum().item() for batch in batches] == [6, 22]


def test_torch_has_its_own_functions_again_behind_the_block():
    def functions() -> list[Any]:
        return [
            torch.load,
            torch.autocast.__init__,
            torch.is_autocast_enabled,
            torch.get_autocast_dtype,
        ]

    before = functions()
    with cuda_means_cpu():
        assert functions() != before
    assert functions() == before
