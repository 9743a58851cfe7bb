"""Random programs are right, damaged texts do not crash the compiler.

`python -m fuzz.programs --show SEED` and `python -m fuzz.mutants --show NUMBER` print what failed.
"""

from __future__ import annotations

import json
import os
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from fuzz import judging, mutants, numerics, programs, sources
from fuzz.generator import Generator
from fuzz.program import Buffer, Program
from fuzz.small_floats import SMALL, decoded, encoded
from triton_shared import knobs
from triton_shared.campaign import Case, Outcome, summary
from triton_shared.campaign.__main__ import main as campaign
from triton_shared.campaign.results import writing

BATCH = 20


def wrong_programs(seeds: range, mode: str = "reference") -> dict[int, str]:
    return {seed: complaint for seed in seeds if (complaint := programs.check(seed, mode))}


@pytest.mark.parametrize("first", range(0, 60, BATCH))
def test_random_programs(first: int):
    assert wrong_programs(range(first, first + BATCH)) == {}


@pytest.mark.parametrize("first", range(0, 60, BATCH))
def test_random_programs_in_fast_mode(first: int):
    assert wrong_programs(range(first, first + BATCH), "fast") == {}


@pytest.mark.nightly
@pytest.mark.parametrize("mode", knobs.MODES)
@pytest.mark.parametrize("first", range(60, 5060, BATCH))
def test_many_random_programs(first: int, mode: str):
    assert wrong_programs(range(first, first + BATCH), mode) == {}


@pytest.mark.nightly
@pytest.mark.parametrize("kind", mutants.DAMAGE)
def test_mutants(kind: str):
    result = mutants.run(first=0, count=150, kind=kind)
    assert result.ours == ()
    assert result.compiled > 15
    assert result.compiled + result.refused + len(result.finds) == 150


@pytest.mark.nightly
@pytest.mark.parametrize("kind", mutants.DAMAGE)
@pytest.mark.parametrize("first", range(1000, 51000, 500))
def test_many_mutants(first: int, kind: str):
    assert mutants.run(first, count=500, kind=kind).ours == ()


