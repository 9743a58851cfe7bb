"""Products of a turn that need nothing of it begin with its first one."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from product_forms import gated
from test_gpu_attention import CAUSAL, FULL, config, emulated  # noqa: F401 (a fixture)
from test_product_forms import launched
from triton_shared import emulate, library
from triton_shared.frontend import ast_to_ttir

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.gpu import attentions, product_kernels


def turn_of(rows: int, columns: int) -> list[str]:
    """What a loop of a gated product of such blocks does with products, in order."""
    names = ["a", "gate", "b", "c", "M", "N", "K"]
    blocks = {"BM": rows, "BN": columns, "BK": 64}
    kinds = dict.fromkeys(names[:4], "*fp16") | dict.fromkeys(names[4:], "i32")
    kinds |= dict.fromkeys(blocks, "constexpr")
    ttir = ast_to_ttir(
        product_kernels.gated, kinds, blocks, names, target="cuda:90a", num_warps=4, num_stages=3
    )
    words = "target=cuda:90a num-warps=4 num-stages=3 pointer-maps=never to-phase=cta"
    done = library.compile_text(ttir, words)
    assert done.succeeded, done.diagnostics
    (loop,) = re.findall(r"scf\.for(.*?)scf\.yield", done.artefact("cta").decode(), re.DOTALL)
    return re.findall(r"cta\.dot|goes_on|cta\.wait_dot|but \d", loop)


def test_two_products_of_one_matrix_go_on_together():
    assert turn_of(128, 64) == [
        *["cta.dot", "goes_on"] * 2,
        "cta.wait_dot",
        "but 1",
        "cta.wait_dot",
    ]


def test_products_wait_for_each_other_where_sums_take_all_registers():
    assert "but 1" not in turn_of(128, 256)


@pytest.mark.parametrize("seed", range(4))
def test_products_that_go_on_together_are_right(seed: int, tmp_path: Path):
    trial = gated(128, 64, 128)
    text, values, grid, warps = launched(trial)
    kernel = emulate.compile_kernel(text, warps, tmp_path)
    trial.out.fill_(float("nan"))
    emulate.launch(kernel, values, grid, seed)
    assert trial.is_right()


@pytest.mark.parametrize("shape", [FULL, CAUSAL], ids=["full", "causal"])
@pytest.mark.parametrize("blocks", [(64, 64, 4), (32, 64, 4), (64, 64, 8)], ids=str)
def test_gradients_of_powers_go_on_while_these_are_computed(emulated, shape, blocks):  # noqa: F811
    emulated(attentions.gradients(shape, of_queries=False), config(*blocks))
