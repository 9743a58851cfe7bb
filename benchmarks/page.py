"""Writes docs/performance.md from what lies in benchmarks/results.

.venv/bin/python benchmarks/page.py
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
RESTED = """, where each run begins {rest:g} s after that of the other and with
one that does not count: threads of OpenMP spin for some milliseconds on the cores of who is next"""

HEAD = """# Performance

Written by `benchmarks/page.py` from the files in `benchmarks/results`.
"""

CPU = """
## CPU, `mode=fast`

`make bench` measures it, on {cpu}, torch {torch}. Kernels and blocks are those of a GPU
(`benchmarks/cpu/kernels.py`), launched without Triton's jit, which costs the same for every
backend. One thread each, CPU time, medians of {repeat} ratios of runs in turn, in one process; a
ratio is the time of the peer by ours, so above 1 ours is faster. `2 threads` is eager torch again,
by wall time{rest}. Torch
writes to memory that is there (`out=`) where it can, and elsewhere gets back what it has freed, so
that no peer pays for fresh pages; inductor is its C++ backend, and `ours` of
the transformer block is inductor with our kernels. `triton-cpu` is that project's ratio to eager
torch at its best block, measured on another machine (a Xeon with AVX-512, without bf16). Absolute
times are of a shared virtual machine and do not hold.

{table}

![ratios to eager torch](performance-cpu.svg)

{costs}
"""

AGREEMENT = """
## GPU: agreement with the CPU

`scripts/gpu-check --there`, on {gpu}: every kernel of the corpus and every example, compared with
the CPU by the bounds of [gpu.md](gpu.md){tests}. {told}

{table}
"""

SPEED = """
## GPU: speed

`scripts/gpu-check --there`, on {gpu}, torch {torch}, Triton {triton}. Both compilers get the same
source and the same configurations, and are shown at their best; `ratio` is Triton's time by ours,
above 1 means that ours is faster. All in one process, in turn, each other equally often and after a
run of its own, from CUDA graphs over more memory than the cache holds; medians; every configuration
was checked before. {age}

{table}
"""


ERRORS = """
## GPU: errors of attention

`python -m benchmarks.gpu.attention_errors FOLDER`, on {gpu}, Triton {triton}: scores whose maximum
grows from -200 to 200 powers of two, shrinks, or jumps; f16 and bf16, both sources, with and
without a mask. The largest error of {runs} runs from f64, relative to the result. Results that are
no numbers: {missing}.

{table}
"""


CLIENTS = """
## GPU: kernels of other packages

`scripts/gpu-check --there --clients`, on {gpu}, torch {torch}, Triton {triton}: liger-kernel and
fla-core, forward and backward, and vLLM's wrappers, in sizes of models, as
[client_calls.py](../benchmarks/gpu/client_calls.py) and
[vllm_calls.py](../benchmarks/gpu/vllm_calls.py) say. Launches are recorded where the package
makes them and repeated by both compilers on the same memory, each with what its own tuning chooses
among the same configurations; in turn, from CUDA graphs, what fits into the cache from there. Times
are those of all kernels of an operator that both compiled; a ratio is Triton's by ours. {kernels}
kernels, {faster} of them at 0.95 or above; {failed}.

{table}
"""


TUTORIALS = """
## GPU: Triton's tutorials

`python -m benchmarks.gpu.tutorials FOLDER`, on {gpu}, Triton {triton}: sources as Triton publishes
them, each tuned by itself on either compiler, results compared before. What its tuning finds within
5 % of its best is timed again, and the best of it counts. `-` is a kernel that one of them does not
compile, or whose results differ; NaN, what numbers of a result are at the configuration that was
chosen. Tutorial 10 asks for a newer GPU.

{table}

With `--tuning`: seconds by the clock until all configurations are compiled and tried, with empty
caches, on a machine of {cores} cores. Ours are compiled in as many threads, Triton's one by one.

{tuning}
"""


GRAPHS = """
## GPU: graphs of tensors

