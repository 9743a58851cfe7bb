"""The search: rewritten graphs, cuts and blocks, verified, then timed, until the time is over.

Candidates come in the order of their estimates, the best of each cut first, then all others of the
cuts that were fastest. A candidate whose lower bound is above the best time is not compiled. At
least one right candidate is found, however small the budget is, if there is one.
"""

from __future__ import annotations

import concurrent.futures
import itertools
import multiprocessing
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from . import search_cache
from .cost import Machine, capability, machine
from .kernel_graph import KernelGraph
from .partition import cuts
from .profiler import (
    SearchError,
    default_device,
    profile,
    profile_and_select_best_graph,
    random_inputs,
)
from .program import Plan, Program
from .progress import shown
from .report import Report, Row
from .rules import expanded, rewritten
from .shared_memory import shared_bytes
from .space import plans
from .verify import Verdict, verify, write_reproducer


@dataclass(frozen=True)
class Options:
    """What a search may do."""

    target_cc: int | None = None
    """Ten times the compute capability that shared memory is checked for; that of the GPU, if there
    is one and nothing is given."""
    warmup_iters: int = 16
    profile_iters: int = 1000
    """Iterations of the finalists."""
    budget: float = 60.0
    """Seconds after which nothing new is begun; the finalists' iterations are cut short then."""
    candidates: int = 32
    """Candidates that are compiled and verified at most."""
    finalists: int = 3
    graphs: int = 24
    """Rewritten graphs, and cuts of each of them, at most."""
    jobs: int = 1
    """Processes that verify."""
    cache: bool = True
    """Whether results are kept on disk, and taken from there."""
    debug_mode: bool = False
    save_codes: bool = False
    reproducers: str = ""
    """A folder for what was found wrong."""


@dataclass
class _Candidate:
    """A plan, and its row of the report."""

    plan: Plan
    row: Row
    cut: int
    """The number of its cut among all of all graphs."""


def superoptimize(graph: KernelGraph, **options: Any) -> KernelGraph:
    """The fastest verified candidate of a graph, as a graph; `report` says what was tried.

    Options are those of `Options`. Raises SearchError if no candidate is right.
    """
    search = Search(graph, Options(**options))
    return search.run()


