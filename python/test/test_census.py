"""The census of scripts/supported-ops: it notices what nobody has dealt with."""

from __future__ import annotations

import copy
import json
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import recording
import tomllib

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    loader = SourceFileLoader("supported_ops", str(ROOT / "scripts/supported-ops"))
    spec = spec_from_loader("supported_ops", loader)
    assert spec
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # Where dataclasses look for their module.
    loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def found(script: ModuleType) -> list[Any]:
    ops = script.operations()
    script.find_lowerings(ops)
    script.find_unread(ops)
    script.find_tests(ops)
    return list(ops)


@pytest.fixture
def ops(found: list[Any]) -> list[Any]:
    return copy.deepcopy(found)


@pytest.fixture
def reasons() -> dict[str, Any]:
    return tomllib.loads((ROOT / "docs/supported-ops.toml").read_text())


def census(script: ModuleType, ops: list[Any], reasons: dict[str, Any]) -> list[str]:
    return list(script.census(ops, script.Libdevice([], []), reasons))


def get(ops: list[Any], name: str) -> Any:
    return next(op for op in ops if op.name == name)


def test_every_operation_and_attribute_is_dealt_with(script: ModuleType, ops: Any, reasons: Any):
    assert census(script, ops, reasons) == []
    assert len(ops) >= 56
    assert sum(len(op.attributes) for op in ops) >= 60


def test_an_attribute_that_nobody_reads_is_found(script: ModuleType, ops: Any, reasons: Any):
    op = get(ops, "tt.dot")
    op.attributes.append("colour")
    op.unread.clear()
    script.find_unread([op])
    assert op.unread == ["colour"]
    [problem] = census(script, ops, reasons)
    assert "'colour' of 'tt.dot' is read by no lowering" in problem


def test_every_excuse_is_needed(script: ModuleType, ops: Any, reasons: Any):
    for number in range(len(reasons["attribute"])):
        fewer = copy.deepcopy(reasons)
        entry = fewer["attribute"].pop(number)
        problems = census(script, ops, fewer)
        assert problems, entry
        assert all(f"'{entry['name']}'" in problem for problem in problems)


def test_an_excuse_for_what_is_read_is_found(script: ModuleType, ops: Any, reasons: Any):
    reasons["attribute"].append({"name": "axis", "operation": r"tt\.scan", "why": "?"})
    [problem] = census(script, ops, reasons)
    assert "'axis' of 'tt.scan' is excused" in problem


def test_an_operation_that_nothing_lowers_is_found(script: ModuleType, ops: Any, reasons: Any):
    get(ops, "tt.cat").lowered = []
    assert any(
        "'tt.cat' is in no file of lib/Conversion" in p for p in census(script, ops, reasons)
    )


def test_an_operation_without_a_lit_test_is_found(script: ModuleType, ops: Any, reasons: Any):
    get(ops, "tt.cat").lit = []
    assert any("'tt.cat' is in no lit test" in p for p in census(script, ops, reasons))


def test_an_unknown_operation_of_the_reasons_is_found(script: ModuleType, ops: Any, reasons: Any):
    reasons["becomes"]["tt.nothing"] = "?"
    assert any("'tt.nothing'" in problem for problem in census(script, ops, reasons))


def test_a_recorded_test_that_is_gone_is_found(script: ModuleType):
    here = "python/test/test_census.py::"
    executed = {"CPU": {"tt.cat": {"i1": here + "test_gone[1]", "i8": here + "test_every_excuse"}}}
    assert [line.split("'")[1] for line in script.census_of_tests(executed)] == [
        here + "test_every_excuse",
        here + "test_gone",
    ]
    assert list(script.census_of_tests({"CPU": {"tt.cat": {"i1": here + "get"}}})) == []


def test_the_first_test_of_a_type_is_recorded(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(script, "EXECUTED", tmp_path / "executed.json")
    for folder, test in ("3.6.0", "b"), ("3.9.0", "a"), ("gpu-3.9.0", "c"):
        (tmp_path / folder).mkdir()
        line = json.dumps({"test": test, "cells": [["tt.cat", "i8"]]})
        (tmp_path / folder / "operations.jsonl").write_text(line + "\n")
    script.record(tmp_path)
    executed = json.loads(script.EXECUTED.read_text())
    assert executed == {"CPU": {"tt.cat": {"i8": "a"}}, "GPU": {"tt.cat": {"i8": "c"}}}


def test_a_leg_without_a_record_stays(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(script, "EXECUTED", tmp_path / "executed.json")
    old = {"CPU": {"tt.cat": {"i8": "a"}}, "GPU": {"tt.cat": {"i1": "b"}}}
    script.EXECUTED.write_text(json.dumps(old))
    (tmp_path / "gpu-3.6.0").mkdir()
    line = json.dumps({"test": "c", "cells": [["tt.cat", "i64"]]})
    (tmp_path / "gpu-3.6.0" / "operations.jsonl").write_text(line + "\n")
    script.record(tmp_path)
    executed = json.loads(script.EXECUTED.read_text())
    assert executed == {**old, "GPU": {"tt.cat": {"i64": "c"}}}


def test_what_is_added_to_a_leg_leaves_the_rest_of_it(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(script, "EXECUTED", tmp_path / "executed.json")
    usual, newest = "python/test/test_cat.py::test_cat", "gpu_check/newest_triton.py::corpus[k]"
    script.EXECUTED.write_text(json.dumps({"GPU": {"tt.cat": {"i1": usual, "i8": usual}}}))
    (tmp_path / "gpu-3.6.0").mkdir()
    cells = [["tt.cat", "i8"], ["tt.cat", "i64"], ["tt.atomic_load", "i32"]]
    line = json.dumps({"test": newest, "cells": cells})
    (tmp_path / "gpu-3.6.0" / "operations.jsonl").write_text(line + "\n")
    script.record(tmp_path, adds=True)
    assert json.loads(script.EXECUTED.read_text())["GPU"] == {
        "tt.cat": {"i1": usual, "i8": usual, "i64": newest},
        "tt.atomic_load": {"i32": newest},
    }


TTIR = """
  tt.func public @k(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32} loc("p")) {
    %x = tt.load %p {isVolatile = true} : !tt.ptr<f16> loc(#loc1)
    %y = tt.fp_to_fp %x : tensor<8xf8E5M2> -> tensor<8xbf16> loc(#loc1)
    %z = arith.extsi %y : tensor<8xi8> to tensor<8xi32> loc(#loc1)
    %w = arith.select %m, %a, %b : tensor<8xi1>, tensor<8xf64> loc(#loc1)
    tt.assert %m, "a : b" : tensor<8xi1> loc(#loc1)
    %r:2 = "tt.reduce"(%z, %w) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: f64):
      %s = arith.addi %a, %a : i32 loc(#loc1)
      tt.reduce.return %s, %b : i32, f64 loc(#loc1)
    }) : (tensor<8xi32>, tensor<8xf64>) -> (i32, f64) loc(#loc1)
    tt.return loc(#loc1)
"""


def test_what_a_kernel_holds_is_read_off_its_text():
    assert recording.cells_of(TTIR) == {
        ("tt.load", "f16"),
        ("tt.fp_to_fp", "f8E5M2"),
        ("tt.fp_to_fp", "bf16"),
        ("arith.extsi", "i8"),
        ("arith.extsi", "i32"),
        ("arith.select", "f64"),
        ("tt.assert", "i1"),
        ("arith.addi", "i32"),
        ("tt.reduce.return", "i32"),
        ("tt.reduce", "i32"),
        ("tt.reduce", "f64"),
    }