`scripts/gpu-check --there --graph`, on {gpu}, Triton {triton}, torch {torch}: what a search of
[graph.md](graph.md) has found in so many seconds, beside eager torch and inductor's `max-autotune`,
in µs; ratios are their time by ours. Every candidate that was timed was verified before.

{table}
"""


CPU_GRAPHS = """
## CPU: graphs of tensors

`python -m benchmarks.graph.cpu --write`, on {cpu}, torch {torch}: the same graphs in bf16, one
thread each, CPU time, medians of {repeat} ratios of runs in turn, in one process; a ratio is the
time of the peer by ours. Every candidate that was timed was verified before, and compared with f64
at full size.

{table}
"""


GROWTH = """
## How compiling grows

`python -m benchmarks.growth --write`, on {cpu}: kernels that repeat a line of
`benchmarks/growth/kinds.py` 25 to 1000 times, from TTIR to an object file; for a GPU (sm_90a) to
PTX, and what NVIDIA's `ptxas` takes for that. CPU time of a process of its own on a machine that
others use, too (half of it may be theirs), and its memory with 1000 lines. `growth` is the time for
1000 lines by that for 100, divided by ten: 1 is in proportion. `-` was given up after four minutes.

{table}

![seconds to compile](performance-growth.svg)
"""

BLOCKS = """
`python -m benchmarks.growth --blocks --write`, on {cpu}, Triton {triton}: the same of the kernels
of `benchmarks/growth/blocks.py`, with blocks of 1,024 to 65,536 elements (products: 32 x 32 to
256 x 256) and eight warps, next to Triton's own compiler for the same GPU. `growth` is the time
for 65,536 elements by that for 4,096, divided by 16; what makes loops of a block does not grow.

{table}
"""

CHECKS = """
## What checks cost

`python -m benchmarks.check --write`, on {cpu}, Triton {triton}: CPU time on one thread with checks
to that of the same launch without, in `mode=fast`, median of {repeat} pairs in turn: of bounds
alone, and of all classes of [check.md](check.md). Beside that, by the same measure, one launch in
Triton's interpreter, which checks nothing, and one under the sanitizer of triton-viz 3.0, which
looks for accesses outside of tensors and does not compute; a dash did not end within two minutes
of the clock, or failed. Others use the machine, too.

{table}
"""

COMPILING = """
## Compiling for a GPU, next to Triton

`python -m benchmarks.compile_time --write`, on {cpu}, Triton {triton}, `ptxas` {ptxas}: the kernels
of `benchmarks/gpu` and attention as Triton's tutorial has it, for sm_90a, from the same TTIR to a
cubin, by both compilers in turn in one process, without a cache. CPU time in milliseconds, the
least of several on a machine that others use, too: ratios hold, times do not. A ratio is ours by
Triton's, so below 1 ours is faster. `own` is all but `ptxas`, which is the same program for both
and reads other PTX.

{table}