class Search:
    """One search."""

    def __init__(self, graph: KernelGraph, options: Options) -> None:
        self.given = graph
        self.options = options
        self.device = default_device()
        self.target = _target(options)
        self.machine: Machine = machine(self.target)
        self.report = Report(graph.graph.describe(), self.machine.name, self.device)
        self.start = time.monotonic()
        self.until = self.start + options.budget
        self.inputs = random_inputs(graph, self.device)

    def run(self) -> KernelGraph:
        """The best graph. Raises SearchError."""
        name = search_cache.key(
            self.given.graph, f"{self.device} {self.machine}", repr(_lasting(self.options))
        )
        known = search_cache.read(name) if self.options.cache else None
        if known:
            return self._graph(*known)
        right = self._explore()
        if not right:
            raise SearchError(f"no candidate is right\n{self.report.as_text()}")
        best = self._final(right)
        best.row.stage = "BEST"
        self.report.seconds = time.monotonic() - self.start
        if self.options.cache:
            search_cache.write(name, best.plan, self.report)
        return self._graph(best.plan, self.report)

    def _graph(self, plan: Plan, report: Report) -> KernelGraph:
        made = KernelGraph(self.given.graph, plan)
        made.report = report
        return made

    # Candidates.

    def _candidates(self) -> list[list[_Candidate]]:
        """Per cut its candidates, the best estimate first; the best cut first."""
        found: list[list[_Candidate]] = []
        numbers = itertools.count()
        for rules, graph in rewritten(self.given.graph, self.options.graphs):
            for cut, why in cuts(graph, 4 * self.options.graphs):
                if why:
                    row = Row(next(numbers), rules, _words(graph, cut), "CUT", why)
                    self.report.rows.append(row)
                    continue
                some = []
                for plan, estimate, bound in plans(graph, cut, self.machine):
                    row = Row(0, rules, _kernels(plan), estimate=estimate, bound=bound)
                    some.append(_Candidate(plan, row, len(found)))
                if some:
                    found.append(some)
        return sorted(found, key=lambda some: some[0].row.estimate)

    def _order(self, groups: list[list[_Candidate]]) -> Iterator[_Candidate]:
        """The best of the cuts that look good, then others of those that were fast."""
        promising = groups[: max(4, self.options.candidates // 3)]
        for some in promising:
            yield some[0]

        def fastest(some: list[_Candidate]) -> float:
            return min((one.row.time for one in some if one.row.time), default=float("inf"))

        waiting = [iter(some[1:]) for some in sorted(promising, key=fastest)]
        # Two of the fastest cut for each one of the others.
        while waiting:
            for place, others in enumerate(list(waiting)):
                for _ in range(2 if place == 0 else 1):
                    one = next(others, None)
                    if one is None:
                        waiting.remove(others)
                        break
                    yield one

    def _explore(self) -> list[_Candidate]:
        """Verifies and times candidates while there is time; gives the right ones."""
        right: list[_Candidate] = []
        best = float("inf")
        judged = 0
        number = len(self.report.rows)
        with self._judges() as judge, shown(self.options.candidates) as told:
            order = self._order(self._candidates())
            while judged < self.options.candidates:
                wave: list[_Candidate] = []
                for one in order:
                    one.row.number = number
                    number += 1
                    self.report.rows.append(one.row)
                    if one.row.bound > best:
                        one.row.stage = "PRUNED"
                        one.row.why = f"at least {one.row.bound * 1e6:.1f} us"
                        continue
                    wave.append(one)
                    if len(wave) >= self.options.jobs:
                        break
                if not wave:
                    break
                for one, verdict in zip(wave, judge([one.plan for one in wave]), strict=True):
                    judged += 1
                    self._take(one, verdict)
                    if not one.row.stage:
                        self._time_shortly(one)
                        right.append(one)
                        best = min(best, one.row.time or best)
                    told(judged, best)
                if time.monotonic() > self.until and right:
                    break
        return [one for one in right if one.row.time is not None]

    def _take(self, one: _Candidate, verdict: Verdict) -> None:
        row = one.row
        row.margin, row.launches = verdict.margin, verdict.launches
        if verdict.is_right:
            return
        row.stage, row.why = verdict.gate, verdict.message
        if self.options.reproducers and verdict.gate not in ("COMPILE", "SHARED"):
            folder = Path(self.options.reproducers) / f"candidate_{row.number}"
            path = write_reproducer(folder, self.given.graph, one.plan, verdict)
            row.reproducer = str(path)

    def _time_shortly(self, one: _Candidate) -> None:
        graph = KernelGraph(self.given.graph, one.plan)
        times, why = profile([graph], self.device, 2, 10, None, self.inputs)
        if why:
            one.row.stage, one.row.why = "LAUNCH", why[0]
            return
        one.row.stage, one.row.time, one.row.iterations = "PROFILED", times[0], 10

    @contextmanager
    def _judges(self) -> Iterator[Callable[[list[Plan]], list[Verdict]]]:
        """Verifies plans, in processes of their own if there are to be several."""
        given, target = self.given.graph, self.target
        if self.options.jobs == 1:
            yield lambda some: [judge(given, plan, target) for plan in some]
            return
        context = multiprocessing.get_context("spawn")
        with concurrent.futures.ProcessPoolExecutor(self.options.jobs, context) as pool:

            def judge_all(some: list[Plan]) -> list[Verdict]:
                waiting = [pool.submit(judge, given, plan, target) for plan in some]
                return [one.result() for one in waiting]

            yield judge_all

    # The end.

    def _final(self, right: list[_Candidate]) -> _Candidate:
        """Times the fastest with all iterations; the winner must be right at full size, too."""
        right.sort(key=lambda one: one.row.time or 0.0)
        finalists = right[: self.options.finalists]
        rest = right[self.options.finalists :]
        while finalists:
            best = self._fastest(finalists)
            why = check_full_size(best.plan, self.given, self.inputs)
            if not why:
                return best
            best.row.stage, best.row.why = "BOUND", why
            finalists = [one for one in finalists if one is not best] or rest[:1]
            rest = rest[1:]
        raise SearchError(f"no candidate is right at full size\n{self.report.as_text()}")

    def _fastest(self, finalists: list[_Candidate]) -> _Candidate:
        graphs = [KernelGraph(self.given.graph, one.plan) for one in finalists]
        if self.options.debug_mode or self.options.save_codes:
            picked = profile_and_select_best_graph(
                graphs, self.target, self.options.warmup_iters, self.options.profile_iters,
                self.options.debug_mode, self.options.save_codes,
            )  # fmt: skip
            return finalists[graphs.index(picked)]
        until = max(self.until, time.monotonic() + 2.0)
        times, _ = profile(
            graphs, self.device, self.options.warmup_iters, self.options.profile_iters, until,
            self.inputs,
        )  # fmt: skip
        for place, seconds in times.items():
            finalists[place].row.time = seconds
            finalists[place].row.iterations = self.options.profile_iters
        return finalists[min(times, key=lambda place: times[place])]


def judge(graph: Any, plan: Plan, target: int | None) -> Verdict:
    """All gates of one candidate; with a capability, what it takes there comes first."""
    if target is not None:
        limit = machine(target).shared
        try:
            taken = shared_bytes(Program(graph, plan), target)
        except Exception as error:
            return Verdict("COMPILE", f"for cuda:{target}: {type(error).__name__}: {error}"[:500])
        if taken > limit:
            told = f"its shared memory usage exceeds the limit: {taken} of {limit} bytes"
            return Verdict("SHARED", told)
    return verify(graph, plan)


def check_full_size(plan: Plan, given: KernelGraph, inputs: list[Any]) -> str:
    """What is wrong with a plan at the sizes of the graph; empty if nothing is."""
    found = Program(given.graph, plan)(inputs)
    expected = expanded(given.graph).expect([tensor.cpu() for tensor in inputs])
    for place, (one, right) in enumerate(zip(found, expected, strict=True)):
        error = (one.cpu().double() - right.value).abs()
        known = right.error.isfinite() & right.value.isfinite()
        wrong = torch.where(known, ~(error <= right.error), False)
        if bool(wrong.any()):
            return f"output {place}: {int(wrong.sum())} elements are wrong at full size"
    return ""


def _target(options: Options) -> int | None:
    if options.target_cc is not None:
        return capability(options.target_cc)
    if not torch.cuda.is_available():
        return None
    major, minor = torch.cuda.get_device_capability()
    return 10 * int(major) + int(minor)


def _lasting(options: Options) -> Options:
    """The options that a result depends on."""
    return replace(options, jobs=1, reproducers="", debug_mode=False, save_codes=False)


def _kernels(plan: Plan) -> tuple[str, ...]:
    nodes = plan.graph.nodes
    words = []
    for part in plan.parts:
        b = part.blocks
        blocks = f"{b.rows}x{b.columns or 'all'}x{b.depth or 'all'}"
        more = (f" inner {b.inner}" if b.inner else "") + (" online" if b.online else "")
        made = "+".join(f"%{i} {nodes[i].op}" for i in part.roots)
        words.append(f"{made} {blocks}{more}")
    return tuple(words)


def _words(graph: Any, cut: Any) -> tuple[str, ...]:
    return tuple("+".join(f"%{i} {graph.nodes[i].op}" for i in roots) for roots in cut)
