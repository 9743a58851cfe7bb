"""The launches that are compared: every kernel of the corpus, and every example at every shape.

Kernels of the corpus once as the Triton of this machine writes them, once as the newest does.
"""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from triton.tools.tensor_descriptor import TensorDescriptor
from triton_shared.diff import recorder
from triton_shared.diff.recording import Recording, Storages, encode_argument

from .pack import ROOT

CORPUS_FILE = "test/corpus/kernels.py"

QUICK = (
    "vec_add", "vec_add_bf16", "gather_scatter", "softmax_row", "layernorm_fwd", "matmul_masked",
    "attention_fwd", "reduce_builtin_f32", "scans", "atomics_i32", "histogram", "transpose_2d",
    "shape_ops", "tuple_args", "early_return_cf",
)  # fmt: skip
"""One of each kind, for a first look."""

NEWEST = "newest"
"""The first word of the names of launches that newest_triton.py has recorded, and their folder."""

NOT_RECORDED = {
    "ptr_table_i64": "its memory holds addresses",
    "ptr_int_bitcast": "its result depends on addresses",
}


def save_all(folder: Path, quick: bool, only: str) -> list[Path]:
    """Records what is wanted; gives the folders, which are kept between calls."""
    made = []
    for name, recording in corpus():
        place = folder / f"corpus-{name}"
        if only in place.name and (not quick or name in QUICK):
            if not (place / "launch.json").is_file():
                recording.save(place)
            made.append(place)
    for name, case in examples(quick):
        if only not in f"suite-{name}":
            continue
        if not list(folder.glob(f"suite-{name}-[0-9]/launch.json")):
            for number, recording in enumerate(recorder.record(case)):
                recording.save(folder / f"suite-{name}-{number}")
        made += sorted(path.parent for path in folder.glob(f"suite-{name}-[0-9]/launch.json"))
    return made + _unpacked(folder, quick, only)


def _unpacked(folder: Path, quick: bool, only: str) -> list[Path]:
    """Puts the launches that have come in the pack beside the others."""
    build = ROOT / os.environ.get("TRITON_SHARED_TEST_BUILD", "build")
    made = []
    for packed in sorted((build / NEWEST).glob(f"{NEWEST}-*")):
        if only in packed.name and (not quick or packed.name.partition("-")[2] in QUICK):
            shutil.copytree(packed, folder / packed.name, dirs_exist_ok=True)
            made.append(folder / packed.name)
    return made


def save_tests(folder: Path, files: str, only: str) -> list[Path]:
    """Records the launches of the Python tests whose files match; once, as it takes a while.

    `files` are patterns with commas between them.
    """
    done = folder / f"tests-{''.join(c for c in files if c.isalnum())}.done"
    tests = ROOT / "python" / "test"
    found = sorted({str(path) for pattern in files.split(",") for path in tests.glob(pattern)})
    if found and not done.is_file():
        # The package is found where it was installed, not in the working tree.
        plugin = [
            "-p",
            "gpu_check.record_tests",
            "-p",
            "no:cacheprovider",
            "-o",
            "pythonpath=",
        ]
        command = [sys.executable, "-m", "pytest", "-q", "-n", "auto", *plugin, *found]
        environment = {**os.environ, "GPU_CHECK_RECORD": str(folder)}
        said = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True)
        text = (said.stdout or said.stderr).strip()
        print("tests on the CPU:", text[-800:], flush=True)
        # All of it, for who wants to know why some fail there.
        (Path(os.environ.get("OUT") or folder) / "tests.log").write_text(text + "\n")
        done.touch()
    made = sorted(path.parent for path in folder.glob("tests-*/launch.json"))
    return [path for path in made if only in path.name]


def corpus() -> Iterator[tuple[str, Recording]]:
    """The runs of the Python tests, with the types that the corpus gives its parameters."""
    sys.path.insert(0, str(ROOT / "python" / "test"))
    runs = importlib.import_module("corpus_runs")
    cases = {case["name"]: case for case in runs.load_corpus().CASES}
    yield "desc_host_arg", _descriptors()
    more = {"device_print_assert": runs.Run({"n": 30}, {"x": runs.small(1, 8)})}
    for name, run in (runs.RUNS | more).items():
        if name not in cases or name in NOT_RECORDED:
            continue
        case = cases[name]
        given, _ = runs.arguments(case, run)
        storages = Storages()
        signature = {n: "constexpr" if n in case["const"] else case["sig"][n] for n in given}
        yield (
            name,
            Recording(
                file=CORPUS_FILE,
                kernel=case["fn"].fn.__name__,
                grid=run.grid,
                arguments={n: encode_argument(n, v, storages) for n, v in given.items()},
                options=case["opts"],
                signature=signature,
                label=name,
                storages=storages.copies,
            ),
        )


def _descriptors() -> Recording:
    """Descriptors as arguments; their types are read off the values."""
    a = torch.randn(48, 128, generator=torch.Generator().manual_seed(0)).half()
    storages = Storages()
    arguments = {
        name: encode_argument(name, TensorDescriptor.from_tensor(tensor, [16, 64]), storages)
        for name, tensor in (("a", a), ("o", torch.zeros_like(a)))
    }
    arguments |= {"n": 128, "BN": 64}
    facts = {"label": "desc_host_arg", "storages": storages.copies}
    return Recording(CORPUS_FILE, "desc_host", (3,), arguments, **facts)


def examples(quick: bool) -> Iterator[tuple[str, Any]]:
    """The cases of python/examples, under names that a folder can have."""
    for case in importlib.import_module("examples").all_cases():
        if quick and not str(case).endswith(("64x781", "98432", "129x70x77", "2x64x32", "17x200")):
            continue
        yield "".join(c if c.isalnum() or c in "-." else "_" for c in str(case)), case
