"""The demo: one kernel through its phases, then every example against torch.

Run it with `make demo`, or from python/ with `python -m examples.demo`.
"""

from __future__ import annotations

import inspect
import re
import sys
import time

import torch
import triton
import triton_shared
from rich.console import Console
from rich.panel import Panel
from rich.progress import Progress
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from . import all_cases
from .case import Case, Outcome, check
from .vector_add import add_kernel

PHASES = {
    "ttir": "Triton's own IR, as the wheel makes it: pointers and masks",
    "structured": "each access says what it touches: base, offset, strides, bounds",
    "linalg": "computation on tensors; here the paths to CPU and GPU part",
    "memref": "the documented output: upstream MLIR only, memory made explicit",
    "llir": "LLVM IR of the same program",
}
LINES = 16


def excerpt(phase: str, text: str) -> str:
    """The first lines of the kernel, without locations; of LLVM IR, those round the addition."""
    text = re.sub(r"^[#!;].*\n|, !dbg !\d+", "", text, flags=re.M)
    body = [line.rstrip() for line in without_locations(text).splitlines() if line.strip()]
    wanted, before = (r" fadd ", LINES // 2) if phase == "llir" else (r"func\b", 0)
    found = next((i for i, line in enumerate(body) if re.search(wanted, line)), 0)
    start = max(found - before, 0)
    shown = body[start : start + LINES]
    rest = len(body) - len(shown)
    return "\n".join([*shown, f"    … {rest} more lines"])


def without_locations(text: str) -> str:
    """Drops ` loc(...)`, whose parentheses nest."""
    kept, depth, i = [], 0, 0
    while i < len(text):
        if depth == 0 and text.startswith(" loc(", i):
            depth, i = 1, i + len(" loc(")
            continue
        if depth == 0:
            kept.append(text[i])
        else:
            depth += {"(": 1, ")": -1}.get(text[i], 0)
        i += 1
    return "".join(kept)


def show_phases(console: Console) -> None:
    """Compiles vector addition and prints a part of every phase."""
    x = torch.arange(1000.0)
    out = torch.empty_like(x)
    kernel = add_kernel[(8,)](x, x, out, 1000, BLOCK=128)
    source = inspect.getsource(add_kernel.fn)
    console.rule("[bold]One kernel, from Python to machine code")
    panel = Syntax(source.rstrip(), "python", background_color="default")
    console.print(Panel(panel, title="the kernel", title_align="left"))
    for phase, meaning in PHASES.items():
        body = Text(excerpt(phase, kernel.asm[phase]), no_wrap=True, overflow="ellipsis")
        console.print(Panel(body, title=f"[bold]{phase}[/]: {meaning}", title_align="left"))
    size = len(kernel.asm["obj"])
    console.print(Panel(f"{size} bytes of ELF, linked into this process", title="[bold]obj[/]"))


def run_cases(console: Console) -> list[tuple[Case, Outcome | Exception]]:
    """Runs all examples, with a bar where there is a terminal."""
    cases = list(all_cases())
    results: list[tuple[Case, Outcome | Exception]] = []
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        for case in progress.track(cases, description="examples against torch"):
            try:
                results.append((case, check(case)))
            except Exception as error:
                results.append((case, error))
    return results


def table_of(results: list[tuple[Case, Outcome | Exception]]) -> Table:
    """A row per kernel and type: its shapes, and the worst of them."""
    rows: dict[tuple[str, str], list[tuple[Case, Outcome | Exception]]] = {}
    kernels = list(dict.fromkeys(case.kernel for case, _ in results))
    for case, outcome in sorted(results, key=lambda result: kernels.index(result[0].kernel)):
        rows.setdefault((case.kernel, case.dtype), []).append((case, outcome))
    table = Table(title="All examples against torch in f64", title_style="bold")
    for heading in ("kernel", "type", "shapes"):
        table.add_column(heading)
    for heading in ("max error", "of bound", "ms", ""):
        table.add_column(heading, justify="right")
    last = None
    for (kernel, dtype), group in rows.items():
        done = [outcome for _, outcome in group if isinstance(outcome, Outcome)]
        right = len(done) == len(group) and all(outcome.right for outcome in done)
        table.add_row(
            kernel if kernel != last else "",
            dtype,
            ", ".join(case.shape for case, _ in group),
            f"{max((o.max_error for o in done), default=float('nan')):.1e}",
            f"{100 * max((o.worst for o in done), default=float('nan')):.0f} %",
            f"{1e3 * sum(o.seconds for o in done):.1f}",
            "[green]✓[/]" if right else "[red]✗[/]",
        )
        last = kernel
    return table


def main() -> int:
    """Shows everything; the last line is the outcome."""
    console = Console(width=None if sys.stdout.isatty() else 110)
    start = time.perf_counter()
    with triton_shared.device("cpu"):
        show_phases(console)
        results = run_cases(console)
    console.print(table_of(results))
    console.print(
        "max error: the largest of all elements; of bound: the part it uses up of what rounding "
        "allows;\nms: one run of all shapes, with the overhead of every launch.",
        style="dim",
    )
    wrong = [(c, o) for c, o in results if not (isinstance(o, Outcome) and o.right)]
    for case, outcome in wrong[:10]:
        reason = f"{outcome.worst:.2f} times the bound" if isinstance(outcome, Outcome) else outcome
        console.print(f"[red]✗[/] {case}: {reason}", markup=True, highlight=False)
    good = len(results) - len(wrong)
    seconds = time.perf_counter() - start
    verdict = "[bold green]demo passed[/]" if not wrong else "[bold red]demo failed[/]"
    console.print(
        f"{verdict}: {good} of {len(results)} runs agree with torch "
        f"(Triton {triton.__version__}, {seconds:.0f} s)",
        highlight=False,
    )
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
