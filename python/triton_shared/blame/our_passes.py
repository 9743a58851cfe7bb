"""Which of our passes makes a kernel wrong.

A module can be run after any pass in as many ways as there are compilers that go on from there:

- another version of this compiler, if one is named: it goes on with its own passes, so that every
  pass of ours is told from those behind it;
- up to phase `linalg`, the CPU's reference mode, which has other passes from there;
- in the phases of a GPU, only the passes behind it. There the kernel is compiled without a pass
  instead: without those from one on, as far as it compiles without them. Where the result is right,
  one that was left out is to blame; of those without which nothing runs, none can be told from
  another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..errors import CompilationError
from .pipeline import Compiler, Pass

NEEDED = (
    "triton-descriptors-to-structured", "triton-pointers-to-structured",
    "triton-tensors-to-linalg",
    "linalg-to-cta", "cta-assign-layouts", "cta-share-operands", "cta-allocate-shared",
    "cta-to-gpu", "structured-to-memref", "one-shot-bufferize", "upstream-to-llvm",
)  # fmt: skip
"""Passes without which hardly a kernel compiles: what is behind them reads no other form."""
Verdict = bool | None
"""Whether a kernel is right; None if it does not run."""
Runner = Callable[[str], Verdict]


@dataclass(frozen=True)
class Suspects:
    """What a search has left."""

    passes: tuple[Pass, ...]
    """In order; one, if it is known."""
    why: str
    before: str = ""
    """The last module that is right, if modules were looked at."""
    after: str = ""
    """The first one that is wrong, or the whole way without the pass."""

    @property
    def names(self) -> list[str]:
        """Of the passes, without those that only check."""
        return [one.name for one in self.passes if not one.is_contract]


def narrow(count: int, is_right: Callable[[int], Verdict]) -> tuple[int, int]:
    """The last number that is right and the first that is wrong, of 0, right, to `count`, wrong.

    Numbers that say nothing may lie between.
    """
    low, high = 0, count
    silent: set[int] = set()
    while True:
        between = [n for n in range(low + 1, high) if n not in silent]
        if not between:
            return low, high
        middle = min(between, key=lambda n: abs(2 * n - low - high))
        found = is_right(middle)
        if found is None:
            silent.add(middle)
        elif found:
            low = middle
        else:
            high = middle


@dataclass(frozen=True)
class Search:
    """A kernel that some passes make wrong."""

    ttir: str
    compiler: Compiler
    passes: Sequence[Pass]
    runs: Runner
    """Of a module behind the last pass."""

    def by_other_compiler(self, other: Compiler, others: Sequence[Pass]) -> Suspects:
        """Which module another version does not make right any more."""
        if [one.name for one in others] != [one.name for one in self.passes]:
            raise CompilationError("", "its pipeline", "the other compiler has other passes")
        modules: dict[int, str] = {}

        def is_right(count: int) -> Verdict:
            try:
                modules[count] = self.compiler.apply(self.ttir, self.passes[:count])
                return self.runs(other.apply(modules[count], others[count:]))
            except CompilationError:
                return None

        return self._told(modules, *narrow(len(self.passes), is_right), "the other compiler")

    def by_modules(
        self, phases: Sequence[str], runs: Runner, ends_wrong: bool = False
    ) -> Suspects | None:
        """Which module is wrong where `runs` goes on from it, up to the last of `phases`.

        None if that one is right, so that the fault is behind it; what `ends_wrong` needs no look.
        """
        passes = [one for one in self.passes if one.phase in phases]
        modules: dict[int, str] = {}

        def is_right(count: int) -> Verdict:
            try:
                modules[count] = self.compiler.apply(self.ttir, passes[:count])
            except CompilationError:
                return None
            return runs(modules[count])

        if not ends_wrong and is_right(len(passes)) is not False:
            return None
        return self._told(modules, *narrow(len(passes), is_right), "the CPU's reference mode")

    def _told(self, modules: dict[int, str], low: int, high: int, who: str) -> Suspects:
        if high not in modules:
            modules[high] = self.compiler.apply(self.ttir, self.passes[:high])
        why = f"{who} goes on rightly from the module before it, and wrongly from the one after it"
        if high - low > 1:
            why = f"{who} cannot go on from the modules between them"
        return Suspects(
            tuple(self.passes[low:high]), why, modules.get(low, self.ttir), modules[high]
        )

    def by_leaving_out(self, phases: Sequence[str]) -> Suspects:
        """Without which passes of `phases` the result is right."""
        places = [n for n, p in enumerate(self.passes) if p.phase in phases and not p.is_contract]
        free = [n for n in places if self.passes[n].name not in NEEDED]
        needed = [n for n in places if n not in free]
        everything = self._runs_without(free)
        if everything is False:
            single = self._find_single(needed)
            if single is not None:
                return self._left_out(single)
            why = "it is wrong without all others, and does not compile without these"
            return Suspects(tuple(self.passes[n] for n in needed), why)
        single = self._find_last(free) if everything else self._find_single(free)
        if single is None:
            return Suspects(tuple(self.passes[n] for n in places), "no pass alone makes it wrong")
        return self._left_out(single)

    def _find_last(self, free: Sequence[int]) -> int | None:
        """The last pass from which on all must be left out, if it alone is enough."""

        # The more are left in, from the first on, the less is right.
        low, high = narrow(len(free), lambda count: self._runs_without(free[count:]))
        if high - low == 1 and self._runs_without([free[low]]):
            return free[low]
        return self._find_single(free)

    def _left_out(self, place: int) -> Suspects:
        why = "without it the result is right"
        before = self.compiler.apply(self.ttir, self.passes[:place])
        after = self.compiler.apply(self.ttir, self.passes[: place + 1])
        return Suspects((self.passes[place],), why, before, after)

    def _find_single(self, free: Sequence[int]) -> int | None:
        """The last pass without which alone it is right."""
        return next((n for n in reversed(free) if self._runs_without([n])), None)

    def _without(self, left_out: Sequence[int]) -> str:
        kept = [one for n, one in enumerate(self.passes) if n not in left_out]
        return self.compiler.apply(self.ttir, kept)

    def _runs_without(self, left_out: Sequence[int]) -> Verdict:
        try:
            return self.runs(self._without(left_out))
        except CompilationError:
            return None