def test_how_a_mutant_ends(monkeypatch: pytest.MonkeyPatch):
    """The fuzzer itself: a process of its own for each mutant says how it died."""
    assert mutants.attempt(lambda: True) == "compiled"
    assert mutants.attempt(lambda: False) == "refused"
    assert mutants.attempt(os.abort) == "SIGABRT"
    assert mutants.attempt(lambda: sum(iter(int, 1)) == 0, patience=1) == "SIGPROF"
    monkeypatch.setattr(mutants, "JUDGED", mutants.PATIENCE)
    assert mutants.attempt(lambda: time.sleep(60) is None, patience=1) == "SIGALRM"
    assert mutants.attempt(lambda: 1 // 0) == "exit-code-2"


def test_memory_that_is_reserved_already_is_not_limited(monkeypatch: pytest.MonkeyPatch):
    """A process with the address sanitizer has terabytes, and could get nothing more."""
    limits: list[tuple[int, int]] = []
    monkeypatch.setattr(mutants.resource, "setrlimit", lambda _, limit: limits.append(limit))
    for most in (1, 1 << 60):
        monkeypatch.setattr(mutants, "MEMORY", most)
        mutants._limit_memory()
    assert limits == [(1 << 60, 1 << 60)]


@pytest.mark.nightly
def test_a_campaign_of_everything(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """A batch of each kind, where python/fuzz is found; a second call has nothing to do."""
    words = ["fuzz", "--programs", "0:2", "--mutants", "0:2", "--workers", "1"]
    words += ["--results", str(tmp_path / "r.sqlite"), "--json", str(tmp_path / "r.json")]
    assert campaign(words) == 0
    whole = json.loads((tmp_path / "r.json").read_text())
    assert list(whole["kinds"]) == ["reference", "fast", "text", "bytecode"]
    for kind, facts in whole["kinds"].items():
        assert (facts["cases"], facts["left"], facts["finds"]) == (2, 0, []), kind
    capsys.readouterr()
    assert campaign(words) == 0
    assert "done" not in capsys.readouterr().err


def test_whose_crash_a_campaign_has_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    crash = b"module attributes {a = array<index: 1>} {}"
    monkeypatch.setattr(sources, "make_all", lambda: None)
    monkeypatch.setattr(mutants, "mutant", lambda number, kind: crash)
    case, outcome = Case("text", "5", {"number": 5}), Outcome("SIGSEGV", versions={"a": "1"})
    with writing(tmp_path / "r.sqlite") as results:
        results.want([case], outcome.versions)
        results.keep([(case, outcome)])
        whole = summary.summarize(results.rows())
        judging.judge_results(results, 1)
        judged = summary.summarize(results.rows())
    assert judged["kinds"]["text"]["finds"][0]["result"]["upstream"]
    assert (summary.exit_code(whole), summary.exit_code(judged)) == (1, 0)
    (tmp_path / "r.json").write_text(summary.as_json(whole))
    assert judging.judge_file(tmp_path / "r.json", 1) == judged


def test_crashes_that_were_judged_before_an_end_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    file = tmp_path / "r.json"
    finds = [{"name": str(n), "end": "SIGSEGV", "said": "", "result": {}} for n in range(50)]
    file.write_text(json.dumps({"kinds": {"text": {"finds": finds}}}))
    seen: list[int] = []

    def look_at(number: int, kind: str, phase: str, death: str) -> mutants.Find:
        seen.append(number)
        if number == 45 and len(seen) <= 50:
            raise KeyboardInterrupt
        return mutants.Find(number, death, "", upstream=True)

    monkeypatch.setattr(mutants, "look_at", look_at)
    monkeypatch.setattr(sources, "make_all", lambda: None)
    with pytest.raises(KeyboardInterrupt):
        judging.judge_file(file, 1)
    seen += [-1] * 50
    whole = judging.judge_file(file, 1)
    assert not {*range(40)} & {*seen[seen.index(-1) :]}
    assert all(find["result"]["upstream"] for find in whole["kinds"]["text"]["finds"])


def test_threads_that_make_the_same_source_all_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """As those that judge crashes, where nothing was made yet."""
    monkeypatch.setattr(sources, "KEPT", tmp_path)
    text, start = sources.texts()[0], threading.Barrier(8)

    def make(_: int) -> bytes:
        start.wait()
        return sources._make_one(text, "ttir")

    with ThreadPoolExecutor(8) as pool:
        made = set(pool.map(make, range(8)))
    assert len(made) == 1
    assert made != {b""}
    assert [file.read_bytes() for file in tmp_path.iterdir()] == list(made)


def test_whose_crash_it_is(monkeypatch: pytest.MonkeyPatch):
    """MLIR 22 asks the index type of a dense array for its width."""
    crash = b"module attributes {a = array<index: 1>} {}"
    assert mutants.repeat(crash).is_in_the_reader()
    harmless = mutants.repeat(b"module {} }")
    assert not harmless.is_in_the_reader()
    assert harmless.is_without_us()
    monkeypatch.setattr(mutants, "mutant", lambda number, kind: crash)
    assert mutants.look_at(0, "text", "obj", "SIGSEGV").upstream
    stack = " #0 0x1 f() (/lib/libMLIR.so.1)\n #1 0x2 mlir::tts::LoadOp::verify() S.cpp:0:0\n"
    reader = " #2 0x3 mlir::parseAsmSourceFile() (/lib/libMLIR.so.1)\n"
    assert not mutants.Repeated(70, b"", stack + reader, True).is_in_the_reader()
    assert not mutants.Repeated(70, b"", stack, True).is_without_us()
    top, ours = stack.splitlines(keepends=True)
    assert mutants.Repeated(70, b"", top + reader + ours, True).is_in_the_reader()
    assert not mutants.Repeated(70, b"", top + reader + ours, False).is_in_the_reader()


def test_a_heap_that_the_reader_has_damaged_may_show_when_the_tool_ends():
    """In the destructor of its map of dialects, say: a frame of std is nobody's."""
    ending = (
        "#0 0x1 std::_Rb_tree<int>::_M_erase() triton-shared-opt.cpp:0:0\n#1 0x2 _start (opt)\n"
    )
    assert mutants.Repeated(mutants.CRASHED, b"", ending, kept=True).is_without_us()
    ours = ending.replace("#1", "#1 0x3 visit(Operation *) OurPass.cpp:0:0\n#2")
    assert not mutants.Repeated(mutants.CRASHED, b"", ours, kept=True).is_without_us()


def test_a_tool_that_computes_for_too_long_is_asked_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Its child computes, as that of the real one does; one that only waits has time."""
    tool = tmp_path / "tool"
    script = """\
        #!/bin/bash
        trap 'kill $child; echo asked; exit 70' ABRT
        "${@:2}" & child=$!
        wait $child
        echo done
    """
    tool.write_text(textwrap.dedent(script))
    tool.chmod(0o755)
    monkeypatch.setattr(mutants, "TOOL", tool)
    monkeypatch.setattr(mutants, "PATIENCE", 0.5)
    assert mutants.repeat(b"", "sleep", "3").printed == b"done\n"
    busy = mutants.repeat(b"x" * 1_000_000, "sh", "-c", "while :; do :; done")
    assert (busy.code, busy.printed) == (70, b"asked\n")


def test_a_wrong_result_is_a_find(monkeypatch: pytest.MonkeyPatch):
    """The fuzzer itself: one element that differs is reported with its place."""
    program = Generator(1).generate()
    wrong = program.evaluate()
    name, buffer = next(iter(wrong.items()))
    buffer[17] = ~buffer[17] if buffer.dtype.kind in "iu" else -1 - buffer[17]
    monkeypatch.setattr(programs, "launch", lambda program, mode: wrong)
    assert programs.check(1).startswith(f"{name}[17] is ")


@pytest.mark.parametrize("seed", [1937, 1945, 4118, 10024])
def test_what_depends_on_the_order_of_a_scan_is_no_find(seed: int):
    """Sums that are finite in one order only, a cosine of a sum, a sum of f16 as f64."""
    assert programs.check(seed, "fast") == ""


def test_what_depends_on_the_order_of_a_gpu_s_threads_is_no_find():
    """A scan of bf16 by threads, as an H200 has it: one unit less in the last place."""
    program = Generator(3516).generate()
    with numerics.combined_in_lanes(4, rounds=True):
        scanned = program.evaluate()["out_bf16"].copy()
    want = program.evaluate()
    assert numerics.from_memory(scanned, "bf16")[36] == -0.046142578125
    assert numerics.from_memory(want["out_bf16"], "bf16")[36] == -0.04638671875
    on_gpu = {**want, "out_bf16": scanned}
    assert programs.check_program(program, "gpu", lambda program: on_gpu) == ""


@pytest.mark.parametrize(
    ("seed", "mode"),
    [(10024, "reference"), (10811, "reference"), (12670, "fast"), (13727, "reference")],
)
def test_programs_that_were_finds(seed: int, mode: str):
    """Running sums of f16 and bf16, a vector of bytes as a mask, a sum of -0.0 alone."""
    assert programs.check(seed, mode) == ""


def test_reductions_and_scans_have_two_orders():
    def grouped(left: str, right: str) -> str:
        return f"({left}{right})"

    assert numerics.reduced(list("abcde"), grouped) == "((((ab)c)d)e)"
    assert numerics.running(list("abcd"), grouped) == ["a", "(ab)", "((ab)c)", "(((ab)c)d)"]
    with numerics.combined_in_lanes(4, rounds=True):
        assert numerics.reduced(list("abcde"), grouped) == "(((ae)b)(cd))"
        assert numerics.running(list("abcde"), grouped) == [
            "a", "(ab)", "(a(bc))", "((ab)(cd))", "(((ab)(cd))e)"
        ]  # fmt: skip
    with numerics.combined_in_lanes(64, rounds=True):
        assert numerics.reduced(["a"], grouped) == "a"
        assert numerics.running(list("ab"), grouped) == ["a", "(ab)"]


def test_a_seed_is_a_program():
    assert Generator(3).generate().text() == Generator(3).generate().text()
    for kind in mutants.DAMAGE:
        assert mutants.mutant(3, kind) == mutants.mutant(3, kind)


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


@pytest.mark.parametrize("element", SMALL)
def test_8_bit_floats_are_those_of_torch(element: str):
    dtype = torch.float8_e5m2 if element == "f8E5M2" else torch.float8_e4m3fn
    codes = np.arange(256, dtype=np.uint8)
    values = torch.from_numpy(codes).view(dtype).to(torch.float32).numpy()
    np.testing.assert_array_equal(decoded(codes, element), values)
    finite = codes[np.isfinite(values)]
    np.testing.assert_array_equal(encoded(values[finite], element), finite)
    between = np.random.default_rng(0).uniform(-440, 440, 1000).astype(np.float32)
    between[:4] = (2.0**-17, 3 * 2.0**-17, 2.0**-10, -1.0625)
    want = torch.from_numpy(between).to(dtype).view(torch.uint8).numpy()
    np.testing.assert_array_equal(encoded(between, element), want)


def test_8_bit_floats_end_at_their_largest_number():
    numbers = np.array([np.inf, -1e9, np.nan], np.float32)
    assert encoded(numbers, "f8E5M2").tolist() == [0x7B, 0xFB, 0x7F]
    assert encoded(numbers, "f8E5M2", toward_zero=True).tolist() == [0x7C, 0xFB, 0x7F]
    assert encoded(numbers, "f8E4M3FN", toward_zero=True).tolist() == [0x7E, 0xFE, 0x7F]


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


@triton.jit
def count_true(flags, out, steps, BLOCK: tl.constexpr):
    at = flags + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.int32)
    for _ in range(steps):
        total += tl.load(at).to(tl.int32)
        at += BLOCK
    tl.store(out + tl.arange(0, BLOCK), total)


def test_a_pointer_to_truth_values_walks_through_a_loop():
    """Triton casts it to a pointer to bytes inside of the loop that carries it."""
    flags = torch.rand(64, generator=torch.Generator().manual_seed(0)) < 0.5
    out = torch.zeros(8, dtype=torch.int32)
    count_true[(1,)](flags, out, 8, BLOCK=8)
    assert out.tolist() == flags.view(8, 8).sum(0).tolist()


def test_a_block_pointer_to_truth_values():
    """Any byte but 0 is true, 1 is stored, and nothing outside of the tensor is."""
    program = Program((1, 1))
    contents = np.array([0, 1, 2, 255, 0, 7, 8, 9], np.uint8)
    pointer = program.argument(Buffer("x", "i1", contents, written=True))
    program.block.lines += [
        "%zero = arith.constant 0 : i32",
        "%one = arith.constant 1 : i64",
        "%size = arith.constant 5 : i64",
        f"%block = tt.make_tensor_ptr {pointer.name}, [%size], [%one], [%zero] "
        "{order = array<i32: 0>} : <tensor<8xi1>>",
        "%v = tt.load %block {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<8xi1>>",
        "tt.store %block, %v {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<8xi1>>",
    ]
    assert programs.launch(program)["x"].tolist() == [0, 1, 1, 1, 0, 7, 8, 9]


def test_a_block_with_no_room_to_grow_is_not_broadcast():
    """Of the largest size: seed 13445 chose from no sizes."""
    assert Generator(13445).generate().text()


@pytest.mark.parametrize("mode", ["reference", "fast"])
def test_an_address_may_begin_at_a_choice_of_constants_below_zero(mode: str):
    """One of them became an offset that memref does not take."""
    assert programs.check(11785, mode) == ""
