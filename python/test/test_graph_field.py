"""The gate FIELD: compiled kernels over a prime field, equal to their graph with no tolerance."""

from __future__ import annotations

import dataclasses
import operator
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import torch
import triton_shared.graph as mi
from graph_cases import PAPER, attention, one_kernel, rms_norm_matmul
from triton_shared import stages
from triton_shared.graph import field, operations, rules
from triton_shared.graph.field import Residues
from triton_shared.graph.field_text import OutsideOfTheField, P, Q, W, packed, residues, retyped
from triton_shared.graph.kernel_graph import one_by_one
from triton_shared.graph.reproducer import write_reproducer
from triton_shared.graph.rules import expanded
from triton_shared.graph.tiles import Blocks
from triton_shared.graph.verify import Judge, Rejected, verify

BLOCKS = Blocks(16, 32, 32)
OF = field.MEANING
add, mul, exp = (OF[name] for name in ("add", "mul", "exp"))


def random(*shape: int, seed: int = 0) -> Residues:
    return Residues.random(shape, torch.Generator().manual_seed(seed))


A, B = random(4, 3), random(4, 3, seed=1)


def equal(a: Residues, b: Residues) -> bool:
    return bool((a.packed == b.packed).all())


def graph_of(build: Callable[..., Any], *shapes: tuple[int, ...]) -> mi.KernelGraph:
    graph = mi.new_kernel_graph()
    inputs = [graph.new_input(dims=shape, dtype=mi.float16) for shape in shapes]
    graph.mark_output(build(graph, *inputs))
    return graph


class TestNumbers:
    def test_moduli_are_primes_and_exp_has_the_order_of_the_smaller_one(self):
        for modulus in (P, Q):
            assert all(modulus % n for n in range(3, int(modulus**0.5) + 1, 2))
            assert modulus % 4 == 3
        assert pow(W, Q, P) == 1

    def test_constants_are_the_fractions_that_they_are(self):
        below, above = residues(-0.375)
        assert (below * 8 + 3) % P == 0
        assert (above * 8 + 3) % Q == 0
        assert residues(Fraction(1, 3))[0] * 3 % P == 1

    def test_a_number_is_both_residues_in_one(self):
        x = random(5)
        assert equal(Residues.unpacked(x.packed), x)
        assert packed(2.5) == residues(2.5)[0] | residues(2.5)[1] << 32

    def test_a_power_of_a_sum_is_a_product_of_powers(self):
        assert equal(exp(add(A, B)), mul(exp(A), exp(B)))

    def test_a_quotient_times_its_divisor_is_the_dividend(self):
        assert equal(mul(OF["div"](A, B), B), A)

    def test_a_root_of_a_product_is_a_product_of_roots(self):
        assert equal(OF["sqrt"](mul(A, B)), mul(OF["sqrt"](A), OF["sqrt"](B)))

    def test_a_difference_and_what_was_taken_away_are_the_whole(self):
        assert equal(add(OF["sub"](A, B), B), A)

    def test_a_mean_times_the_number_of_terms_is_a_sum(self):
        assert equal(OF["mul_scalar"](OF["mean"](A, dim=0), value=4.0), OF["sum"](A, dim=0))

    def test_products_of_matrices_are_exact(self):
        a, b = random(3, 50).below, random(50, 4, seed=1).below
        rows, columns = a.tolist(), b.T.tolist()
        sums = [[sum(map(operator.mul, row, column)) % P for column in columns] for row in rows]
        assert field.product(a, b, P).tolist() == sums


class TestGraphs:
    @pytest.mark.parametrize("build", PAPER, ids=lambda build: build.__name__)
    def test_those_of_the_paper_are_equal(self, build: Callable[..., mi.KernelGraph]):
        graph = build()
        assert Judge(graph.graph, one_kernel(graph, BLOCKS)).ask_field()

    def test_one_kernel_for_each_operation_is_equal(self):
        graph = rms_norm_matmul()
        assert Judge(graph.graph, one_by_one(graph.graph)).ask_field()

    def test_loops_that_rescale_are_equal(self):
        graph = attention()
        assert Judge(graph.graph, one_kernel(graph, Blocks(16, 16, 16, online=True))).ask_field()

    def test_loops_split_over_programs_are_equal(self):
        graph = graph_of(lambda g, x, w: g.matmul(g.exp(x), w), (16, 96), (96, 32))
        assert Judge(graph.graph, one_kernel(graph, Blocks(16, 32, 16, split=2))).ask_field()

    def test_every_rule_keeps_a_graph_what_it_is(self):
        for build in PAPER:
            graph = expanded(build().graph)
            given = [Residues.random(node.shape, torch.Generator().manual_seed(place))
                     for place, node in enumerate(graph.inputs)]  # fmt: skip
            (first,) = field.expected(graph, given)
            for _, other in rules.rewritten(graph, 8):
                (found,) = field.expected(other, given)
                assert bool((found.below == first.below).all())

    def test_a_power_of_a_power_has_no_meaning_and_no_verdict(self):
        graph = graph_of(lambda g, x: g.exp(g.exp(x)), (4, 8))
        assert not field.is_known(graph.graph)
        assert not Judge(graph.graph, one_by_one(graph.graph)).ask_field()

    def test_functions_that_a_field_lacks_have_no_verdict(self):
        assert not field.is_known(graph_of(lambda g, x: g.tanh(x), (4, 8)).graph)