{tuning}
"""


def write() -> None:
    """Writes the page."""
    (ROOT / "docs" / "performance.md").write_text(render())


def render() -> str:
    """The page: a section for each result that is there."""
    sections = [HEAD]
    if cpu := _load("cpu"):
        facts = {name: cpu[name] for name in ("cpu", "torch", "repeat")}
        facts["rest"] = RESTED.format(**cpu) if "rest" in cpu else ""
        tables = {"table": cpu_table(cpu["results"]), "costs": cpu_costs(cpu["costs"])}
        sections.append(CPU.format(**tables, **facts))
    if checks := _load("check"):
        facts = {name: checks[name] for name in ("cpu", "triton", "repeat")}
        sections.append(CHECKS.format(table=check_table(checks["rows"]), **facts))
    if growth := _load("growth"):
        sections.append(GROWTH.format(table=growth_table(growth["results"]), cpu=growth["cpu"]))
        if "blocks" in growth:
            facts = {"cpu": growth["blocks_cpu"], "triton": growth["triton"]}
            sections.append(BLOCKS.format(table=growth_table(growth["blocks"]), **facts))
    if compiling := _load("compile-time"):
        facts = {name: compiling[name] for name in ("cpu", "triton", "ptxas")}
        texts = {
            "table": compile_table(compiling["rows"]),
            "tuning": tuning_text(compiling["tuning"]),
        }
        sections.append(COMPILING.format(**texts, **facts))
    if check := _load("gpu-check"):
        sections.append(_agreement(check))
    if speed := _load("gpu-speed"):
        facts = {name: speed[name] for name in ("torch", "triton")}
        texts = {"table": speed_table(speed["rows"]), "age": speed_age(speed["rows"])}
        sections.append(SPEED.format(gpu=_gpu(speed), **texts, **facts))
        sections.append(_costs(speed["costs"]))
    if clients := _load("gpu-clients"):
        sections.append(_clients(clients))
    if errors := _load("attention-errors"):
        sections.append(_errors(errors))
    if tutorials := _load("gpu-tutorials"):
        table = tutorial_table(tutorials["rows"])
        triton = tutorials["triton"]
        rows = tutorials["tuning"]
        texts = {"table": table, "tuning": search_table(rows), "cores": rows[0]["cores"]}
        sections.append(TUTORIALS.format(gpu=_gpu(tutorials), triton=triton, **texts))
    if graphs := _load("graph"):
        facts = {name: graphs["facts"][name] for name in ("torch", "triton")}
        texts = {"table": graph_table(graphs["rows"]), "gpu": graphs["facts"]["gpu"]["name"]}
        sections.append(GRAPHS.format(**texts, **facts))
    if graphs := _load("graph-cpu"):
        facts = {name: graphs[name] for name in ("cpu", "torch", "repeat")}
        sections.append(CPU_GRAPHS.format(table=cpu_graph_table(graphs["rows"]), **facts))
    return "".join(sections)


def _errors(errors: dict[str, Any]) -> str:
    """How far attention is from f64, in Markdown."""
    sides = list(errors["rows"][0]["error"])
    lines = [f"| scores | {' | '.join(sides)} |", "|---" * (len(sides) + 1) + "|"]
    for row in errors["rows"]:
        cells = (f"{row['error'][name]:.2e}" for name in sides)
        lines.append(f"| {row['kind']} | {' | '.join(cells)} |")
    facts = {name: errors[name] for name in ("gpu", "triton")}
    runs = sum(row["runs"] for row in errors["rows"])
    missing = sum(sum(row["not numbers"].values()) for row in errors["rows"])
    return ERRORS.format(table="\n".join(lines), runs=runs, missing=missing, **facts)


def cpu_table(results: list[dict[str, Any]]) -> str:
    """The ratios of benchmarks/cpu/speed.py in Markdown."""
    names = ("goal", "eager", "eager_two_threads", "inductor", "reference", "elsewhere")
    lines = [
        "| kernel | size | goal | eager | 2 threads | inductor | reference | triton-cpu "
        "| ours, ms | error |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in results:
        ratios = [f"{row[name]:.2f}" if row[name] else "-" for name in names]
        cells = (row["kernel"], row["size"], *ratios, f"{row['seconds'] * 1e3:.2f}")
        lines.append(f"| {' | '.join(cells)} | {row['error']:.0e} |")
    return "\n".join(lines)


def cpu_costs(costs: dict[str, Any]) -> str:
    """What benchmarks/cpu/costs.py has measured, in Markdown."""
    lines = [
        "| kernel | cold compile, TTIR to object, ms | loading the object, ms |",
        "|---|---|---|",
    ]
    for name, compiling in costs["compile_ms"].items():
        lines.append(f"| {name} | {compiling:.0f} | {costs['load_ms'][name]:.2f} |")
    blocks = costs["compile_ms_of_blocks"].items()
    told = ", ".join(f"{shape} in {value:.0f} ms" for shape, value in blocks)
    launches = [f"{name} {value:.1f} µs" for name, value in costs["launch_us"].items()]
    lines += ["", f"Products of blocks of {told}. A launch of one program: {'; '.join(launches)}."]
    return "\n".join(lines)


def check_table(rows: list[dict[str, Any]]) -> str:
    """What benchmarks/check.py has measured, in Markdown."""
    head = ["| kernel | bounds | all | interpreter | sanitizer |", "|---|---|---|---|---|"]
    return "\n".join([*head, *(check_row(row) for row in rows)])


def check_row(row: dict[str, Any]) -> str:
    """A kernel of it; a peer that was not there, or did not end, has a dash."""
    peers = [f"{row[name]:.0f}" if row[name] else "-" for name in ("interpreter", "sanitizer")]
    return f"| {row['kernel']} | {row['bounds']:.2f} | {row['all']:.1f} | {' | '.join(peers)} |"


def growth_table(rows: list[dict[str, Any]]) -> str:
    """What benchmarks/growth has measured, in Markdown."""
    lines = sorted({int(n) for row in rows for n in row["costs"]})
    first, last = lines[-3:][0], lines[-1]
    head = ["kind", "way", *(f"{n}, s" for n in lines), "growth", "MiB"]
    table = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for row in rows:
        seconds = {int(n): cost["seconds"] for n, cost in row["costs"].items() if cost["seconds"]}
        cells = [row["kind"], row["way"]]
        cells += [f"{seconds[n]:.2f}" if n in seconds else "-" for n in lines]
        if first in seconds and last in seconds:
            cells.append(f"{seconds[last] / seconds[first] / (last / first):.2f}")
            cells.append(str(row["costs"][str(last)]["mebibytes"]))
        else:
            cells += ["-", "-"]
        table.append(f"| {' | '.join(cells)} |")
    return "\n".join(table)


def compile_table(rows: list[dict[str, Any]]) -> str:
    """What benchmarks/compile_time has measured, in Markdown."""
    parts = ("own", "ptxas", "whole")
    head = ["kernel", *(f"{part}, ours, Triton" for part in parts), *(f"{p} ratio" for p in parts)]
    table = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for row in rows:
        ours, triton = row["ms"]["ours"], row["ms"]["triton"]
        cells = [row["name"], *(f"{ours[part]:.0f}, {triton[part]:.0f}" for part in parts)]
        cells += [f"{ours[part] / triton[part]:.2f}" for part in parts]
        table.append(f"| {' | '.join(cells)} |")
    return "\n".join(table)


def speed_age(rows: list[dict[str, Any]]) -> str:
    """Says which rows were measured otherwise. In JSON, each row names its build."""
    older = sum("order" in row for row in rows)
    notes = []
    if older:
        notes.append(
            f"{older} rows, with a star, were\nmeasured "
            "when contenders followed each other in one order: behind one that draws much power\n"
            "clocks are lower, which made ours look up to a tenth faster in attention."
        )
    others = Counter(row["gpu"] for row in rows if "gpu" in row)
    for gpu, count in sorted(others.items()):
        notes.append(f"{count} rows, with a dagger, were\nmeasured on another one: {gpu}.")
    return "\n".join(notes)


def tuning_text(tuning: dict[str, Any]) -> str:
    """What the configurations of one kernel took together."""
    ours, triton = tuning["ms"]["ours"], tuning["ms"]["triton"]
    ratios = {part: ours[part] / triton[part] for part in ("own", "ptxas", "whole", "wall")}
    return (
        f"The {tuning['configurations']} configurations that the tutorial tries for causal "
        f"attention, compiled one after the\nother as autotuning does it: "
        f"{ours['wall'] / 1e3:.1f} s by the clock with ours, {triton['wall'] / 1e3:.1f} s with "
        f"Triton: {ratios['wall']:.2f}. In CPU time {ratios['whole']:.2f}:\n{ratios['own']:.2f} "
        f"of it own, {ratios['ptxas']:.2f} of `ptxas`."
    )


def cpu_name() -> str:
    """What the CPU of this machine calls itself, and what vectors it has."""
    facts = Path("/proc/cpuinfo").read_text()
    name = next((line for line in facts.splitlines() if line.startswith("model name")), ":CPU")
    known = ("avx512_bf16", "avx512f", "avx2")
    vectors = next((word for word in known if word in facts), "no AVX2")
    return f"{name.split(':')[1].strip()} ({vectors})"


def speed_table(rows: list[dict[str, Any]]) -> str:
    """The results of benchmarks/gpu/speed.py in Markdown."""
    lines = [
        "| problem | ratio | ours, µs | Triton, µs | torch, µs | ours | configuration of ours |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        us = {name: f"{value:.2f}" for name, value in row["us"].items()}
        ratio = f"{row['ratio']:.3f}" if "ratio" in row else "-"
        rate = f"{row['rate']['ours']:.0f} {row['unit']}" if "ours" in us else "-"
        config = " ".join(f"{k}={v}" for k, v in row["best"].get("ours", {}).items())
        times = " | ".join(us.get(name, "-") for name in ("ours", "triton", "torch"))
        mark = " †" if "gpu" in row else " \\*" if "order" in row else ""
        lines.append(f"| {row['name']}{mark} | {ratio} | {times} | {rate} | {config} |")
    return "\n".join(lines)


def _clients(clients: dict[str, Any]) -> str:
    """The results of benchmarks/gpu/clients.py."""
    rows = clients["rows"]
    failed = [row for row in rows if "ours" in row["failed"]]
    counts = {
        "kernels": len(rows),
        "faster": sum(row.get("ratio", 0) >= 0.95 for row in rows),
        "failed": f"{len(failed)} do not compile by ours" if failed else "ours compiles all",
    }
    facts = {name: clients[name] for name in ("torch", "triton")}
    return CLIENTS.format(table=client_table(rows), gpu=_gpu(clients), **facts, **counts)


def client_table(rows: list[dict[str, Any]]) -> str:
    """A line for each operator, in Markdown."""
    head = "| operator | kernels | ratio | ours, µs | Triton, µs | slowest kernel |"
    lines = [head, "|---" * head.count(" |") + "|"]
    operators: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        if "ratio" in row:
            operators.setdefault(row["operator"], []).append(row)
    for operator, found in operators.items():
        ours, triton = (sum(row["us"][name] for row in found) for name in ("ours", "triton"))
        worst = min(found, key=lambda row: float(row["ratio"]))
        slowest = f"`{worst['kernel']}` {worst['ratio']:.2f}"
        lines.append(
            f"| {operator} | {len(found)} | {triton / ours:.2f} "
            f"| {ours:.0f} | {triton:.0f} | {slowest} |"
        )
    return "\n".join(lines)


def _tutorial_time(row: dict[str, Any], compiler: str) -> str:
    if compiler in row["us"]:
        return f"{row['us'][compiler]:.0f}"
    return "NaN" if "NaN" in row.get("failed", {}).get(compiler, "") else "-"


def tutorial_table(rows: list[dict[str, Any]]) -> str:
    """The results of benchmarks/gpu/tutorials.py in Markdown."""
    lines = ["| tutorial | ratio | ours, µs | Triton, µs |", "|---|---|---|---|"]
    for row in rows:
        ours, triton = (_tutorial_time(row, compiler) for compiler in ("ours", "triton"))
        ratio = f"{row['ratio']:.3f}" if "ratio" in row else "-"
        lines.append(f"| {row['name']} | {ratio} | {ours} | {triton} |")
    return "\n".join(lines)


def search_table(rows: list[dict[str, Any]]) -> str:
    """The results of benchmarks/gpu/tutorials.py --tuning in Markdown."""
    lines = ["| tutorial | ratio | ours, s | Triton, s |", "|---|---|---|---|"]
    for row in rows:
        ours, triton = (f"{row['seconds'][name]:.1f}" for name in ("ours", "triton"))
        lines.append(f"| {row['name']} | {row['ratio']:.2f} | {ours} | {triton} |")
    return "\n".join(lines)


def graph_table(rows: list[dict[str, Any]]) -> str:
    """The results of python/gpu_check/graphs.py in Markdown."""
    peers = ["eager", "inductor"]
    peers += ["helion"] if any("helion" in row["us"] for row in rows) else []
    times = ", µs | ".join(("ours", *peers))
    lines = [
        f"| graph | sizes | {' | '.join(peers)} | {times}, µs | timed | search, s |",
        "|---" * (2 * len(peers) + 5) + "|",
    ]
    for row in rows:
        sizes = _sizes(row)
        found = [f"{row['ratio'][peer]:.2f}" if peer in row["us"] else "-" for peer in peers]
        found += [
            f"{row['us'][name]:.1f}" if name in row["us"] else "-" for name in ("ours", *peers)
        ]
        cells = f"{row['name']} | {sizes} | {' | '.join(found)} | {row['timed']}"
        lines.append(f"| {cells} | {row['search_seconds']:.0f} |")
    return "\n".join(lines)


def _sizes(row: dict[str, Any]) -> str:
    """Of a graph's inputs."""
    return ", ".join("x".join(map(str, shape)) for shape in row["shapes"])


