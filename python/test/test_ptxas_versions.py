"""Other versions of ptxas: found, fetched, and warned of where one is known to be wrong."""

from __future__ import annotations

import subprocess
import sys
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import triton_shared
from triton_shared import PtxasWarning, TritonSharedError
from triton_shared.blame import assemblers
from triton_shared.cuda import known_faults, tools

EMPTY = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry nothing() { ret; }\n"
CHAIN = EMPTY.replace("ret;", "selp.b16 %h1, 1, 2, %p1;\nselp.b16 %h2, %h1, 3, %p2;\nret;")
SELECTS = EMPTY.replace("ret;", "selp.b16 %h1, 1, 2, %p1;\nselp.b16 %h2, 4, 3, %p2;\nret;")
PRODUCT = EMPTY.replace("sm_80", "sm_90a").replace("ret;", "wgmma.mma_async.sync;\nret;")
FREE = ["--regAllocOptLevel=2"]


@pytest.fixture
def _nothing_warned() -> Iterator[None]:
    before = set(known_faults._warned)
    known_faults._warned.clear()
    yield
    known_faults._warned.clear()
    known_faults._warned.update(before)


@pytest.mark.parametrize(
    ("version", "ptx", "words", "count"),
    [
        ("12.8.93", CHAIN, [], 1),
        ("12.8.93", CHAIN, ["-O0"], 0),
        ("12.9.86", CHAIN, [], 0),
        ("12.8.93", SELECTS, [], 0),
        ("12.8.93", PRODUCT, FREE, 1),
        ("13.0.88", PRODUCT, FREE, 1),
        ("13.1.80", PRODUCT, FREE, 0),
        ("13.0.88", PRODUCT, [], 0),
        ("13.0.88", PRODUCT.replace("sm_90a", "sm_80"), FREE, 0),
    ],
)
def test_known_faults_concern_their_code_alone(
    version: str, ptx: str, words: list[str], count: int
):
    assert len(known_faults.find(version, ptx, words)) == count


@pytest.mark.usefixtures("_nothing_warned")
def test_a_fault_is_warned_of_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    with pytest.warns(PtxasWarning, match=r"kernel 'k' is assembled by ptxas 12.8.93, which takes"):
        known_faults.warn("12.8.93", CHAIN, [], "k")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        known_faults.warn("12.8.93", CHAIN, [], "k")
        known_faults._warned.clear()
        monkeypatch.setenv("TRITON_SHARED_PTXAS_WARNING", "0")
        known_faults.warn("12.8.93", CHAIN, [], "k")
    assert capsys.readouterr().out == ""


@pytest.mark.usefixtures("_nothing_warned")
def test_replaced_ptx_is_warned_of_where_it_is_assembled(monkeypatch: pytest.MonkeyPatch):
    from triton_shared.cuda.options import CudaOptions
    from triton_shared.cuda.stages import CudaLowering

    monkeypatch.setattr(tools, "version_of", lambda _: "12.8.93")
    body = ".reg .pred %p<3>; .reg .b16 %h<3>;\nselp.b16 %h1, 1, 2, %p1;"
    replaced = EMPTY.replace("ret;", f"{body}\nselp.b16 %h2, %h1, 3, %p2;\nret;")
    lowering = CudaLowering(CudaOptions(arch="sm80"), ("ptx", "cubin"))
    with pytest.warns(PtxasWarning, match="kernel 'nothing'"):
        cubin = lowering._assemble(replaced, "cubin", {"name": "nothing"})
    assert cubin[:4] == b"\x7fELF"


def pack(folder: Path, name: str, version: str, says: str) -> None:
    """A wheel with a program that says which version of ptxas it is."""
    folder.mkdir(exist_ok=True)
    stem = f"{name.replace('-', '_')}-{version}"
    info = f"{stem}.dist-info"
    program = f"#!{sys.executable}\nprint('Cuda compilation tools, V{says}')\n"
    with zipfile.ZipFile(folder / f"{stem}-py3-none-any.whl", "w") as packed:
        packed.writestr("nvidia/cu13/bin/ptxas", program)
        packed.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        )
        packed.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        packed.writestr(f"{info}/RECORD", "")


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Packages that pip finds, and nothing else."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    pack(tmp_path / "index", "nvidia-cuda-nvcc", "13.1.80", "13.1.80")
    pack(tmp_path / "index", "nvidia-cuda-nvcc", "13.2.7", "13.2.9")
    return tmp_path / "index"


class TestAssemblers:
    @pytest.mark.nightly
    def test_a_version_is_fetched_once(self, index: Path, tmp_path: Path):
        found = assemblers.find("13.1.80")
        assert str(found) == "ptxas 13.1.80"
        assert found.path.is_relative_to(tmp_path / "cache")
        for wheel in index.iterdir():
            wheel.unlink()
        assert assemblers.find("13.1.80") == found

    @pytest.mark.nightly
    def test_a_wheel_with_another_version_is_refused(self, index: Path):
        with pytest.raises(TritonSharedError, match=r"holds ptxas 13\.2\.9, not 13\.2\.7"):
            assemblers.find("13.2.7")

    @pytest.mark.nightly
    def test_a_version_that_is_nowhere_is_an_error(self, index: Path):
        with pytest.raises(
            TritonSharedError, match=r"pip finds no nvidia-cuda-nvcc-cu12==12\.8\.93"
        ):
            assemblers.find("12.8.93")

    def test_packages_go_by_the_version_of_cuda(self):
        assert assemblers.package_of("11.8.89") == "nvidia-cuda-nvcc-cu11"
        assert assemblers.package_of("12.8.93") == "nvidia-cuda-nvcc-cu12"
        assert assemblers.package_of("13.0.88") == "nvidia-cuda-nvcc"

    def test_a_path_that_is_no_file_is_an_error(self):
        with pytest.raises(TritonSharedError, match="there is no ptxas at nowhere/ptxas"):
            assemblers.find("nowhere/ptxas")

    def test_optimised_or_not_the_same_ptx_is_assembled(self):
        own = assemblers.Assembler(tools.find_ptxas("cuda:90a"))
        first, plain = assemblers.variants(own, [])
        assert (first.words, plain.words) == ((), ("-O0",))
        assert {one.assemble(EMPTY)[0][:4] for one in (first, plain)} == {b"\x7fELF"}

    def test_words_for_ptxas_are_kept_and_left_out(self):
        own = assemblers.Assembler(tools.find_ptxas("cuda:90a"), ("--regAllocOptLevel=2",))
        other = assemblers.Assembler(own.path, own.words)
        assert assemblers.variants(own, [str(own.path)]) == [
            own, assemblers.Assembler(own.path), assemblers.Assembler(own.path, ("-O0",)), other,
        ]  # fmt: skip


def test_nothing_of_it_is_loaded_with_the_package():
    code = (
        f"import sys; sys.path.insert(0, {str(Path(triton_shared.__file__).parents[1])!r})\n"
        "import triton_shared; print('platformdirs' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
