"""Which operation of a kernel is wrong on a target, and where.

The program that wrote the worst element runs on both targets with probes. Values that differ are
looked at in the order of the program: each operation is run alone on the CPU, on the operands that
it had on the second target. If what it left there is right for these, the difference was inherited;
the first operation for which it is not is the culprit.
"""

from __future__ import annotations

import itertools
import math
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch

from ..errors import CompilationError
from ..launcher import parameters
from . import comparison, probes, texts, workers
from .census import ROUNDED, take
from .comparison import Culprit, Finding, LaunchReport, Worst
from .formats import bits, name_of, rounding, wide
from .probes import Entry, Log, Probed, Site, Store, Value
from .recording import Recording, View, shown
from .replay import REFERENCES
from .tolerances import FAR
from .widening import Widened, Widenings

TARGETS = ("cpu", "cpu-fast", "emulated")
"""Those that run a kernel from its TTIR, and so with probes."""
MOST_BYTES = 256 << 20
"""Of the memory for a log."""

_FIRST = 4
"""How many times of a value that differs are looked at, besides the one that is furthest off."""

_WORDS = {
    torch.bool: "*i1", torch.int8: "*i8", torch.int16: "*i16", torch.int32: "*i32",
    torch.int64: "*i64", torch.float16: "*fp16", torch.bfloat16: "*bf16",
    torch.float32: "*fp32", torch.float64: "*fp64", torch.float8_e4m3fn: "*fp8e4nv",
    torch.float8_e5m2: "*fp8e5", torch.float8_e4m3fnuz: "*fp8e4b8",
    torch.float8_e5m2fnuz: "*fp8e5b16",
}  # fmt: skip


@dataclass
class _Candidate:
    """A value that differs, with what it was computed from on the second target."""

    entry: Entry
    operands: dict[int, torch.Tensor]
    distance: float


@dataclass
class _State:
    """The values of both targets as the logs are read."""

    probed: Probed
    latest: dict[int, torch.Tensor] = field(default_factory=dict)
    """Of the second target."""
    before: dict[int, torch.Tensor] = field(default_factory=dict)
    """Of the first target, at the same time."""
    differs: dict[int, bool] = field(default_factory=dict)
    candidates: dict[int, list[_Candidate]] = field(default_factory=dict)
    """By number, in the order in which they differed first."""
    immediate: Culprit | None = None
    """What is wrong without a look at arithmetic."""
    diverged: Site | None = None
    """Where the targets take different ways."""


def find(
    launch: Recording,
    targets: tuple[str, str],
    program: tuple[int, int, int],
    folder: Path,
    *,
    most_bytes: int = MOST_BYTES,
    timeout: float = 120,
    before: Sequence[str] = (),
    after: Sequence[str] = (),
    plugins: Sequence[Path] = (),
    widenings: Widenings | None = None,
) -> Finding:
    """Looks for the operation that makes `program` leave something else on the second target.

    `before` and `after` are passes, perhaps of `plugins`, that run on the kernel for the second
    target alone, before and after it gets its probes.
    Raises RecordingError and CompilationError where the kernel does not run with them.
    """
    search = _Search(
        launch, targets, program, folder, most_bytes // 4, timeout, before, after, plugins
    )
    with workers.session():
        probed, logs = search.logs()
        state = _State(probed)
        for left, right in itertools.zip_longest(logs[0].entries(), logs[1].entries()):
            if left is None or right is None or left.number != right.number:
                state.diverged = probed.values[(left or right).number]
                break
            _look(state, left, right, program)
            if state.immediate:
                break
        wider = widenings or Widenings()
        judge = _Judge(launch, program, folder / "operations", timeout, wider, probed.values)
        found = judge.find(state)
        widened = tuple(judge.widened)
        if found:
            return Finding(found, widened=widened)
        finding = replace(_without_culprit(launch, state, logs, program), widened=widened)
        if finding.culprit or state.diverged or not search.hides(logs):
            return finding
        return search.by_stores(state, judge)