def cpu_graph_table(rows: list[dict[str, Any]]) -> str:
    """The results of benchmarks/graph/cpu.py in Markdown."""
    lines = [
        "| graph | sizes | eager | inductor | kernels of ours | timed | search, s |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        sizes = _sizes(row)
        ratios = " | ".join(f"{row['ratio'][peer]:.2f}" for peer in ("eager", "inductor"))
        kernels = "<br>".join(f"`{kernel}`" for kernel in row["best"]["kernels"])
        cells = f"{row['name']} | {sizes} | {ratios} | {kernels} | {row['timed']}"
        lines.append(f"| {cells} | {row['seconds']:.0f} |")
    return "\n".join(lines)


def _agreement(check: dict[str, Any]) -> str:
    counts = Counter(check["counts"])
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common()) + "."
    clean = [verdict for verdict in check.get("memcheck", {}).values() if verdict != "no time"]
    if clean:
        fine = sum(verdict == "clean" for verdict in clean)
        told += f" Under compute-sanitizer's memcheck: {fine} of {len(clean)} clean."
    lines = ["| kernel | verdict | bound | part of it used | registers |", "|---|---|---|---|---|"]
    for row in check["rows"]:
        margin = row["margin"] if isinstance(row["margin"], str) else f"{row['margin']:.2f}"
        bounds = ", ".join(row["policies"])
        cells = (row["name"], row["verdict"], bounds, margin, str(row["registers"]))
        lines.append(f"| {' | '.join(cells)} |")
    tests = ""
    if files := check.get("tests", {}):
        tests = f", and the launches of the Python tests: {sum(files.values())} of {len(files)}"
        tests += " files agree"
    table = "\n".join(lines)
    return AGREEMENT.format(gpu=_gpu(check), table=table, told=told, tests=tests)


