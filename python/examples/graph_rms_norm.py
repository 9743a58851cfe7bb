"""A graph of tensors becomes the fastest verified Triton program: rms norm and a matrix product.

python -m examples.graph_rms_norm
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
import triton_shared.graph as mi


def write_graph(rows: int, columns: int, width: int) -> mi.KernelGraph:
    """rms_norm(x) @ w, of x (rows, columns) and w (columns, width)."""
    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(rows, columns), dtype=mi.float16)
    w = graph.new_input(dims=(columns, width), dtype=mi.float16)
    d = graph.rms_norm(x, normalized_shape=(columns,))
    graph.mark_output(graph.matmul(d, w))
    return graph


def main() -> None:
    """Searches, prints what was tried, and writes the best program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shape", type=int, nargs=3, default=(16, 4096, 6144))
    parser.add_argument("--budget", type=float, default=60.0, help="seconds")
    parser.add_argument("--output", type=Path, default=Path("triton_generated.py"))
    words = parser.parse_args()
    best = write_graph(*words.shape).superoptimize(
        config="mlp", backend="triton", budget=words.budget
    )
    print(best.report().as_text())
    words.output.write_text(mi.generate_triton_program(best.cygraph)["code"])
    device = "cuda" if torch.cuda.is_available() else "cpu"
    rows, columns, width = words.shape
    x = torch.randn(rows, columns, device=device).half()
    w = torch.randn(columns, width, device=device).half()
    (y,) = best(inputs=[x, w])
    expected = torch.nn.functional.rms_norm(x, (columns,)) @ w
    print(f"largest difference to torch: {(y - expected).abs().max().item():.3g}")


if __name__ == "__main__":
    main()
