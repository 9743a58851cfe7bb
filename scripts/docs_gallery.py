"""What the site shows of this compiler, made when it is built: reports of explain, and figures.

python scripts/docs_gallery.py FOLDER
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Entry:
    """One report: a launch of a case of `python/examples`, on one target."""

    name: str
    title: str
    module: str
    case: str
    """The case's label."""
    target: str
    look: str
    """What there is to see."""
    launch: int = 0
    """Which of the case's launches."""
    against_triton: bool = False


ENTRIES = (
    Entry(
        "vector-add", "Vector add", "vector_add", "vector add-f32-1000", "cpu",
        "the mask of the last program, and the panes from Python to assembly",
    ),
    Entry(
        "vector-add-gpu", "Vector add, for a GPU", "vector_add", "vector add-f16-1000", "cuda:90",
        "which thread holds which element, and wide loads in PTX and SASS",
    ),
    Entry(
        "softmax", "Softmax", "softmax", "softmax-f32-64x781", "cpu",
        "columns behind the end of a row, and the error beside its bound",
    ),
    Entry(
        "softmax-both", "Softmax, by two compilers", "softmax", "softmax-f16-64x781", "cuda:90",
        "what each line became in Triton's code and in ours", against_triton=True,
    ),
    Entry(
        "layer-norm", "Layer norm, backward", "layer_norm", "layer norm backward-f32-17x200", "cpu",
        "a loop over rows, and programs that write parts of one sum", launch=1,
    ),
    Entry(
        "matmul", "Product of matrices", "matmul", "matmul-f16-129x70x77", "cpu",
        "two strides of each operand, and the roofline",
    ),
    Entry(
        "matmul-gpu", "Product of matrices, for a GPU", "matmul", "matmul-f16-64x64x64", "cuda:90",
        "tiles in shared memory, bank conflicts, and the tensor cores' instructions",
    ),
    Entry(
        "attention-gpu", "Attention, for a GPU", "attention", "attention-f16-2x64x32", "cuda:90",
        "registers, spills and how many warps fit",
    ),
    Entry(
        "embedding", "Rows of a table", "embedding", "embedding-f32-30x70:i64", "cpu",
        "an access by index: why it is one, and that its rows are neighbours all the same",
    ),
    Entry(
        "dropout", "Dropout", "dropout", "dropout-f32-1000:p=0.3", "cpu",
        "random numbers as arithmetic: nothing but two accesses is left of memory",
    ),
)  # fmt: skip


FIGURES = (
    ("speed", "benchmarks/results/gpu-speed.json", "Triton", "GPU: Triton's time by ours"),
    ("speed", "benchmarks/results/gpu-tutorials.json", "Triton", "GPU: Triton's tutorials"),
    ("speed", "benchmarks/results/cpu.json", "eager torch", "CPU: eager torch's time by ours"),
    ("error", "benchmarks/results/gpu-check.json", "", "GPU: errors against their bounds"),
    ("coverage", "docs/executed-operations.json", "", "Operations by type: on a CPU and a GPU"),
)
"""Kind, file, peer and title of each figure."""


def main(folder: Path) -> int:
    """Writes all reports and figures."""
    from triton_shared.plots.__main__ import main as draw

    sys.path.insert(0, str(ROOT / "python"))
    for number, (kind, file, peer, _) in enumerate(FIGURES):
        words = [kind, str(ROOT / file), "-o", str(folder / f"figure-{number}.svg")]
        if code := draw([*words, *(("--peer", peer) if peer else ())]):
            return code
    for entry in ENTRIES:
        (folder / f"{entry.name}.html").write_text(_page(entry))
    return 0


def _page(entry: Entry) -> str:
    import importlib

    from triton_shared import device
    from triton_shared.diff.recorder import label_of, record
    from triton_shared.explain.gathering import Question
    from triton_shared.explain.report import Report

    cases = importlib.import_module(f"examples.{entry.module}").cases()
    case = next(case for case in cases if label_of(case) == entry.case)
    with device("cpu"):
        launch = record(case)[entry.launch]
    question = Question(launch.ttir, entry.target, {}, True, launch)
    report = Report.of(question)
    if entry.against_triton:
        other = Report.of(question.by_triton())
        return other.compared(report)
    return report.html()


def index() -> str:
    """The page that leads to them."""
    rows = "\n".join(f"| [{one.title}](made/{one.name}.html) | {one.look} |" for one in ENTRIES)
    return (
        "# Gallery\n\nTen reports of [explain](explain.md), each one file. All are of kernels of "
        "[python/examples](../python/examples/__init__.py), launched on the CPU; those for a GPU "
        f"were compiled for compute capability 9.0.\n\n| kernel | look at |\n|---|---|\n{rows}\n"
    )


def results() -> str:
    """The page of figures."""
    parts = [
        f"## {title}\n\n![{title}](made/figure-{number}.svg)\n\nOf [{file}](../{file}).\n"
        for number, (_, file, _, title) in enumerate(FIGURES)
    ]
    return "# Results\n\nDrawn by [triton_shared.plots](plots.md).\n\n" + "\n".join(parts)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
