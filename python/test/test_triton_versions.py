"""The text that the installed Triton writes is read, kept and compiled, whichever version it is.

test/corpus has the texts of the oldest and the newest version that the tests run on; those of the
versions between are made here.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import triton
from triton_shared import library, stages

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "test" / "corpus"
VERSION = tuple(map(int, triton.__version__.split(".")[:2]))


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The kernels of test/corpus, as this Triton writes them."""
    if list(CORPUS.glob(f"ttir/*-{triton.__version__}.mlir")):
        return CORPUS
    folder = tmp_path_factory.mktemp("corpus")
    writer = ROOT / "scripts" / "update-ttir-corpus.py"
    subprocess.run([sys.executable, writer, "--output", folder], check=True)
    return folder


def test_texts_come_back_from_the_tool_as_they_were(corpus: Path):
    """As test/Dialect/Triton/corpus.test asks of those that it has."""
    if corpus == CORPUS:
        pytest.skip("test/Dialect/Triton/corpus.test has the texts of this version")
    script = ROOT / "test" / "Dialect" / "Triton" / "check_corpus.py"
    done = subprocess.run([sys.executable, script, library.tool(), corpus], capture_output=True)
    assert done.returncode == 0, done.stdout.decode()
    assert len(list(corpus.glob("*/*.mlir"))) > 240


@pytest.mark.parametrize("form", ["ttir", "raw"])
def test_texts_lose_all_of_triton_on_the_way_to_linalg(corpus: Path, form: str):
    texts = sorted((corpus / form).glob(f"*-{triton.__version__}.mlir"))
    assert len(texts) > 80
    for text in texts:
        linalg = stages.ttir_to_linalg(text.read_text())
        assert not re.search(r"^\s*(%.* = )?\"?tt\.", linalg, re.MULTILINE), text.name


def test_spellings_are_those_that_each_version_has(corpus: Path):
    """What differs between the versions does so in these texts; or the tests would show little."""

    def text_of(kernel: str) -> str:
        return (corpus / "ttir" / f"{kernel}-{triton.__version__}.mlir").read_text()

    descriptor = text_of("desc_device")
    assert ("!tt.tensordesc<tensor<" in descriptor) == (VERSION < (3, 8))
    pointers = list((corpus / "ttir").glob("*.mlir"))
    has_block_pointers = any(
        "tt.make_tensor_ptr" in text.read_text()
        for text in pointers
        if text.stem.endswith(triton.__version__)
    )
    assert has_block_pointers == (VERSION < (3, 8))
