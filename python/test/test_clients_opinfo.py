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


def test_memory_that_nobody_wrote_is_not_compared():
    call = opinfo.Call(lambda x: x.new_zeros(3), torch.ones(3), (), {})
    assert opinfo.Expected.of(call).decided
    assert not opinfo.Expected.of(call, "new_empty").decided


def test_a_function_of_f64_is_held_to_that_of_scipy():
    """Eager PyTorch's J0 has an error of 2e-7."""
    facts = {"operation": "special.bessel_j0", "dtype": "float64", "samples": 1}
    outcome = opinfo.run(opinfo.KIND, facts)
    assert outcome.status == opinfo.RIGHT, outcome.said


@pytest.mark.nightly
def test_the_table_tells_what_the_language_of_triton_refuses():
    facts = {"operation": "index_reduce mean", "dtype": "uint8", "samples": 1}
    outcome = opinfo.run(opinfo.KIND, facts)
    case = Case(opinfo.KIND, "index_reduce mean uint8", facts)
    whole = opinfo_table.summarize([Row(case, outcome)])
    assert whole["whose"]["index_reduce mean uint8"].startswith("Triton's")


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


def test_a_campaign_that_has_run_less_of_a_type_leaves_what_was_known_of_it():
    def whole(**types: tuple[str, ...]) -> dict:
        names = {
            dtype: [f"{end}{i}" for i, end in enumerate(ends)] for dtype, ends in types.items()
        }
        rows = [
            Row(
                Case(opinfo.KIND, f"{name} {dtype}", {"dtype": dtype}),
                None if name[:-1] == "waits" else Outcome(name[:-1], "why", versions=versions),
            )
            for dtype, these in names.items()
            for name in these
        ]
        return opinfo_table.summarize(rows)

    versions = {"torch": "2.13.0", "library": "any"}
    old = whole(bool=("right", "wrong"), int64=("theirs", "waits"), int32=("wrong",))
    new = whole(
        bool=("right", "waits"), int64=("right", "error"), int32=("right",), int8=("right",)
    )
    both = opinfo_table.added(new, old)
    assert {name: counts["left"] for name, counts in both["types"].items()} == {
        "bool": 0, "int64": 0, "int32": 0, "int8": 0,
    }  # fmt: skip
    assert [f["name"] for f in both["failures"]] == ["wrong1 bool", "error1 int64"]
    assert both["theirs"] == []
    versions = {"torch": "2.14.0"}
    newest = whole(bool=("right", "waits"))
    assert opinfo_table.added(newest, both) == newest
    assert opinfo_table.added(newest, {}) == newest
    assert opinfo_table.added(whole(bool=("waits",)), both) == both