@dataclass(frozen=True)
class _Search:
    """What is run, where."""

    launch: Recording
    targets: tuple[str, str]
    program: tuple[int, int, int]
    folder: Path
    words: int
    timeout: float
    before: Sequence[str]
    after: Sequence[str]
    plugins: Sequence[Path]

    def logs(self, only: int = -1) -> tuple[Probed, tuple[Log, Log]]:
        """The kernel with all probes, or one, and its logs on the two targets."""
        ttir = self.launch.ttir
        probed = probes.probe(ttir, only)
        other = probed
        if self.after:
            other = probes.probe(ttir, only, self.before, self.after, self.plugins)
        left, right = (
            Log(
                *(self.launch, text, self.program, target),
                *(self.folder / f"log-{only}-{side}", self.words, self.timeout),
            )
            for side, text, target in ((0, probed, self.targets[0]), (1, other, self.targets[1]))
        )
        return probed, (left, right)

    def hides(self, logs: Sequence[Log]) -> bool:
        """Whether the targets are far further apart without probes than with them."""
        changed = texts.apply_passes(
            self.launch.ttir, *texts.ONE_FUNCTION, *self.before, *self.after, plugins=self.plugins
        )
        buffers = []
        for side, text in enumerate((self.launch.ttir, changed)):
            place, target = self.folder / f"plain-{side}", self.targets[side]
            replace(self.launch, file="", ttir=text).save(place)
            workers.replay_all([place], (target,), self.timeout)
            buffers.append(workers.result(place, target).buffers)
        if not all(buffers):
            return False
        return any(
            _is_far(*(view.of(part) for part in (*buffers, logs[0].buffers, logs[1].buffers)))
            for view in self.launch.views().values()
        )

    def by_stores(self, state: _State, judge: _Judge) -> Finding:
        """The first value that differs where a store of it alone is added: all probes hide it.

        What a wrong value is made of differs before it, so that a few stores are enough: halving
        what reaches memory finds one that differs, whose operands lead to the first.
        """
        values = state.probed.values
        stored = _Stored(self, state)
        numbers = _behind_stores(state)
        low, high = 0, len(numbers)
        while low < high:
            middle = (low + high) // 2
            if stored.differs(numbers[middle]):
                high = middle
            else:
                low = middle + 1
        if low == len(numbers):
            return Finding(None, "vanishes under probes, and under a store of each value alone")
        number, seen = numbers[low], {numbers[low]}
        while True:
            earlier = [n for n in _numbers(values[number]) if n not in seen and stored.knows(n)]
            wrong = next((n for n in earlier if stored.differs(n)), None)
            if wrong is None:
                break
            number = wrong
            seen.add(wrong)
        return Finding(self._by_stores(number, stored, judge), widened=tuple(judge.widened))

    def _by_stores(self, number: int, stored: _Stored, judge: _Judge) -> Culprit:
        """What is said of a value, judged with operands that were stored one by one."""
        about = stored.state.probed.values[number]
        left, right = stored.get(number)
        operands = {n: stored.get(n)[1] for n in about.operands if stored.knows(n)}
        candidate = _Candidate(Entry(number, 0, right), operands, _distance(left, right))
        worst = None if about.carried else judge.judge(number, candidate)
        why = (
            "is the first that is wrong where a store of one value is added; the difference "
            f"vanishes under probes ({stored.runs} runs)"
        )
        return Culprit(about, why, self.program, 0, worst)


@dataclass
class _Stored:
    """Values on both targets, each from a run in which it alone is stored; as computed last."""

    search: _Search
    state: _State
    found: dict[int, tuple[torch.Tensor, torch.Tensor]] = field(default_factory=dict)
    runs: int = 0

    def knows(self, number: int) -> bool:
        """Whether the program has computed the value."""
        return number in self.state.before

    def get(self, number: int) -> tuple[torch.Tensor, torch.Tensor]:
        """The value on the first target and on the second."""
        if number not in self.found:
            self.runs += 1
            _, (left, right) = self.search.logs(number)
            ((a, b),) = zip(left.entries(), right.entries(), strict=True)
            self.found[number] = a.value, b.value
        return self.found[number]

    def differs(self, number: int) -> bool:
        """Whether both are far further apart than with all probes."""
        return _is_far(*self.get(number), self.state.before[number], self.state.latest[number])


def _behind_stores(state: _State) -> list[int]:
    """The values that what is stored is made of, in the order of the program."""
    left = [n for store in state.probed.stores for n in _numbers(store)]
    seen: set[int] = set()
    while left:
        number = left.pop()
        if number not in seen:
            seen.add(number)
            left += _numbers(state.probed.values[number])
    return sorted(n for n in seen if n in state.before)


def _is_far(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, d: torch.Tensor) -> bool:
    """Whether `a` and `b` are far further apart than `c` and `d`."""
    if not a.numel():
        return False
    unit = rounding(a.dtype).unit if a.dtype.is_floating_point else 2.0**-53
    return _distance(a, b) > FAR * max(_distance(c, d), unit)


def _look(state: _State, left: Entry, right: Entry, program: tuple[int, int, int]) -> None:
    """Takes note of a value that both targets have computed."""
    number = left.number
    about = state.probed.values[number]
    differs = not _same(left.value, right.value)
    if differs:
        operands = {n: state.latest[n] for n in about.operands if n in state.latest}
        if about.carried:
            _look_at_carried(state, about, right, operands, program)
        elif about.behind or "load" in about.op or "atomic" in about.op:
            _look_at_access(state, about, left, right, program)
        else:
            found = _Candidate(right, operands, _distance(left.value, right.value))
            kept = state.candidates.setdefault(number, [])
            if len(kept) < _FIRST + 1:
                kept.append(found)
            elif found.distance > kept[-1].distance:
                kept[-1] = found
    state.before[number], state.latest[number] = left.value, right.value
    state.differs[number] = differs


