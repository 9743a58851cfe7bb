"""Whose the crashes of mutants are: the tool repeats them, where there is one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from triton_shared.campaign import Results
from triton_shared.campaign.kinds import KINDS

from . import mutants, sources

BATCH = 20
"""Crashes between two writes of a file: one that hangs takes ten seconds of a core."""


def judge_results(results: Results, workers: int) -> None:
    """Adds to the results of crashed mutants whose crash it was; nothing without the tool."""
    if not sources.TOOL.exists():
        return
    crashed = [
        (row.case, row.outcome)
        for row in results.rows()
        if row.case.kind in mutants.DAMAGE
        and row.outcome
        and row.outcome.status not in KINDS[row.case.kind].fine
        and "upstream" not in row.outcome.result
    ]
    finds = [
        (case.kind, {"name": case.name, "end": outcome.status, "said": outcome.said, "result": {}})
        for case, outcome in crashed
    ]
    _judge_all(finds, workers)
    for (_, outcome), (_, find) in zip(crashed, finds, strict=True):
        outcome.said, outcome.result = find["said"], find["result"]
    results.keep(crashed)


def judge_file(file: Path, workers: int) -> dict[str, Any]:
    """The same for the JSON of a campaign that ran where there was no tool; gives what is there.

    What has been judged is kept when this is ended, and is not judged again.
    """
    whole: dict[str, Any] = json.loads(file.read_text())
    finds = [
        (kind, find)
        for kind, facts in whole["kinds"].items()
        if kind in mutants.DAMAGE
        for find in facts["finds"]
        if "upstream" not in find["result"]
    ]
    for first in range(0, len(finds), BATCH):
        _judge_all(finds[first : first + BATCH], workers)
        file.write_text(json.dumps(whole, indent=1) + "\n")
    return whole


def _judge_all(finds: Sequence[tuple[str, dict[str, Any]]], workers: int) -> None:
    if finds:
        sources.make_all()  # Once, not by each thread.
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(lambda pair: _judge(*pair), finds))


def _judge(kind: str, find: dict[str, Any]) -> None:
    seen = mutants.look_at(int(find["name"]), kind, "obj", find["end"])
    find["result"] = {"death": seen.death, "upstream": seen.upstream}
    if not seen.upstream:
        find["said"] = seen.trace[:4000]
