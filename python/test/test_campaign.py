"""Campaigns lose no case, whatever is killed, and do no case twice that is done.

Most of these run a fuzzer that does what the test says: with a number, how its case ends.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import triton_shared
from triton_shared.campaign import CampaignError, Case, Outcome, runner
from triton_shared.campaign.__main__ import main
from triton_shared.campaign.campaign import Campaign, batches
from triton_shared.campaign.executors import Dask, Processes, Workers
from triton_shared.campaign.results import reading, writing
from triton_shared.campaign.server import versions

FUZZER = """
    import json, os, pathlib, signal, time

    here = pathlib.Path(__file__).parent

    def prepare(kind):
        pass

    def parent(process):
        return int(pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])

    def end_of(kind, number):
        with open(here / "started", "a") as log:
            log.write(f"{number}\\n")
        what = json.loads((here / "plan.json").read_text()).get(str(number), "right")
        if what == "abort":
            os.write(2, b"last words")
            os.abort()
        if what == "leave":
            os._exit(0)
        if what == "hang":
            time.sleep(1000)
        if what == "slow":
            time.sleep(0.3)
        kills = here / f"kills-{number}"
        if what == "kill always" or (what == "kill once" and not kills.exists()):
            kills.touch()
            os.kill(parent(os.getppid()), signal.SIGKILL)
            time.sleep(1000)
        return "right", ""
"""


class Fuzzer:
    """A folder with a fuzzer in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "fuzz"
        self.folder.mkdir()
        (self.folder / "__init__.py").touch()
        (self.folder / "ends.py").write_text(textwrap.dedent(FUZZER))
        (self.folder / "judging.py").write_text("def judge_results(results, workers): pass\n")
        self.plan({})

    def plan(self, ends: dict[int, str]) -> None:
        (self.folder / "plan.json").write_text(json.dumps(ends))

    def started(self) -> Counter[int]:
        """How often each number was begun."""
        return Counter(map(int, (self.folder / "started").read_text().split()))


