"""Where cta-order-accesses leaves a barrier out, no thread sees what another one does: random
accesses, followed element by element."""

from __future__ import annotations

import random
import re
import subprocess
from collections import defaultdict
from dataclasses import dataclass

import pytest
from triton_shared import library

BATCH = 60


@dataclass(frozen=True)
class Tile:
    """A block, and which of two warps and 32 lanes hold an element."""

    shape: tuple[int, ...]
    lanes: tuple[tuple[int, ...], ...]
    warps: tuple[tuple[int, ...], ...]

    @property
    def type(self) -> str:
        def listed(bases: tuple[tuple[int, ...], ...]) -> str:
            return "[" + ", ".join(str(list(basis)) for basis in bases) + "]"

        layout = f"register = [], lane = {listed(self.lanes)}, warp = {listed(self.warps)}"
        return f"tensor<{'x'.join(map(str, self.shape))}xf32, #cta.layout<{layout}>>"

    def holders(self) -> dict[tuple[int, ...], list[int]]:
        """The threads of each element, the one that writes first."""
        bases = (*self.lanes, *self.warps)
        found = defaultdict(list)
        for thread in range(1 << len(bases)):
            place = [0] * len(self.shape)
            for bit, basis in enumerate(bases):
                if thread >> bit & 1:
                    place = [a ^ b for a, b in zip(place, basis, strict=True)]
            found[tuple(place)].append(thread)
        return found


TILES = (
    Tile((64,), ((1,), (2,), (4,), (8,), (16,)), ((32,),)),
    Tile((16,), ((1,), (2,), (4,), (8,), (0,)), ((0,),)),
    Tile((32,), ((1,), (2,), (4,), (8,), (16,)), ((0,),)),
    Tile((8, 8), ((0, 1), (0, 2), (0, 4), (1, 0), (2, 0)), ((4, 0),)),
    Tile((8, 8), ((1, 0), (2, 0), (4, 0), (0, 1), (0, 2)), ((0, 4),)),
)


@dataclass(frozen=True)
class Access:
    tile: Tile
    is_write: bool
    first: int
    per_turn: int
    strides: tuple[int, ...]

    def text(self, name: str, number: str | None) -> str:
        offset = f"%{name}_at"
        lines = [f"%{name}_first = arith.constant {self.first} : i64"]
        if number is None:
            offset = f"%{name}_first"
        else:
            lines += [
                f"%{name}_step = arith.constant {self.per_turn} : i64",
                f"%{name}_far = arith.muli {number}, %{name}_step : i64",
                f"{offset} = arith.addi %{name}_first, %{name}_far : i64",
            ]
        where = f"%p[{offset}] strides {list(self.strides)}"
        if self.is_write:
            lines.append(f"%{name} = arith.constant dense<1.0> : {self.tile.type}")
            lines.append(f"tts.store %{name} to {where} : {self.tile.type}, memref<*xf32>")
        else:
            lines.append(f"%{name} = tts.load {where} : memref<*xf32> -> {self.tile.type}")
        return "\n".join(lines)

    def touches(self, turn: int) -> list[tuple[int, int]]:
        """Addresses and threads."""
        found = []
        for place, threads in self.tile.holders().items():
            inner = sum(a * b for a, b in zip(place, self.strides, strict=True))
            address = self.first + turn * self.per_turn + inner
            found += [(address, thread) for thread in threads[: 1 if self.is_write else None]]
        return found


@dataclass(frozen=True)
class Program:
    """An access before a loop, some in it, and one behind it."""

    accesses: tuple[Access, ...]
    turns: int
    step: int

    def text(self, name: str) -> str:
        before, *inside, after = self.accesses
        body = "\n".join(one.text(f"in{i}", "%i") for i, one in enumerate(inside))
        return f"""
func.func @{name}(%p: memref<*xf32>) attributes {{cta.num_warps = 2 : i32}} {{
  %zero = arith.constant 0 : i64
  %end = arith.constant {self.turns * self.step} : i64
  %step = arith.constant {self.step} : i64
  {before.text("before", None)}
  scf.for %i = %zero to %end step %step : i64 {{
    {body}
  }}
  {after.text("after", None)}
  return
}}"""

    def find_race(self, kinds: list[str]) -> str:
        """`kinds` are what stands in the program: accesses, barriers, and the ends of the loop."""
        begin, end = kinds.index("for"), kinds.index("end")
        accesses = iter(self.accesses)
        body = [(kind, next(accesses) if kind == "access" else None) for kind in kinds]
        turns = [(body[begin + 1 : end], turn * self.step) for turn in range(self.turns)]
        seen: dict[int, set[tuple[int, bool]]] = defaultdict(set)
        for part, number in [(body[:begin], 0), *turns, (body[end + 1 :], 0)]:
            for kind, access in part:
                if access is None:
                    seen.clear()
                    continue
                for address, thread in access.touches(number):
                    for other, was_write in seen[address]:
                        if other != thread and (was_write or access.is_write):
                            return f"{kind} {access} of thread {thread} and thread {other}"
                for address, thread in access.touches(number):
                    seen[address].add((thread, access.is_write))
        return ""


def make_program(rng: random.Random) -> Program:
    tiles = rng.sample(TILES, k=rng.choice((1, 1, 2)))

    def access() -> Access:
        tile = rng.choice(tiles)
        width = rng.choice((8, 9, 16, 64))
        strides = {1: (rng.choice((1, 1, 1, 2, -1, 16)),), 2: rng.choice(((width, 1), (1, width)))}
        per_turn = rng.choice((0, 1, 8, 15, 16, 32, 63, 64, 65, 128, -64, 512))
        first = rng.choice((0, 0, 0, 1, 4, 8, 64, 4096))
        return Access(tile, rng.random() < 0.6, first, per_turn, strides[len(tile.shape)])

    model = access()
    alike = [model, *(access() for _ in range(2))]
    inside = [rng.choice(alike) for _ in range(rng.choice((1, 2, 3)))]
    return Program((rng.choice(alike), *inside, rng.choice(alike)), rng.randint(1, 6), 1)


def order(programs: list[Program]) -> list[list[str]]:
    """What the pass makes of programs."""
    text = "".join(program.text(f"f{i}") for i, program in enumerate(programs))
    command = [library.tool(), "-", "--cta-order-accesses"]
    out = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    kinds = {"tts.": "access", "gpu.barrier": "barrier", "scf.for": "for", "    }": "end"}
    found = []
    for body in re.split(r"func\.func", out)[1:]:
        lines = [line for line in body.splitlines() if not line.startswith("  }")]
        found.append([kind for line in lines for mark, kind in kinds.items() if mark in line])
    return found


@pytest.mark.parametrize("seed", range(10))
def test_no_barrier_is_missing(seed: int):
    rng = random.Random(seed)
    programs = [make_program(rng) for _ in range(BATCH)]
    ordered = order(programs)
    assert len(ordered) == len(programs)
    for program, kinds in zip(programs, ordered, strict=True):
        assert kinds.count("access") == len(program.accesses)
        assert program.find_race(kinds) == ""
    without = [
        program.find_race([kind for kind in kinds if kind != "barrier"])
        for program, kinds in zip(programs, ordered, strict=True)
    ]
    races = sum(bool(race) for race in without)
    assert races > BATCH // 4
    has_barrier = ["barrier" in kinds for kinds in ordered]
    # Few barriers that nobody needs: what turns do to each other is known exactly here.
    needless = sum(has and not race for has, race in zip(has_barrier, without, strict=True))
    assert needless <= BATCH // 4
