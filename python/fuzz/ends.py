"""How a case of a campaign ends: a random program in a mode, a mutant of a kind of damage."""

from __future__ import annotations

from . import mutants, programs


def prepare(kind: str) -> None:
    """Has what mutants are made of read once, by the process that others are forked from."""
    if kind in mutants.DAMAGE:
        mutants.mutant(0, kind)


def end_of(kind: str, number: int) -> tuple[str, str]:
    """A word, and what is wrong.

    `right`, `wrong`, or `ordered`: a program to which the order of elements matters, on a GPU. Of a
    mutant `compiled`, `refused`, or how its process has died.
    """
    if kind in mutants.DAMAGE:
        return mutants.end_of(number, kind), ""
    program = programs.Generator(number).generate()
    said = programs.check_program(program, kind)
    if said:
        return "wrong", said
    return "ordered" if kind == "gpu" and program.is_ordered else "right", ""
