"""Times of things that take as long as they say."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass

import pytest
from triton_shared import measure


class Clock:
    """Time that passes only where somebody takes it."""

    def __init__(self) -> None:
        self.now = 0.0
        self.calls = 0

    def __call__(self) -> float:
        return self.now

    def takes(self, seconds: float) -> measure.Run:
        def run() -> None:
            self.now += seconds
            self.calls += 1

        return run


def test_seconds_are_the_mean_of_the_calls():
    clock = Clock()
    assert measure.seconds(clock.takes(0.25), 8, clock) == 0.25
    assert clock.calls == 8


def test_a_ratio_above_one_means_that_ours_is_faster():
    clock = Clock()
    found = measure.ratio(clock.takes(3e-5), clock.takes(1e-5), 5, clock)
    assert found == pytest.approx(3)
    # Short ones run so often that a measurement takes two milliseconds.
    assert clock.calls >= 5 * 2 * 200


@dataclass
class Contender:
    """One that says when it is asked."""

    order: list[str]
    name: str
    usual: float

    def microseconds(self) -> float:
        self.order.append(self.name)
        return self.usual


def test_whoever_rests_runs_once_before_it_counts(monkeypatch: pytest.MonkeyPatch):
    """What the first run after a rest takes longer is nobody's."""
    clock = Clock()
    cold = {"peer": False, "ours": False}
    rests: list[float] = []

    def sleep(seconds: float) -> None:
        rests.append(seconds)
        cold.update(peer=True, ours=True)

    def run(name: str, seconds: float) -> measure.Run:
        def once() -> None:
            clock.now += seconds + 7.0 * cold[name]
            cold[name] = False

        return once

    monkeypatch.setattr(measure.time, "sleep", sleep)
    found = measure.ratio(run("peer", 0.5), run("ours", 0.25), 3, clock, rest=0.05)
    assert found == 2
    assert rests == [0.05] * 6


def test_contenders_take_turns_at_being_the_first():
    order: list[str] = []
    contenders = {name: Contender(order, name, us) for name, us in (("a", 4.0), ("b", 2.0))}
    assert measure.in_turn(contenders) == {"a": 4.0, "b": 2.0}
    assert order[:4] == ["a", "b", "b", "a"]
    assert len(order) == 2 * measure.ROUNDS


def test_each_contender_follows_each_other_one_equally_often():
    order: list[str] = []
    measure.in_turn({name: Contender(order, name, 1.0) for name in "abc"})
    rounds = [tuple(order[at : at + 3]) for at in range(0, len(order), 3)]
    followed = Counter(pair for names in rounds for pair in itertools.pairwise(names))
    assert followed == dict.fromkeys(itertools.permutations("abc", 2), measure.ROUNDS // 3)


def test_a_spread_has_the_quartiles_on_both_sides_of_the_median():
    assert measure.Spread.of([5.0, 1.0, 2.0, 4.0, 3.0]) == measure.Spread(3.0, 2.0, 4.0)
    assert measure.Spread.of([7.0]) == measure.Spread(7.0, 7.0, 7.0)


def test_a_spread_of_ratios_is_that_of_neighbours():
    clock = Clock()
    found = measure.ratio_spread(clock.takes(3e-3), clock.takes(1e-3), 4, clock)
    assert (found.low, found.median, found.high) == pytest.approx((3, 3, 3))