class TestFaultsThatOnlyAFieldFinds:
    """Each is within the bound of rounding."""

    def verdict(self, graph: mi.KernelGraph, wrong: Any) -> Any:
        return verify(graph.graph, one_kernel(wrong, BLOCKS))

    def test_a_forgotten_epsilon(self):
        graph = graph_of(lambda g, x: g.rms_norm(x, (64,), 1e-5), (16, 64))
        wrong = graph_of(lambda g, x: g.rms_norm(x, (64,)), (16, 64))
        verdict = self.verdict(graph, wrong)
        assert verdict.gate == "FIELD", verdict
        assert "512 of 512 elements are not equal over a prime field" in verdict.message

    def test_a_constant_that_is_slightly_off(self):
        graph = graph_of(lambda g, x, w: g.mul_scalar(g.matmul(x, w), 0.3), (16, 64), (64, 32))
        wrong = graph_of(lambda g, x, w: g.mul_scalar(g.matmul(x, w), 0.3001), (16, 64), (64, 32))
        assert self.verdict(graph, wrong).gate == "FIELD"

    def test_its_reproducer_ends_with_1_and_that_of_a_right_one_with_0(self, tmp_path: Path):
        graph = graph_of(lambda g, x: g.rms_norm(x, (64,), 1e-5), (16, 64))
        wrong = graph_of(lambda g, x: g.rms_norm(x, (64,)), (16, 64))
        for given, code in ((wrong, 1), (graph, 0)):
            plan = one_kernel(given, BLOCKS)
            verdict = dataclasses.replace(self.verdict(graph, wrong), gate="FIELD")
            path = write_reproducer(tmp_path / str(code), graph.graph, plan, verdict)
            done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True)
            assert done.returncode == code, done.stderr
            assert f"{512 * code} of 512 elements are wrong" in done.stdout


def test_a_kernel_with_a_function_that_the_graph_lacks_is_rejected(monkeypatch: pytest.MonkeyPatch):
    row = dataclasses.replace(operations.TABLE["square"], triton="tl.log({0})")
    monkeypatch.setitem(operations.TABLE, "square", row)
    graph = graph_of(lambda g, x: g.square(x), (16, 64))
    with pytest.raises(Rejected, match=r"'math\.log .*' has no meaning in a field"):
        Judge(graph.graph, one_kernel(graph, BLOCKS)).ask_field()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("arith.addf", "arith.subf"),
        ("(d0, d1) -> (d0, 0)>", "(d0, d1) -> (0, 0)>"),
        ("arith.divf %in, %in_", "arith.mulf %in, %in_"),
        ("0.000000e+00 : f32", "1.000000e+00 : f32"),
    ],
)
def test_a_mistake_of_the_compiler_is_found_in_its_linalg(
    old: str, new: str, monkeypatch: pytest.MonkeyPatch
):
    def mistaken(linalg: str) -> str:
        assert old in linalg
        return retyped(linalg.replace(old, new, 1))

    monkeypatch.setattr(field, "retyped", mistaken)
    graph = rms_norm_matmul()
    with pytest.raises(Rejected, match="not equal over a prime field"):
        Judge(graph.graph, one_kernel(graph, BLOCKS)).ask_field()


class TestTexts:
    def test_numbers_are_re_typed_and_integers_stay(self):
        linalg = """\
module {
  func.func @f(%a: memref<*xf16>, %n: i32) {
    %c = arith.constant 5.000000e-01 : f32
    %e = arith.constant dense<0xFC00> : tensor<4xf16>
    %i = arith.addi %n, %n : i32
    %m = arith.sitofp %i : i32 to f32
    %s = arith.mulf %c, %m : f32
    %t = arith.truncf %s : f32 to f16
    return
  }
}
"""
        text = retyped(linalg)
        body = text[text.index("func.func @f") :]
        assert f"%c = arith.constant {packed(0.5)} : i64" in body
        assert "%e = arith.constant dense<0> : tensor<4xi64>" in body
        assert "%a: memref<*xi64>" in body
        assert "%i = arith.addi %n, %n : i32" in body
        assert "%s = func.call @field_mul(%c, %m) : (i64, i64) -> i64" in body
        assert "f16" not in body
        assert "f32" not in body
        assert "func.func @f" in stages.run(text, "memref", mode="reference").decode()

    def test_infinity_and_functions_are_outside(self):
        for line in ("%c = arith.constant 0x7F800000 : f32", "%c = math.erf %x : f32"):
            with pytest.raises(OutsideOfTheField, match="has no meaning in a field"):
                retyped(f"module {{\n{line}\n}}\n")
