"""Random programs are right, damaged texts do not crash the compiler.

`python -m fuzz.programs --show SEED` and `python -m fuzz.mutants --show NUMBER` print what failed.
"""

from __future__ import annotations

import numpy as np
import pytest
from fuzz import mutants, numerics, programs
from fuzz.generator import Generator
from fuzz.program import Buffer, Program

BATCH = 20


def wrong_programs(seeds: range) -> dict[int, str]:
    return {seed: complaint for seed in seeds if (complaint := programs.check(seed))}


@pytest.mark.parametrize("first", range(0, 100, BATCH))
def test_random_programs(first: int):
    assert wrong_programs(range(first, first + BATCH)) == {}


@pytest.mark.nightly
@pytest.mark.parametrize("first", range(100, 2100, BATCH))
def test_many_random_programs(first: int):
    assert wrong_programs(range(first, first + BATCH)) == {}


def test_mutants():
    result = mutants.run(first=0, count=200)
    assert result.ours == ()
    assert result.compiled > 20
    assert result.compiled + result.refused + len(result.finds) == 200


@pytest.mark.nightly
@pytest.mark.parametrize("first", range(1000, 9000, 500))
def test_many_mutants(first: int):
    assert mutants.run(first, count=500).ours == ()


def test_a_worker_that_dies_is_a_find(monkeypatch: pytest.MonkeyPatch):
    """The fuzzer itself: a worker that has no memory ends, and the next mutant is tried."""
    monkeypatch.setattr(mutants, "worker_command", dying_worker)
    result = mutants.run(first=5, count=3)
    assert [(find.number, find.death) for find in result.finds] == [(6, "SIGABRT")]
    assert (result.compiled, result.refused) == (1, 1)


def dying_worker(first: int, count: int, phase: str) -> list[str]:
    code = (
        "import os\n"
        f"for number in range({first}, {first + count}):\n"
        "    print('begin', number, flush=True)\n"
        "    if number == 6: os.abort()\n"
        "    print('compiled' if number == 5 else 'refused', number, flush=True)\n"
    )
    return [mutants.sys.executable, "-c", code]


def test_whose_crash_it_is():
    """MLIR 22 asks the index type of a dense array for its width."""
    crash = "module attributes {a = array<index: 1>} {}"
    assert mutants.in_the_parser(crash)
    assert not mutants.in_the_parser("module {} }")


def test_a_wrong_result_is_a_find(monkeypatch: pytest.MonkeyPatch):
    """The fuzzer itself: one element that differs is reported with its place."""
    program = Generator(1).generate()
    wrong = program.evaluate()
    name, buffer = next(iter(wrong.items()))
    buffer[17] = ~buffer[17] if buffer.dtype.kind in "iu" else -1 - buffer[17]
    monkeypatch.setattr(programs, "launch", lambda program: wrong)
    assert programs.check(1).startswith(f"{name}[17] is ")


def test_a_seed_is_a_program():
    assert Generator(3).generate().text() == Generator(3).generate().text()
    assert mutants.mutant(3) == mutants.mutant(3)


#
# The evaluator, by hand
#


def test_bf16_rounds_once():
    """1 + 2^-8 + 2^-40 is above a tie in f64; rounded to f32 first, it would be one."""
    above, tie = 1 + 2.0**-8 + 2.0**-40, 1 + 2.0**-8
    got = numerics.f64_to_bf16(np.array([above, tie, np.inf, 1e300, -above]))
    assert got.tolist() == [1 + 2.0**-7, 1.0, np.inf, np.inf, -1 - 2.0**-7]


def test_division_as_gpus_do_it():
    a = np.array([7, -7, 7, -128, -128], np.int8)
    b = np.array([-2, 2, 0, -1, 3], np.int8)
    with np.errstate(all="ignore"):
        assert numerics.INTEGER_BINARY["arith.divsi"](a, b).tolist() == [-3, -3, -1, -128, -42]
        assert numerics.INTEGER_BINARY["arith.remsi"](a, b).tolist() == [1, -1, 7, 0, -2]
        assert numerics.INTEGER_BINARY["arith.divui"](a, b).tolist() == [0, 124, -1, 0, 42]


def test_large_integers_round_once():
    """2^62 + 2^54 + 1 lies above a tie of bf16, which has 8 bits."""
    numbers = np.array([2**62 + 2**54 + 1, 2**62 + 2**54, -1], np.int64)
    got = numerics.from_integer(numbers, "i64", "bf16", signed=True)
    assert got.tolist() == [2.0**62 + 2.0**55, 2.0**62, -1.0]
    got = numerics.from_integer(numbers[2:], "i64", "f32", signed=False)
    assert got.tolist() == [2.0**64]


#
# What was found
#


def test_f16_rounds_between_two_functions():
    """exp(12) is infinite in f16, and so is its logarithm, however exact f32 would be."""
    program = Program((1, 1))
    contents = np.full(8, 12, np.float16)
    pointer = program.argument(Buffer("x", "f16", contents, written=True))
    value = program.load(pointer, None, None)
    for function in ("math.exp", "math.log2"):
        value = program.emit(f"{function} {value.name} : f16", (value,), np.exp, "f16")
    program.store(pointer, value, None)
    assert programs.launch(program)["x"].tolist() == [np.inf] + [12] * 7
