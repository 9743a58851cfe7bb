"""Every error of the compiler has three parts and a lit test; from Python, its line and name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl
from triton_shared.errors import CompilationError

ROOT = Path(__file__).resolve().parents[2]
PASSES = ("lib/Conversion", "lib/Transforms")
VERIFIERS = ("lib/Dialect/Triton", "lib/Dialect/Structured")
FOR_PASS_USERS = {
    "has unstructured control flow": "names the pass to run before",
    "is not a kernel": "says what a kernel is; Triton writes no other",
    "is not expected in phase 'structured'": "names the pass to run before",
    "unknown value '": "a wrong option",
}
"""Errors that no kernel meets, only who runs passes by hand: what is wrong and what to run."""

UNREACHABLE = {"repeats a value of type": "a trait compares the element types before"}
"""Errors that no module can get."""

_EMISSION = re.compile(r"\bemit(?:Op)?Error\(")


@dataclass(frozen=True)
class Emission:
    """One place that makes an error."""

    place: str
    text: str
    """The longest part of the message that stands in the source; empty if it is put together."""
    notes: int
    """How many notes are attached before the next error."""


def emissions(folder: str) -> Iterator[Emission]:
    for file in sorted((ROOT / folder).rglob("*.cpp")):
        if "Cta" in str(file) or "Gpu" in str(file):
            continue  # The leg for GPUs says what it has no form for yet.
        source = file.read_text()
        for match in _EMISSION.finditer(source):
            statement = re.match(r'(?:[^";]|"(?:[^"\\]|\\.)*")*', source[match.start() :])
            assert statement
            what = re.sub(r'"\s*\n\s*"', "", statement[0].split(".attachNote")[0])
            literals = re.findall(r'"((?:[^"\\]|\\.)*)"', what)
            rest = source[match.end() :]
            rest = rest[: rest.find("\n}\n")]
            following = _EMISSION.search(rest)
            own = rest[: following.start()] if following else rest
            line = source.count("\n", 0, match.start()) + 1
            text = max(literals, key=len, default="").replace('\\"', '"').strip()
            place = f"{file.relative_to(ROOT)}:{line}"
            yield Emission(place, text, own.count("attachNote("))


@pytest.fixture(scope="module")
def expected() -> str:
    """What the lit tests expect of errors."""
    files = [f for f in (ROOT / "test").rglob("*.*") if f.suffix in (".mlir", ".test")]
    lines = (line for f in files for line in f.read_text().splitlines())
    return "\n".join(line for line in lines if re.search(r"expected-error|CHECK|ERR", line))


@pytest.mark.parametrize("folder", PASSES + VERIFIERS)
def test_every_error_has_a_lit_test(folder: str, expected: str):
    found = list(emissions(folder))
    assert len(found) >= 7
    untested = [e for e in found if e.text not in expected and e.text not in UNREACHABLE]
    assert untested == []


@pytest.mark.parametrize("folder", PASSES)
def test_every_error_of_a_pass_says_why_and_the_way_out(folder: str):
    def is_for_pass_users(emission: Emission) -> bool:
        return any(text in emission.text for text in FOR_PASS_USERS)

    short = [e for e in emissions(folder) if e.notes < 2 and not is_for_pass_users(e)]
    assert short == []


def test_no_error_for_pass_users_is_listed_in_vain():
    texts = [e.text for folder in PASSES for e in emissions(folder)]
    assert [t for t in FOR_PASS_USERS if not any(t in text for text in texts)] == []


@triton.jit
def assembly(x_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    shuffled = tl.inline_asm_elementwise(
        "shfl.sync.bfly.b32 $0, $1, 1, 31, -1;", "=r,r", [x], tl.int32, is_pure=True, pack=1
    )
    tl.store(x_ptr + i, shuffled)


def test_from_python_an_error_has_all_its_parts():
    with pytest.raises(CompilationError) as raised:
        assembly[(1,)](torch.zeros(8, dtype=torch.int32), N=8)
    lines = str(raised.value).splitlines()
    [first] = [i for i, line in enumerate(lines) if ": error: " in line]
    assert re.match(rf"{re.escape(__file__)}:\d+:\d+: error: 'tt\.elementwise", lines[first])
    assert lines[first].endswith("(variable 'shuffled')")
    assert lines[first + 2].strip() == "^"
    why, way_out = (line for line in lines if ": note: " in line)
    assert "shfl.sync" in why
    assert "write it with operations of triton.language" in way_out
    assert "variable" not in why + way_out