def _costs(costs: dict[str, Any]) -> str:
    if not costs:
        return ""
    lines = [
        "\n| cold compile, TTIR to cubin | ours, ms | Triton, ms | ours / Triton |",
        "|---|---|---|---|",
    ]
    for name, found in costs.get("compile", {}).items():
        if "total_ms" in found:
            ours, triton = found["total_ms"]["ours"], found["total_ms"]["triton"]
            lines.append(f"| {name} | {ours:.0f} | {triton:.0f} | {ours / triton:.2f} |")
    launch = costs.get("launch") or {}
    if "jit_us" in launch:
        jit, bare = launch["jit_us"], launch["launcher_us"]
        lines += [
            "",
            f"A launch costs the calling thread {jit['ours']:.1f} µs ({bare['ours']:.1f} µs of it "
            f"below Triton's jit), with Triton's own launcher {jit['triton']:.1f} µs "
            f"({bare['triton']:.1f} µs).",
        ]
        if described := launch.get("descriptors_us"):
            lines[-1] += (
                f" With two descriptors and eight numbers {described['ours']:.1f} µs, with "
                f"Triton's {described['triton']:.1f} µs."
            )
            if jit := described.get("jit"):
                lines[-1] += f" Of either, {jit:.1f} µs are Triton's jit, before any launcher."
    return "\n".join(lines) + "\n"


def _gpu(facts: dict[str, Any]) -> str:
    found = facts.get("gpu") or {}
    return f"one {found.get('name', 'GPU')}"


def _load(name: str) -> Any:
    path = RESULTS / f"{name}.json"
    return json.loads(path.read_text()) if path.is_file() else None


if __name__ == "__main__":
    write()
