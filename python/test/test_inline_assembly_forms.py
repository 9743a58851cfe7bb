"""Inline assembly, instruction by instruction: what PTX computes of registers, in plain Python."""

from __future__ import annotations

import ptx_float_forms
import ptx_forms
import pytest
import torch
from ptx_registers import COUNT, Form, check_all, given_registers, of_registers64

FAMILIES = ptx_forms.FAMILIES | ptx_float_forms.FAMILIES
BATCH = 24
"""Instructions in a kernel."""


def batches() -> dict[str, list[Form]]:
    found = {}
    for family, forms in FAMILIES.items():
        for start in range(0, len(forms), BATCH):
            found[f"{family}-{start // BATCH}"] = forms[start : start + BATCH]
    return found


BATCHES = batches()


@pytest.mark.every(2)
@pytest.mark.parametrize("name", BATCHES)
def test_forms(name: str):
    forms = BATCHES[name]
    out = torch.zeros(len(forms), COUNT, dtype=torch.int64)
    texts = tuple(form.text for form in forms)
    of_registers64[(1,)](given_registers(), out, TEXTS=texts, N=COUNT)
    check_all(forms, out)