def _look_at_carried(
    state: _State,
    about: Value,
    right: Entry,
    operands: dict[int, torch.Tensor],
    program: tuple[int, int, int],
) -> None:
    """What is handed on must be one of the values that may be."""
    if not operands or -1 in about.operands:
        return
    if not any(_same(value, right.value) for value in operands.values()):
        why = "hands on what nobody has computed"
        state.immediate = state.immediate or Culprit(about, why, program, right.occurrence)


def _look_at_access(
    state: _State, about: Value, left: Entry, right: Entry, program: tuple[int, int, int]
) -> None:
    """What is read from the same places under the same mask must be the same."""
    numbers = [*about.operands, *about.behind]
    if any(state.differs.get(number) for number in numbers):
        return
    place = (_difference(left.value, right.value) != 0).nonzero()[0]
    index = tuple(int(i) for i in place)
    worst = Worst(
        index,
        wide(left.value)[index].item(),
        wide(right.value)[index].item(),
        expected=wide(left.value)[index].item(),
        error=float(_difference(left.value, right.value)[index]),
        off="right",
        allowed=0.0,
        ulp=None,
        bound="exact",
    )
    why = "reads something else from the same places"
    state.immediate = state.immediate or Culprit(about, why, program, right.occurrence, worst)


def _same(a: torch.Tensor, b: torch.Tensor) -> bool:
    return bool((_difference(a, b) == 0).all())


