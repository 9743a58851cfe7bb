"""The rungs below PTX, on a GPU: the same PTX through other versions of ptxas, other flags."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..cuda import known_faults, tools
from ..cuda.known_faults import KnownFault
from ..diff.given import Given
from ..errors import CudaError
from . import assemblers, codes
from .assemblers import Assembler
from .codes import Codes
from .runs import Runs, describe, status_of
from .verdict import RIGHT, SILENT, WRONG, Report, Verdict


def assembler_of(made: Codes) -> Assembler:
    """How a compiler assembles its PTX."""
    return Assembler(made.ptxas, made.words)


def with_code(made: Codes, ptx: str) -> Given:
    """What a launch takes, with other PTX."""
    return replace(made.given, form="ptx", code=ptx.encode())


def blame(
    runs: Runs, report: Report, made: Codes, ptx: str, named: Sequence[str], is_ours: bool
) -> Verdict:
    """Who is wrong behind PTX that is right."""
    found: dict[str, str] = {}
    for one in assemblers.variants(assembler_of(made), named):
        try:
            cubin, log = one.assemble(ptx)
        except CudaError as error:
            report.add(str(one), SILENT, str(error))
            continue
        name = str(one).replace(" ", "-")
        kept = runs.keep(f"{name}.cubin", cubin), runs.keep(f"{name}.log", log)
        given = replace(made.given, form="cubin", code=cubin)
        compared = runs.compare_given(given, name)
        found[str(one)] = status_of(compared)
        report.add(str(one), status_of(compared), describe(compared, str(one)), *kept)
    known = known_faults.find(tools.version_of(made.ptxas), ptx, made.words)
    return _judge(runs, report, found, known, is_ours)


def _judge(
    runs: Runs, report: Report, found: dict[str, str], known: Sequence[KnownFault], is_ours: bool
) -> Verdict:
    wrong = [name for name, status in found.items() if status == WRONG]
    right = [name for name, status in found.items() if status == RIGHT]
    hint = f"; it {known[0].what}: {known[0].source}" if known else ""
    if wrong and right:
        verb = "is" if len(right) == 1 else "are"
        said = f"{wrong[0]} is wrong: {' and '.join(right)} {verb} right for the same PTX{hint}"
        return Verdict("ptxas", said, tuple(wrong))
    if right:
        said = "cannot tell, because the same PTX is right when it is assembled again"
        return Verdict("unknown", said)
    if wrong and _is_precise_right(runs, report, is_ours):
        return Verdict(
            "hardware flags",
            "approximate functions or fused sums are to blame: without them the result is right",
        )
    said = "cannot tell, because its PTX is right in the emulator, and wrong on the GPU through"
    return Verdict("unknown", f"{said} {' and '.join(wrong) or 'no ptxas'}")


def _is_precise_right(runs: Runs, report: Report, is_ours: bool) -> bool:
    """Whether it is right without what hardware may round in its own way."""
    if is_ours:
        made = codes.of_ours(runs.recorded, precise=True)
    else:
        made = codes.of_triton(runs.recorded, enable_fp_fusion=False)
    cubin = replace(made.given, form="cubin", code=made.cubin)
    compared = runs.compare_given(cubin, "precise")
    report.add("without approximations", status_of(compared), describe(compared, "precise"))
    return status_of(compared) == RIGHT