@pytest.fixture
def fuzzer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fuzzer:
    # Behind what is there already: another version of Triton may come from it.
    there = filter(None, [os.environ.get("PYTHONPATH")])
    paths = [str(tmp_path), *there, str(Path(triton_shared.__file__).parents[1])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    return Fuzzer(tmp_path)


def numbered(count: int) -> list[Case]:
    return [Case("reference", str(n), {"number": n}) for n in range(count)]


def run(path: Path, workers: Workers, count: int, timeout: float = 60) -> dict[int, Outcome]:
    with writing(path) as results:
        wanted = results.want(numbered(count), versions())
        Campaign(results, workers, versions(), timeout=timeout).run(wanted)
        return {int(row.case.name): row.outcome for row in results.rows() if row.outcome}


def ends(outcomes: dict[int, Outcome]) -> dict[int, str]:
    return {number: outcome.status for number, outcome in outcomes.items()}


#
# The file
#


def test_a_case_is_done_again_when_it_or_what_runs_it_has_changed(tmp_path: Path) -> None:
    old, new = {"library": "1"}, {"library": "2"}
    cases = [Case("check", "a", {"file": "a.py"}), Case("check", "b", {"file": "b.py"})]
    with writing(tmp_path / "r.sqlite") as results:
        assert results.want(cases, old) == cases
        results.keep([(cases[0], Outcome("clean", versions=old))])
        assert results.want(cases, old) == cases[1:]
        changed = [Case("check", "a", {"file": "a.py", "digest": "9"}), cases[1]]
        assert results.want(changed, old) == changed
        results.keep([(case, Outcome("clean", versions=old)) for case in changed])
        assert results.want(changed, old) == []
        assert results.want(changed, new) == changed
    with reading(tmp_path / "r.sqlite") as results:
        assert [row.outcome for row in results.rows()] == [None, None]


def test_what_a_file_keeps_of_a_case(tmp_path: Path) -> None:
    outcome = Outcome("found", "why", {"findings": [1]}, 1.5, 2.5, "host", {"library": "1"})
    case = Case("check", "a", {"file": "a.py"})
    with writing(tmp_path / "r.sqlite") as results:
        results.want([case], outcome.versions)
        results.keep([(case, outcome)])
        assert [(row.case, row.outcome) for row in results.rows()] == [(case, outcome)]


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database " * 100)
    with pytest.raises(CampaignError, match="cannot be read"), reading(tmp_path / "text"):
        pass
    with sqlite3.connect(tmp_path / "other") as other:
        other.execute("CREATE TABLE cases (id)")
    with pytest.raises(CampaignError, match="no file of a campaign"), writing(tmp_path / "other"):
        pass
    with pytest.raises(CampaignError, match="there is no file"), reading(tmp_path / "none"):
        pass


def test_one_campaign_writes_at_a_time_and_anybody_reads(tmp_path: Path) -> None:
    with writing(tmp_path / "r.sqlite") as results:
        results.want(numbered(3), {"library": "1"})
        command = [sys.executable, "-m", "triton_shared.campaign"]
        file = str(tmp_path / "r.sqlite")
        second = subprocess.run(
            [*command, "fuzz", "--programs", "0:1", "--results", file],
            capture_output=True,
            text=True,
        )
        assert second.returncode == 2
        assert "another campaign works on" in second.stderr
        report = subprocess.run([*command, "report", file], capture_output=True, text=True)
        assert report.returncode == 0, report.stderr
        assert report.stdout.splitlines()[1].split() == ["reference", "0", "3", "none", "0.0"]


def test_every_worker_gets_something() -> None:
    assert [len(batch) for batch in batches(numbered(100), 2)] == [25] * 4
    assert [len(batch) for batch in batches(numbered(7), 2)] == [2, 2, 2, 1]
    assert [len(batch) for batch in batches(numbered(1), 8)] == [1]


#
# What cases and workers do
#


def test_a_case_that_crashes_or_hangs_costs_its_own_result(fuzzer: Fuzzer, tmp_path: Path) -> None:
    fuzzer.plan({1: "abort", 4: "hang", 6: "leave"})
    outcomes = run(tmp_path / "r.sqlite", Processes(1), 8, timeout=5)
    died = {1: "crash", 4: "timeout", 6: "crash"}
    assert ends(outcomes) == {**dict.fromkeys(range(8), "right"), **died}
    assert outcomes[1].said == "SIGABRT\nlast words"
    assert outcomes[4].said.startswith("did not end within 5 s")
    assert outcomes[4].seconds >= 5
    assert set(fuzzer.started().values()) == {1}


def test_a_worker_that_is_killed_loses_no_case(fuzzer: Fuzzer, tmp_path: Path) -> None:
    fuzzer.plan({2: "kill once", 9: "kill once"})
    assert ends(run(tmp_path / "r.sqlite", Processes(2), 12)) == dict.fromkeys(range(12), "right")


def test_a_batch_that_a_broken_pool_refuses_is_not_lost(
    fuzzer: Fuzzer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit = ProcessPoolExecutor.submit
    answers = iter([submit, _refuse])

    def submit_or_refuse(*arguments: Any) -> Any:
        return next(answers, submit)(*arguments)

    monkeypatch.setattr(ProcessPoolExecutor, "submit", submit_or_refuse)
    assert ends(run(tmp_path / "r.sqlite", Processes(2), 12)) == dict.fromkeys(range(12), "right")
    assert next(answers, None) is None


def _refuse(*_: Any) -> Any:
    raise BrokenProcessPool("a worker has just died")


def test_a_case_that_kills_workers_is_found_out(fuzzer: Fuzzer, tmp_path: Path) -> None:
    fuzzer.plan({2: "kill always"})
    outcomes = run(tmp_path / "r.sqlite", Processes(2), 5)
    assert ends(outcomes) == {**dict.fromkeys(range(5), "right"), 2: "crash"}
    assert "2 workers died" in outcomes[2].said


@pytest.mark.nightly
def test_what_is_not_done_in_time_is_left(fuzzer: Fuzzer, tmp_path: Path) -> None:
    fuzzer.plan({5: "hang"})
    with writing(tmp_path / "r.sqlite") as results:
        wanted = results.want(numbered(8), versions())
        campaign = Campaign(results, Processes(1), versions())
        campaign.deadline = time.monotonic() + 5
        campaign.run(wanted)
        left = results.want(numbered(8), versions())
    assert left == numbered(8)[8 - len(left) :]
    assert 5 in {int(case.name) for case in left}
    fuzzer.plan({})
    assert ends(run(tmp_path / "r.sqlite", Processes(1), 8)) == dict.fromkeys(range(8), "right")


def test_a_batch_that_waited_too_long_does_nothing(fuzzer: Fuzzer) -> None:
    """However long it had when it was handed in."""
    fuzzer.plan({0: "hang"})
    begun = time.monotonic()
    facts = [case.facts for case in numbered(2)]
    assert runner.run(numbered(1)[0].kind, facts, 600, until=time.time() - 1) == []
    assert time.monotonic() - begun < 300


def processes_below(process: int) -> set[int]:
    """Those that it has started, and what these have."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True).stdout
    parents = dict(tuple(map(int, line.split())) for line in listed.splitlines())
    found = {process}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {process}


def wait_until(what: object, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not what():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.05)


def done_in(file: Path) -> int:
    if not file.exists():
        return 0
    try:
        with reading(file) as results:
            return sum(row.outcome is not None for row in results.rows())
    except CampaignError:
        return 0  # Is being made.


def test_a_campaign_that_is_killed_goes_on(fuzzer: Fuzzer, tmp_path: Path) -> None:
    fuzzer.plan(dict.fromkeys(range(24), "slow"))
    file = tmp_path / "r.sqlite"
    command = [sys.executable, "-m", "triton_shared.campaign", "fuzz", "--workers", "2"]
    command += ["--programs", "0:24", "--modes", "reference", "--results", str(file)]
    first = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    wait_until(lambda: done_in(file) >= 6)
    below = processes_below(first.pid)
    assert len(below) >= 4
    first.send_signal(signal.SIGKILL)
    first.wait()
    # All that it has started ends with it.
    wait_until(lambda: not any(Path(f"/proc/{process}/cmdline").exists() for process in below))
    done, begun = done_in(file), fuzzer.started()
    assert 6 <= done < 24
    second = subprocess.run(command, capture_output=True, text=True)
    assert second.returncode == 0, second.stderr
    assert second.stdout.splitlines()[1].split()[:5] == ["reference", "24", "0", "24", "right"]
    assert "of 24 cases done" in second.stderr
    # What was under way has been done again, and nothing else.
    again = fuzzer.started() - begun
    assert sum(again.values()) == 24 - done
    assert set(again.values()) == {1}


#
# A cluster
#


@pytest.fixture
def cluster(fuzzer: Fuzzer) -> Iterator[str]:
    distributed = pytest.importorskip("distributed", reason="requirements.txt has it")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None
    ) as made:
        yield made.scheduler_address


def test_a_worker_of_a_cluster_that_is_killed_loses_no_case(
    cluster: str, fuzzer: Fuzzer, tmp_path: Path
) -> None:
    fuzzer.plan({3: "kill once", 5: "abort"})
    workers = Dask(cluster)
    assert workers.slots == 2
    outcomes = run(tmp_path / "r.sqlite", workers, 12)
    assert ends(outcomes) == {**dict.fromkeys(range(12), "right"), 5: "crash"}
    assert (fuzzer.folder / "kills-3").exists()


@pytest.mark.nightly
def test_a_cluster_that_is_not_there() -> None:
    pytest.importorskip("distributed", reason="requirements.txt has it")
    with pytest.raises(CampaignError, match="no scheduler of Dask at"):
        Dask("tcp://127.0.0.1:1")


#
# Kernels
#

KERNELS = """
    import torch
    import triton
    import triton.language as tl

    @triton.jit
    def twice(x, y, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(y + i, tl.load(x + i, mask=i < n, other=0) * 2, mask=i < n)

    def whole():
        twice[(2,)](torch.rand(64), torch.zeros(64), 64, BLOCK=32)

    def beyond():
        twice[(2,)](torch.rand(64), torch.zeros(40), 64, BLOCK=32)

    def cases():
        yield whole
        yield beyond
"""


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    file = tmp_path / "kernels.py"
    file.write_text(textwrap.dedent(KERNELS))
    return file


@pytest.mark.nightly
def test_checks_of_many_cases(
    kernels: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "script.py"
    script.write_text("import kernels\nkernels.whole()\nraise SystemExit(3)\n")
    words = ["check", str(kernels), str(script), "--workers", "1"]
    words += ["--results", str(tmp_path / "r.sqlite"), "--json", str(tmp_path / "r.json")]
    assert main(words) == 1
    assert "1 clean, 1 found, 1 failed" in capsys.readouterr().out
    whole = json.loads((tmp_path / "r.json").read_text())
    found, failed = whole["kinds"]["check"]["finds"]
    assert found["name"] == f"{kernels}::beyond"
    assert found["result"]["findings"][0]["kind"] == "out-of-bounds"
    assert failed["said"] == "it ends with exit code 3"
    assert main([*words, "--case", "whole", "--vary", "BLOCK=32,16"]) == 1
    told = capsys.readouterr()
    assert "5 clean" not in told.out
    assert "3 clean" in told.out
    assert f"{kernels}::whole" in "".join(row_names(tmp_path / "r.sqlite"))


def row_names(file: Path) -> list[str]:
    with reading(file) as results:
        return [row.case.name for row in results.rows()]


def test_reproducers_are_run_by_wish_alone(
    kernels: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "kernels", raising=False)
    import kernels as module

    file = tmp_path / "beyond.ttrepro"
    with triton_shared.repro.recording(file), triton_shared.device("cpu"):
        module.whole()
    words = ["check", str(file), "--workers", "1", "--results", str(tmp_path / "r.sqlite")]
    assert main(words) == 2
    assert "takes --run" in capsys.readouterr().err
    assert main([*words, "--run"]) == 0
    assert "1 clean" in capsys.readouterr().out


def test_comparisons_of_many_cases(
    kernels: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["diff", str(kernels), "--targets", "cpu,cpu-fast", "--case", "whole", "--workers", "1"]
    words += ["--results", str(tmp_path / "r.sqlite"), "--seeds", "7:2", "--vary", "BLOCK=32,16"]
    assert main(words) == 0
    assert "4 equal" in capsys.readouterr().out
    names = row_names(tmp_path / "r.sqlite")
    assert names[0] == f"{kernels}::whole BLOCK=32 seed=7"
    with reading(tmp_path / "r.sqlite") as results:
        launches = [row.outcome.result["launches"] for row in results.rows() if row.outcome]
    assert [len(found) for found in launches] == [1] * 4


def test_a_source_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["check", str(tmp_path / "no.py"), "--results", str(tmp_path / "r.sqlite")]
    assert main(words) == 2
    assert "there is no file or folder" in capsys.readouterr().err