def _difference(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Zero where two values are the same, whatever NaN they are."""
    if not a.dtype.is_floating_point:
        return (wide(a) - wide(b)).abs() if a.dtype != torch.int64 else (a != b).double()
    x, y = wide(a), wide(b)
    same = (x == y) | (x.isnan() & y.isnan())
    return torch.where(same, 0.0, (x - y).abs().nan_to_num(torch.inf, posinf=torch.inf))


def _distance(a: torch.Tensor, b: torch.Tensor) -> float:
    """How far two values are apart, in units of their sizes."""
    size = torch.maximum(wide(a).abs(), wide(b).abs()).nan_to_num(1.0, posinf=1.0)
    return float((_difference(a, b) / size.clamp_min(1e-30)).max())


@dataclass
class _Judge:
    """Runs operations alone, on operands that they had on the second target."""

    launch: Recording
    program: tuple[int, int, int]
    folder: Path
    timeout: float
    widenings: Widenings
    values: tuple[Value, ...]
    widened: list[Widened] = field(default_factory=list)
    """Bounds of operations that have been."""

    def find(self, state: _State) -> Culprit | None:
        """The first operation whose result is wrong for its own operands."""
        for number, candidates in state.candidates.items():
            about = state.probed.values[number]
            text = self._extract(number)
            if not text:
                continue  # Has no form of its own: what uses it is judged.
            furthest = max(candidates, key=lambda one: one.distance)
            for one in [furthest] if furthest is candidates[0] else [furthest, candidates[0]]:
                if self._worst(text, about, one):
                    return self._first_wrong(text, about, candidates)
        return state.immediate

    def judge(self, number: int, candidate: _Candidate) -> Worst | None:
        """The element of a value that is wrong for its operands, if it has a form of its own."""
        text = self._extract(number)
        about = self.values[number]
        return self._worst(text, about, candidate) if text else None

    def _extract(self, number: int) -> str:
        """The operation alone; empty if it has no such form."""
        extract = f"triton-extract-operation{{number={number}}}"
        try:
            return texts.apply_passes(self.launch.ttir, *texts.ONE_FUNCTION, extract)
        except CompilationError:
            return ""

    def _first_wrong(
        self, text: str, about: Value, candidates: Sequence[_Candidate]
    ) -> Culprit | None:
        """The operation at the first of these times at which its result is wrong."""
        for candidate in candidates:
            worst = self._worst(text, about, candidate)
            if worst:
                why = "is wrong for its operands"
                return Culprit(about, why, self.program, candidate.entry.occurrence, worst)
        return None

    def _worst(self, text: str, about: Value, candidate: _Candidate) -> Worst | None:
        """The element that is wrong, or is so by more than its bound was widened to."""
        report = _replay(text, about, candidate, self.folder, self.timeout)
        worst = _worst(report, about, candidate)
        widening = self.widenings.of_operation(self.launch.kernel, about.op)
        if worst is None or widening is None:
            return worst
        margin = worst.error / worst.allowed if worst.allowed else math.inf
        place = f"{shown(about.file)}:{about.line}: " if about.file else ""
        self.widened.append(Widened(widening, f"{place}{about.op}: its bound", margin))
        return worst if margin > widening.factor else None


def _replay(
    text: str, about: Value, candidate: _Candidate, place: Path, timeout: float
) -> LaunchReport:
    """Runs an operation alone on the CPU, and compares with what the other target made of it."""
    names = [n for n in dict.fromkeys(about.operands) if n >= 0]
    made = candidate.entry.value
    tensors = {"out": torch.zeros_like(made)}
    tensors |= {f"operand {n}": candidate.operands[n] for n in names if n in candidate.operands}
    storages = [_memory_of(tensor) for tensor in tensors.values()]
    mini = Recording(
        file="",
        kernel="operation",
        grid=(1,),
        arguments={
            name: View(i, name_of(t.dtype), tuple(t.shape), t.contiguous().stride(), 0)
            for i, (name, t) in enumerate(tensors.items())
        },
        types={name: _WORDS[t.dtype] for name, t in tensors.items()},
        ttir=text,
        storages=storages,
        addresses=[0] * len(storages),
    )
    mini.save(place)
    workers.replay_all([place], ("reference",), timeout)
    left = workers.result(place, "reference")
    if left.succeeded and not take(text).is_exact and about.op not in ROUNDED:
        workers.replay_all([place], REFERENCES, timeout)
    references = {name: workers.result(place, name) for name in REFERENCES}
    right = workers.Result(True, [_memory_of(made), *storages[1:]], text)
    shutil.rmtree(place, ignore_errors=True)
    return comparison.compare(mini, left, right, references)


def _memory_of(tensor: torch.Tensor) -> torch.Tensor:
    """Bytes that a view finds at its start: values of a log are parts of that."""
    return bits(tensor).contiguous().flatten().view(torch.uint8).clone()


def _worst(report: LaunchReport, about: Value, candidate: _Candidate) -> Worst | None:
    """The element that is wrong; None if all may be so."""
    if report.status == "failed" or not report.tensors:
        return None
    worst = report.tensors[0].worst
    is_rounded_once = about.op in ROUNDED
    if worst is None or (report.tensors[0].is_equal and not is_rounded_once):
        return None
    if not is_rounded_once:
        return worst
    # What is rounded once has one right value, which is what the first target has.
    size = wide(candidate.entry.value)[worst.index].abs()
    if about.op in ("arith.addf", "arith.subf"):
        # The product before may have been added without being rounded.
        size = max(2 * wide(v).abs().max() for v in candidate.operands.values())
    allowed = float(rounding(candidate.entry.value.dtype).ulp(size)) / 2
    if worst.error <= allowed:
        return None
    return replace(worst, expected=worst.left, allowed=allowed, bound="one rounding", off="right")


def _without_culprit(
    launch: Recording, state: _State, logs: Sequence[Log], program: tuple[int, int, int]
) -> Finding:
    """What is left where every operation is right for its operands."""
    if state.diverged:
        if not any(state.differs.values()):
            why = "is not reached, or not as often, though all values before are the same"
            return Finding(Culprit(state.diverged, why, program))
        return Finding(None, "the targets take different ways, and every operation before is right")
    assert launch.types is not None
    flat = [part for one in parameters(launch.types) for part in one.flat()]
    names = [name for one in flat for name in one.value_names()]
    for store in reversed(state.probed.stores):
        if store.parameter < 0:
            continue
        about = names[store.parameter]
        views = launch.views()
        view = views.get(about) or views[f"{about}.base"]
        memory = [view.of(part) for part in (launch.storages, logs[0].buffers, logs[1].buffers)]
        if _is_to_blame(store, state, *memory):
            why = "stores something else than it is given, or elsewhere"
            return Finding(Culprit(store, why, program))
    return Finding(None, "every operation is right for its operands, within its bound")


def _is_to_blame(
    store: Store, state: _State, before: torch.Tensor, left: torch.Tensor, right: torch.Tensor
) -> bool:
    """Whether a store has had the same places and mask on both targets, and wrote others.

    Or the same of everything, and memory is not the same.
    """
    differing = [n for n in _numbers(store) if state.differs.get(n)]
    if not differing:
        return not _same(left, right)
    dtypes = (state.probed.values[n].dtype for n in differing)
    if not all(dtype and dtype.is_floating_point for dtype in dtypes):
        return False
    written = [bits(memory) != bits(before) for memory in (left, right)]
    return not torch.equal(*written)


def _numbers(site: Site) -> list[int]:
    return [n for n in (*site.operands, *site.behind) if n >= 0]
