"""Damages bytecode: numbers, bytes and slices of it.

A number below 128 is one odd byte, twice the number and one: that changed by an even amount, a
section stays readable, and an operand, a type or an attribute becomes another one.
"""

from __future__ import annotations

import random

from . import sources

_BYTES = (0, 1, 3, 0x7F, 0x80, 0xFE, 0xFF)


def damaged(rng: random.Random) -> bytes:
    """One bytecode of the corpus with one to four changes."""
    code = bytearray(rng.choice(sources.bytecodes()))
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        rng.choice((_change_number,) * 12 + (_change_digit,) * 4 + (_change_byte, _change_slice))(
            rng, code
        )
    return bytes(code)


def _change_number(rng: random.Random, code: bytearray) -> None:
    """A small number becomes a neighbour, or another one of the file."""
    odd = [at for at, byte in enumerate(code) if byte & 1]
    at = rng.choice(odd)
    if rng.random() < 0.6:
        code[at] = (code[at] + rng.choice((-4, -2, -2, 2, 2, 4))) & 0xFF
    else:
        code[at] = code[rng.choice(odd)]


def _change_digit(rng: random.Random, code: bytearray) -> None:
    """A digit within a type or an attribute that is spelled out becomes another one."""
    digits = [at for at, byte in enumerate(code) if 0x30 <= byte <= 0x39]
    if digits:
        code[rng.choice(digits)] = rng.choice(b"0123456789-x")


def _change_byte(rng: random.Random, code: bytearray) -> None:
    at = rng.randrange(len(code))
    if rng.random() < 0.5:
        code[at] ^= 1 << rng.randrange(8)
    else:
        code[at] = rng.choice((*_BYTES, rng.randrange(256)))


def _change_slice(rng: random.Random, code: bytearray) -> None:
    """Bytes are left out, doubled or replaced by those of another place, or the rest is cut off."""
    first = rng.randrange(len(code))
    last = min(len(code), first + rng.choice((1, 1, 2, 4, 8, 32)))
    other = rng.randrange(len(code))
    match rng.randrange(4):
        case 0:
            del code[first:last]
        case 1:
            code[first:first] = code[first:last]
        case 2:
            code[first:last] = code[other : other + last - first]
        case _:
            del code[max(first, 8) :]
