"""Some of PyTorch's own samples of its operations; scripts/opinfo runs all of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from clients import opinfo, opinfo_table
from triton_shared.campaign.case import Case, Outcome
from triton_shared.campaign.results import Row

QUICK = (
    "softmax", "nn.functional.layer_norm", "cumsum", "argmax", "index_add", "fmod", "logaddexp",
    "nn.functional.gelu", "scatter_add", "special.erfcx",
)  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def _session() -> Iterator[None]:
    with opinfo.session(opinfo.KIND):
        yield


@pytest.mark.parametrize("name", QUICK)
def test_a_sample_is_what_eager_pytorch_gives(name: str):
    facts = {"operation": name, "dtype": "float32", "samples": 1}
    outcome = opinfo.run(opinfo.KIND, facts)
    assert outcome.status == opinfo.RIGHT, outcome.said
    assert outcome.result["kernels"] == outcome.result["samples"] == 1


def expected(function, *args: torch.Tensor) -> tuple[opinfo.Call, opinfo.Expected]:
    call = opinfo.Call(function, args[0], args[1:], {})
    return call, opinfo.Expected.of(call)


def test_a_wrong_number_is_told():
    _, known = expected(torch.add, torch.ones(3), torch.ones(3))
    assert known.difference([torch.full((3,), 2.0)]) == ""
    assert "Greatest absolute difference" in known.difference([torch.full((3,), 2.1)])
    assert "instead of torch.float32" in known.difference([torch.full((3,), 2.0).double()])


def test_what_is_nearer_to_f64_than_eager_pytorch_is_right():
    """Sums in bf16 of many numbers: eager rounding is no oracle."""
    x = torch.full((4096,), 1.0009765625, dtype=torch.float32)
    call = opinfo.Call(lambda x: x.to(torch.float16).cumsum(0)[-1].to(x.dtype), x, (), {})
    values = call()
    known = opinfo.Expected(values, True, [torch.tensor(4100.0, dtype=torch.float64)])
    assert known.difference([torch.tensor(4100.0)]) == ""
    assert known.difference([torch.tensor(5000.0)]) != ""


def test_random_numbers_are_compared_by_shape_and_type():
    _, known = expected(torch.bernoulli, torch.full((100,), 0.5))
    assert not known.decided
    assert known.difference([torch.zeros(100)]) == ""
    assert known.difference([torch.zeros(99)]) != ""


def test_the_table_counts_what_the_other_backend_cannot_do_either():
    def row(name: str, status: str, right: int, theirs: int) -> Row:
        counts = {"samples": 4, "right": right, "theirs": theirs, "kernels": right}
        case = Case(opinfo.KIND, name, {"dtype": "float32"})
        return Row(case, Outcome(status, "why", counts))

    rows = [row("a", "right", 4, 0), row("b", "theirs", 3, 1), row("c", "wrong", 2, 1)]
    whole = opinfo_table.summarize(rows)
    assert opinfo_table.share(whole["types"]["float32"]) == 9 / 10
    assert [f["name"] for f in whole["failures"]] == ["c"]
    assert whole["theirs"] == ["b"]
    assert "0.9000" in opinfo_table.as_text(whole)
