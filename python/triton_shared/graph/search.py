"""The search: rewritten graphs, cuts and blocks, verified, then timed, until the time is over.

Candidates come in the order of their estimates, the best of each cut first, then all others of the
cuts that were fastest. A candidate whose lower bound is above the best time is not compiled. At
least one right candidate is found, however small the budget is, if there is one. On a GPU, the
fastest are tried again with other warps and stages; on the CPU, where all are verified, these
change nothing. For a GPU that is not there, candidates are verified and compiled, and estimates
order them: nothing is timed, and nothing is said to be.
"""

from __future__ import annotations

import itertools
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import ExitStack
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import torch

from . import pool, search_cache
from .cost import capability, machine
from .ir import GraphError
from .judging import FullSize, fits, judge
from .kernel_graph import KernelGraph
from .partition import cuts
from .profiler import SearchError, default_device, memories, profile, random_inputs, select
from .program import Plan
from .progress import shown
from .report import Report, Row
from .reproducer import write_reproducer
from .rules import rewritten
from .space import RUNS, Choices, plans, with_run
from .targets import FASTEST, chosen
from .verify import Verdict

ESTIMATE = "estimate"
_REFINING = 0.4
"""Of the budget, for other warps and stages."""


Sampler = Callable[[Sequence[Row]], Iterable[int]]
"""Takes all candidates, gives the places of those to try. It is asked for one at a time: rows that
were tried have a stage by then, and those that were timed a time."""


@dataclass(frozen=True)
class Options:
    """What a search may do."""

    target_cc: int | None = None
    """Ten times the compute capability that shared memory is checked for; that of the GPU, if there
    is one and nothing is given."""
    device: str = ""
    """Where candidates are timed: `cpu` or `cuda`; with `estimate` they are not. If it is not
    given: a GPU, if there is one."""
    target: str = FASTEST
    """Whose compiler makes kernels for a GPU: `triton`, `shared`, or `fastest`, both of them."""
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
    dask: str = ""
    """The address of the scheduler of a cluster that verifies, in the place of processes."""
    sampler: Sampler | None = None
    """Says which candidate is next, in the place of the order of estimates; such a search is not
    kept on disk."""
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

    @property
    def time(self) -> float:
        return self.row.time if self.row.time is not None else float("inf")


def superoptimize(
    graph: KernelGraph, inputs: Sequence[Any] | None = None, **options: Any
) -> KernelGraph:
    """The fastest verified candidate of a graph, as a graph; its `report()` says what was tried.

    Candidates are timed with `inputs`, or with random ones. Options are those of `Options`. Raises
    SearchError if no candidate is right, GraphError for other options.
    """
    known = [field.name for field in fields(Options)]
    if unknown := [name for name in options if name not in known]:
        raise GraphError(f"a search has no '{unknown[0]}'; it has {', '.join(known)}")
    if inputs is not None and "device" not in options:
        options["device"] = inputs[0].device.type
    with Search(graph, Options(**options), inputs) as search:
        return search.run()


