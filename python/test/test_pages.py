"""Pages of docs/ whose commands print what the page shows."""

from __future__ import annotations

from pathlib import Path

import pytest
import triton
from transcripts import replay
from tree import BUILD

PINNED = triton.__version__.startswith("3.6.")


@pytest.mark.skipif(not PINNED, reason="the page shows the names that Triton 3.6 gives")
def test_ahead_of_time(tmp_path: Path):
    assert replay("ahead-of-time.md", tmp_path) == 7


@pytest.mark.skipif(not PINNED, reason="the page shows the text that Triton 3.6 writes")
def test_walkthrough(tmp_path: Path):
    assert replay("walkthrough.md", tmp_path) == 10


@pytest.mark.skipif(not PINNED, reason="the page shows the text that Triton 3.6 writes")
def test_gpu_matmul(tmp_path: Path):
    assert replay("gpu-matmul.md", tmp_path) == 11


@pytest.mark.skipif(not PINNED, reason="the page shows the text that Triton 3.6 writes")
def test_gpu_attention(tmp_path: Path):
    assert replay("gpu-attention.md", tmp_path) == 7


@pytest.mark.nightly
def test_add_a_pass(tmp_path: Path):
    assert replay("add-a-pass.md", tmp_path) == 4


@pytest.mark.nightly
def test_triage(tmp_path: Path):
    assert replay("triage.md", tmp_path) == 6


@pytest.mark.skipif(not PINNED, reason="the page shows the PTX that Triton 3.6 makes")
def test_gpu_scripts(tmp_path: Path):
    assert replay("gpu-scripts.md", tmp_path) == 2


def test_language_server(tmp_path: Path):
    assert replay("language-server.md", tmp_path) == 2


@pytest.mark.nightly
@pytest.mark.skipif(not PINNED, reason="the page shows the columns that Triton 3.6 gives")
def test_diff(tmp_path: Path):
    assert replay("diff.md", tmp_path) == 9


@pytest.mark.nightly
def test_graph(tmp_path: Path):
    assert replay("graph.md", tmp_path) == 4


@pytest.mark.nightly
def test_explain(tmp_path: Path):
    assert replay("explain.md", tmp_path) == 12


@pytest.mark.nightly
@pytest.mark.skipif(not PINNED, reason="the page shows the text that Triton 3.6 writes")
def test_tutorial_vector_add(tmp_path: Path):
    assert replay("tutorial-vector-add.md", tmp_path) == 11


@pytest.mark.skipif(not PINNED, reason="the page shows the columns that Triton 3.6 gives")
@pytest.mark.nightly
def test_tutorial_find_a_bug(tmp_path: Path):
    assert replay("tutorial-find-a-bug.md", tmp_path) == 12


@pytest.mark.skipif(not PINNED, reason="the page shows the text that Triton 3.6 writes")
def test_tutorial_embed(tmp_path: Path):
    assert replay("tutorial-embed.md", tmp_path) == 7


@pytest.mark.nightly
def test_tutorial_ttir_to_sass(tmp_path: Path):
    assert replay("tutorial-ttir-to-sass.md", tmp_path) == 8


@pytest.mark.nightly
def test_plots(tmp_path: Path):
    assert replay("plots.md", tmp_path) == 4


@pytest.mark.nightly
def test_blame(tmp_path: Path):
    (tmp_path / "inject-fault.so").symlink_to(BUILD / "lib" / "libTritonSharedInjectFault.so")
    assert replay("blame.md", tmp_path) == 2
