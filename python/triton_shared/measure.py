"""Times what computes the same, side by side in one process.

Machines are noisy and their clocks drift, so nothing is compared over time: contenders run in turn,
and what counts is a median. On a CPU that is the median of the ratios of neighbours; on a GPU
launches are captured into graphs, which take turns, and their medians are compared.

    ratio(lambda: torch.softmax(x, 1), lambda: softmax[grid](x, out, n), repeat=25)
    in_turn({name: capture(launch, memories) for name, launch in launches.items()})
"""

from __future__ import annotations

import itertools
import math
import statistics
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

Run = Callable[[], object]
Memory = TypeVar("Memory")
Name = TypeVar("Name", bound=Hashable)

SHORTEST = 2e-3
"""Seconds that one measurement takes at least; what is shorter runs several times."""
LAUNCHES = 40
"""Of a graph, at least, unless they take longer than `LONGEST`."""
LONGEST = 6e4
"""Microseconds that a graph takes at most, if it has more than one launch for each memory."""
ROUNDS = 12
"""Of graphs that take turns."""


def seconds(run: Run, number: int, clock: Callable[[], float] = time.thread_time) -> float:
    """The mean time of one of `number` calls; CPU time of this thread if not told otherwise."""
    start = clock()
    for _ in range(number):
        run()
    return (clock() - start) / number


@dataclass(frozen=True)
class Spread:
    """What was measured several times: the median, and the quartiles on both sides of it."""

    median: float
    low: float
    high: float

    @staticmethod
    def of(values: Sequence[float]) -> Spread:
        """Of at least one value."""
        if len(values) == 1:
            return Spread(values[0], values[0], values[0])
        low, _, high = statistics.quantiles(values, n=4, method="inclusive")
        return Spread(statistics.median(values), low, high)


def ratio(
    peer: Run,
    ours: Run,
    repeat: int,
    clock: Callable[[], float] = time.thread_time,
    rest: float = 0.0,
) -> float:
    """The median of what `peer` takes to what `ours` takes, in turn: above 1, ours is faster."""
    return ratio_spread(peer, ours, repeat, clock, rest).median


def ratio_spread(
    peer: Run,
    ours: Run,
    repeat: int,
    clock: Callable[[], float] = time.thread_time,
    rest: float = 0.0,
) -> Spread:
    """The same with how far the middle half of the ratios lies apart.

    With several threads, each begins after `rest` seconds and a run that does not count: threads of
    the other one spin for a while after its last run, on cores that this one would use.
    """
    peer(), ours()
    number = 1
    while number < 1000 and seconds(ours, number, clock) * number < SHORTEST:
        number *= 2

    def rested(run: Run) -> float:
        if rest:
            time.sleep(rest)
            run()
        return seconds(run, number, clock)

    pairs = [(rested(peer), rested(ours)) for _ in range(repeat)]
    return Spread.of([theirs / own for theirs, own in pairs])


class Timed(Protocol):
    """What can be timed again and again."""

    def microseconds(self) -> float:
        """What one launch takes this time."""


@dataclass(frozen=True)
class Graph:
    """Launches that a GPU runs without the CPU."""

    graph: Any
    """A `torch.cuda.CUDAGraph`."""
    launches: int

    def microseconds(self) -> float:
        """What one launch takes this time.

        All launches run once before: a GPU that has drawn much power goes on at lower clocks for a
        while, and whoever comes next would pay for that.
        """
        import torch

        self.graph.replay()
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in "be")
        begin.record()
        self.graph.replay()
        end.record()
        end.synchronize()
        elapsed: float = begin.elapsed_time(end)
        return elapsed * 1e3 / self.launches


def capture(run: Callable[[Memory], Any], memories: Sequence[Memory]) -> Graph:
    """A graph of launches that go round all memories: together more than fits into the cache."""
    import torch

    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in "be")
    with torch.cuda.stream(stream):
        for memory in memories[:3]:
            run(memory)
        begin.record()
        run(memories[0])
        end.record()
    torch.cuda.synchronize()
    launches = min(LAUNCHES, LONGEST / max(1.0, begin.elapsed_time(end) * 1e3))
    count = math.ceil(launches / len(memories)) * len(memories)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for number in range(count):
            run(memories[number % len(memories)])
    return Graph(graph, count)


def in_turn(contenders: Mapping[Name, Timed]) -> dict[Name, float]:
    """The median time of each, in microseconds. Each is the first as often as any other."""
    return {name: found.median for name, found in spreads_in_turn(contenders).items()}


def spreads_in_turn(contenders: Mapping[Name, Timed]) -> dict[Name, Spread]:
    """The same with quartiles.

    Whoever comes first finds another state of clocks and cache than the others, and so does whoever
    follows one who has drawn much power: each is at each place equally often, in rounds that go
    forwards and backwards, so that of two each follows the other as often.
    """
    names = list(contenders)
    times: dict[Name, list[float]] = {name: [] for name in names}
    forwards = [names[at:] + names[:at] for at in range(len(names))]
    orders = itertools.cycle(one for order in forwards for one in (order, order[::-1]))
    for names in itertools.islice(orders, ROUNDS):
        for name in names:
            times[name].append(contenders[name].microseconds())
    return {name: Spread.of(found) for name, found in times.items()}