class Search:
    """One search; `with` it go its workers, or it shares those of a `shared` pool."""

    def __init__(
        self,
        graph: KernelGraph,
        options: Options,
        inputs: Sequence[Any] | None = None,
        shared: tuple[Executor, int] | None = None,
    ) -> None:
        self.given = graph
        self.options = options
        self.device = options.device or graph.device or default_device()
        self.target_cc = _capability(options, self.device)
        # On a CPU, whether kernels fit a GPU is asked of Triton's own compiler.
        self.targets = chosen(options.target) if self.device != "cpu" else ("triton",)
        self.machine = machine(self.target_cc, _facts() if self.device == "cuda" else None)
        self.report = Report(graph.graph.describe(), self.machine.name, self.device)
        self.start = time.monotonic()
        self.until = self.start + options.budget
        where = "cpu" if self.device == ESTIMATE else self.device
        self.inputs = list(inputs or random_inputs(graph, where))
        self._stack = ExitStack()
        self._pool = shared
        self._waiting: deque[tuple[_Candidate, Future[Any]]] = deque()
        self._best = float("inf")
        self._begun = 0
        self._next: Iterator[_Candidate] = iter(())
        self._is_kept = options.cache and options.sampler is None
        self._number = 0

    def __enter__(self) -> Search:
        return self

    def __exit__(self, *error: object) -> None:
        for _, future in self._waiting:
            future.cancel()
        self._stack.close()

    def run(self) -> KernelGraph:
        """The best graph. Raises SearchError."""
        where = f"{self.device} {self.machine} {self.given.strides}"
        name = search_cache.key(self.given.graph, where, repr(_lasting(self.options)))
        known = search_cache.read(name) if self._is_kept else None
        if known:
            return self._graph(*known)
        right = self._explore()
        if not right:
            raise SearchError(f"no candidate is right\n{self.report.as_text()}")
        if self.device == "cuda":
            right += self._refine(right)
        best = self._estimated(right) if self.device == ESTIMATE else self._final(right)
        best.row.stage = "BEST"
        self.report.seconds = time.monotonic() - self.start
        if self._is_kept:
            search_cache.write(name, best.plan, self.report)
        return self._graph(best.plan, self.report)

    def _graph(self, plan: Plan, report: Report) -> KernelGraph:
        target = report.best.target if report.best else ""
        return KernelGraph(self.given.graph, plan, target, report)

    # Candidates.

    def _candidates(self) -> list[list[_Candidate]]:
        """Per cut its candidates, the best estimate first; the best cut first."""
        found: list[list[_Candidate]] = []
        numbers = itertools.count()
        choices = Choices(self.machine)
        forms = rewritten(self.given.graph, self.options.graphs)
        most = max(8, 8 * self.options.graphs // len(forms))
        for rules, graph in forms:
            for cut, why in cuts(graph, most):
                if why:
                    row = Row(next(numbers), rules, _words(graph, cut), "CUT", why)
                    self.report.rows.append(row)
                    continue
                some = []
                for plan, estimate, bound in plans(graph, cut, choices):
                    row = Row(
                        0, rules, _kernels(plan), estimate=estimate, bound=bound,
                        form=graph.key, parts=plan.as_json(),
                    )  # fmt: skip
                    some.append(_Candidate(plan, row))
                if some:
                    found.append(some)
        return sorted(found, key=lambda some: some[0].row.estimate)

    def _order(self, groups: list[list[_Candidate]]) -> Iterator[_Candidate]:
        """The best of the cuts that look good, then others of those that were fast."""
        if self.options.sampler:
            yield from _sampled(self.options.sampler, [one for some in groups for one in some])
            return
        promising = groups[: max(4, self.options.candidates // 3)]
        for some in promising:
            yield some[0]

        def fastest(some: list[_Candidate]) -> float:
            return min(one.time for one in some)

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

    def begin(self) -> None:
        """Hands the first candidates to the workers; `run` does so if nobody has before."""
        if self._begun:
            return
        if self._pool is None:
            self._pool = self._stack.enter_context(
                pool.workers(self.options.jobs, self.options.dask)
            )
        self._next = self._order(self._candidates())
        self._number = len(self.report.rows)
        self._fill()

    def _fill(self) -> None:
        """Gives the workers as many candidates as they can have at the same time."""
        assert self._pool
        workers, slots = self._pool
        while len(self._waiting) < slots and self._begun < self.options.candidates:
            one = next(self._next, None)
            if one is None:
                return
            self._list(one)
            if one.row.bound > self._best:
                one.row.stage = "PRUNED"
                one.row.why = f"at least {one.row.bound * 1e6:.1f} us"
                continue
            self._begun += 1
            future = workers.submit(judge, self.given.graph, one.plan, self.target_cc, self.targets)
            self._waiting.append((one, future))

    def _list(self, one: _Candidate) -> None:
        one.row.number = self._number
        self._number += 1
        self.report.rows.append(one.row)

    def _explore(self) -> list[_Candidate]:
        """Verifies and times candidates while there is time; gives the right ones."""
        right: list[_Candidate] = []
        self._expected = FullSize(self.given.graph, self.inputs)
        self._sets = memories(self.inputs)
        self.begin()
        judged = 0
        is_refined = self.device == "cuda"
        until = self.until - (_REFINING * self.options.budget if is_refined else 0.0)
        with shown(self.options.candidates) as told:
            while self._waiting:
                one, future = self._waiting.popleft()
                verdict = future.result()
                judged += 1
                is_right = self._take(one, verdict)
                if is_right and self.device == ESTIMATE:
                    one.row.stage = "ESTIMATED"
                    right.append(one)
                elif is_right:
                    self._time_shortly(one)
                if one.row.time is not None:
                    right.append(one)
                    self._best = min(self._best, one.time)
                told(judged, self._best)
                if time.monotonic() > until and right:
                    break
                # On a CPU, workers would disturb what is timed.
                if self.device == "cuda" or not self._waiting:
                    self._fill()
        for left, future in self._waiting:
            future.cancel()
            left.row.stage, left.row.why = "BUDGET", "no time was left"
        self._waiting.clear()
        return right

    def _take(self, one: _Candidate, verdict: Verdict) -> bool:
        """Whether a candidate is right; else its row says why not."""
        row = one.row
        row.margin, row.launches = verdict.margin, verdict.launches
        row.is_equal = verdict.is_equal
        if verdict.is_right:
            return True
        row.stage, row.why = verdict.gate, verdict.message
        # What does not fit a GPU is not wrong, and has no sizes.
        if self.options.reproducers and verdict.sizes:
            folder = Path(self.options.reproducers) / f"candidate_{row.number}"
            path = write_reproducer(folder, self.given.graph, one.plan, verdict)
            row.reproducer = str(path)
        return False

    def _time_shortly(self, one: _Candidate, targets: Sequence[str] = ()) -> None:
        """Compares with what is expected at full size, then times; the fastest target counts."""
        whys = []
        for target in (targets or self.targets) if self.device == "cuda" else ("",):
            graph = KernelGraph(self.given.graph, one.plan, target)
            try:
                why = self._expected.wrong(graph(self.inputs))
                stage = "BOUND"
            except Exception as error:
                stage, why = "LAUNCH", f"{type(error).__name__}: {error}"[:500]
            if not why:
                times, refused = profile([graph], self.device, 2, 10, None, self._sets)
                if not refused:
                    if times[0].seconds < one.time:
                        one.row.time, one.row.iterations = times[0]
                        one.row.target = target
                    continue
                stage, why = "LAUNCH", refused[0]
            whys.append(f"{target}: {why}" if target else why)
            one.row.stage = one.row.stage if one.row.stage == "BOUND" else stage
        one.row.why = "; ".join(whys)
        if one.row.time is not None and one.row.stage != "BOUND":
            one.row.stage = "PROFILED"
        elif one.row.stage == "BOUND":
            # Wrong where one compiler has made it: nobody may trust the other's luck.
            one.row.time = None

    def _refine(self, right: Sequence[_Candidate]) -> list[_Candidate]:
        """The fastest again with other warps and stages, each compiled before it is timed."""
        assert self._pool
        assert self.target_cc is not None
        workers, _ = self._pool
        compiled: list[tuple[_Candidate, dict[str, Future[Verdict | None]]]] = []
        for one in sorted(right, key=lambda one: one.time)[: self.options.finalists]:
            for warps, stages in RUNS:
                plan = with_run(one.plan, warps, stages)
                row = replace(
                    one.row, kernels=_kernels(plan), time=None, iterations=0, stage="",
                    parts=plan.as_json(),
                )  # fmt: skip
                waiting = {
                    target: workers.submit(fits, self.given.graph, plan, self.target_cc, target)
                    for target in self.targets
                }
                compiled.append((_Candidate(plan, row), waiting))
        for other, waiting in compiled:
            self._list(other)
            refused = {target: future.result() for target, future in waiting.items()}
            usable = [target for target, verdict in refused.items() if verdict is None]
            if time.monotonic() > self.until:
                other.row.stage, other.row.why = "BUDGET", "no time was left"
            elif usable:
                self._time_shortly(other, usable)
            for verdict in () if usable else filter(None, refused.values()):
                other.row.stage, other.row.why = verdict.gate, verdict.message
        return [other for other, _ in compiled if other.row.time is not None]

    # The end.

    def _estimated(self, right: list[_Candidate]) -> _Candidate:
        """The best estimate whose kernels are right at full size, too, on the CPU."""
        for one in sorted(right, key=lambda one: one.row.estimate):
            found = KernelGraph(self.given.graph, one.plan)(self.inputs)
            why = self._expected.wrong(found)
            if not why:
                return one
            one.row.stage, one.row.why = "BOUND", why
        raise SearchError(f"no candidate is right\n{self.report.as_text()}")

    def _final(self, right: list[_Candidate]) -> _Candidate:
        """Times the fastest with all iterations."""
        finalists = sorted(right, key=lambda one: one.time)[: self.options.finalists]
        graphs = [KernelGraph(self.given.graph, one.plan, one.row.target) for one in finalists]
        until = max(self.until, time.monotonic() + 2.0)
        times, why = profile(
            graphs, self.device, self.options.warmup_iters, self.options.profile_iters, until,
            self._sets,
        )  # fmt: skip
        for place, timing in times.items():
            finalists[place].row.time, finalists[place].row.iterations = timing
        debug_mode, save_codes = self.options.debug_mode, self.options.save_codes
        if debug_mode or save_codes or not times:
            return finalists[select(graphs, times, why, debug_mode, save_codes)]
        return finalists[min(times, key=lambda place: times[place].seconds)]


def _capability(options: Options, device: str) -> int | None:
    if options.target_cc is not None:
        return capability(options.target_cc)
    if device == ESTIMATE:
        raise GraphError("device is estimate: target_cc says of which GPU, as in target_cc=90")
    if device == "cpu":
        return None
    if not torch.cuda.is_available():
        raise GraphError(
            "device is cuda, and torch has no GPU: kernels are timed on one\n"
            "device='estimate' with target_cc orders them by a model of it"
        )
    major, minor = torch.cuda.get_device_capability()
    return 10 * int(major) + int(minor)


def _facts() -> dict[str, Any]:
    from ..cuda import gpus

    return gpus.facts(torch.cuda.current_device())


def _sampled(sampler: Sampler, every: Sequence[_Candidate]) -> Iterator[_Candidate]:
    """What a sampler asks for, each once. Raises GraphError for what there is not."""
    given: set[int] = set()
    for place in sampler([one.row for one in every]):
        if not 0 <= place < len(every):
            raise GraphError(f"the sampler asks for candidate {place}; there are {len(every)}")
        if place not in given:
            given.add(place)
            yield every[place]


def _lasting(options: Options) -> Options:
    """The options that a result depends on."""
    return replace(options, jobs=1, dask="", reproducers="", debug_mode=False, save_codes=False)


def _kernels(plan: Plan) -> tuple[str, ...]:
    nodes = plan.graph.nodes
    words = []
    for part in plan.parts:
        b = part.blocks
        blocks = f"{b.rows}x{b.columns or 'all'}x{b.depth or 'all'}"
        more = (f" inner {b.inner}" if b.inner else "") + (" online" if b.online else "")
        more += f" split {b.split}" if b.split > 1 else ""
        more += "" if (b.num_warps, b.num_stages) == (4, 3) else f" w{b.num_warps} s{b.num_stages}"
        made = "+".join(f"%{i} {nodes[i].op}" for i in part.roots)
        words.append(f"{made} {blocks}{more}")
    return tuple(words)


def _words(graph: Any, cut: Any) -> tuple[str, ...]:
    return tuple("+".join(f"%{i} {graph.nodes[i].op}" for i in roots) for roots in cut)
