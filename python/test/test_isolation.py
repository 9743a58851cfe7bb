"""What crashes the compiler is an exception in Python, and the process lives on."""

from __future__ import annotations

import faulthandler
import json
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from pathlib import Path

import pytest
from fuzz.sources import TOOL
from triton_shared import (
    CompilationError,
    CompilerCrashError,
    LibraryError,
    isolation,
    library,
    stages,
)
from triton_shared.lowering import Lowering
from triton_shared.options import Options

CRASH = "module attributes {a = array<index: 1>} {}"
"""MLIR 22 asks the index type of a dense array for its width."""
GOOD = """module { tt.func public @f(%p: !tt.ptr<i32>, %v: i32) {
  tt.store %p, %v : !tt.ptr<i32>
  tt.return } }"""
OPTIONS = "mode=reference"


@pytest.fixture(autouse=True)
def _temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))


def nested(depth: int) -> str:
    """A text that is as deep as it is long."""
    return f"module {{ tt.func @f(%c: i1) {{ {'scf.if %c {' * depth}{'}' * depth} tt.return }} }}"


def compiles() -> bool:
    made = library.compile_text(GOOD, OPTIONS)
    return made.succeeded and made.artefact("obj").startswith(b"\x7fELF")


@pytest.mark.parametrize("text", [CRASH, nested(400_000)], ids=["array-of-index", "nested"])
def test_a_crash_is_an_exception(text: str):
    enabled = faulthandler.is_enabled()
    with pytest.raises(CompilerCrashError) as caught:
        library.compile_text(text, OPTIONS)
    crash = caught.value
    assert crash.death == "SIGSEGV"
    kept = Path(crash.reproducer).read_text()
    assert kept.startswith(text + "\n")
    assert crash.repeat in kept
    assert str(crash).splitlines() == [
        "the compiler crashed (SIGSEGV)",
        f"what it was given is kept in {crash.reproducer}; please report it with that file",
        f"repeat with: triton-shared-opt --to-phase=llir {crash.reproducer}",
    ]
    for copy in (deepcopy(crash), pickle.loads(pickle.dumps(crash))):
        assert str(copy) == str(crash)
    assert faulthandler.is_enabled() == enabled
    assert compiles()


def test_the_command_repeats_the_crash():
    with pytest.raises(CompilerCrashError) as caught:
        library.compile_text(CRASH, f"{OPTIONS} to-phase=linalg")
    tool, *rest = caught.value.repeat.split()
    assert tool == "triton-shared-opt"
    assert rest[0] == "--to-phase=linalg"
    repeated = subprocess.run([TOOL, *rest], capture_output=True, timeout=60)
    assert repeated.returncode == 70


def test_bytecode_that_crashes_keeps_its_command_in_a_file_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(isolation, "_SCRIPT", write_script("import os; os.abort()"))
    monkeypatch.setattr(isolation, "_idle", [])
    with pytest.raises(CompilerCrashError) as caught:
        library.compile_text(b"ML\xefR\x01", OPTIONS)
    assert caught.value.death == "SIGABRT"
    assert Path(caught.value.reproducer).read_bytes() == b"ML\xefR\x01"
    assert caught.value.repeat in Path(caught.value.reproducer + ".command").read_text()


def test_a_worker_reads_one_bytecode():
    """Damaged bytecode damages the heap of its reader, even if that ends with an error."""
    bytecode = subprocess.run(
        [TOOL, "--emit-bytecode"], input=GOOD.encode(), capture_output=True, check=True, timeout=60
    ).stdout
    assert compiles()
    before = {worker._process.pid for worker in isolation._idle}
    assert library.compile_text(bytecode, OPTIONS).succeeded
    assert len(isolation._idle) == len(before) - 1
    assert not library.compile_text(bytecode[:-9], OPTIONS).succeeded
    assert compiles()


def test_a_worker_that_does_not_start_is_an_error_of_the_installation(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(isolation, "_SCRIPT", write_script("raise SystemExit('no such module')"))
    monkeypatch.setattr(isolation, "_idle", [])
    with pytest.raises(LibraryError, match=r"exit code 1:\nno such module"):
        library.compile_text(GOOD, OPTIONS)


def write_script(code: str) -> Path:
    path = Path(os.environ["TMPDIR"]) / "script.py"
    path.write_text(code)
    return path


def test_a_worker_has_its_files_where_this_process_has_them_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """ptxas reads and writes files; the folder of the worker's start may be gone."""
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        monkeypatch.setattr("tempfile.tempdir", str(folder))
        assert stages.run(GOOD, "cubin", target="cuda:90").startswith(b"\x7fELF")
        assert not list(folder.iterdir())
        folder.rmdir()
    with pytest.raises(CompilationError, match=r"cannot make a temporary file in '.*/second': "):
        stages.run(GOOD, "cubin", target="cuda:90")


def test_both_ways_give_the_same():
    isolated = library.compile_text(GOOD, OPTIONS)
    here = library.compile_text(GOOD, OPTIONS, printed_by_triton=True)
    for phase in (*library.phases("cpu"), "nothing"):
        assert isolated.artefact(phase) == here.artefact(phase)
    assert json.loads(isolated.metadata) == json.loads(here.metadata)
    assert (isolated.succeeded, isolated.diagnostics) == (here.succeeded, here.diagnostics)


def test_without_room_for_a_deep_stack_the_callers_is_used():
    code = (
        "import resource\n"
        "from triton_shared import library\n"
        "library.version()\n"
        "pages = int(open('/proc/self/statm').read().split()[0])\n"
        "most = pages * resource.getpagesize() + (200 << 20)\n"
        "resource.setrlimit(resource.RLIMIT_AS, (most, most))\n"
        f"done = library.compile_text({GOOD!r}, {OPTIONS!r}, printed_by_triton=True)\n"
        "assert done.succeeded, done.diagnostics\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_who_is_isolated(monkeypatch: pytest.MonkeyPatch):
    """What Triton printed is compiled here, anything else elsewhere; the knob overrides both."""
    elsewhere: list[bytes] = []
    real = isolation.compile_isolated
    monkeypatch.setattr(
        library, "compile_isolated", lambda s, *rest: elsewhere.append(s) or real(s, *rest)
    )
    for knob, trusted, text in (("", 0, 1), ("1", 1, 1), ("0", 0, 0)):
        monkeypatch.setenv("TRITON_SHARED_ISOLATE", knob)
        elsewhere.clear()
        library.compile_text(GOOD, OPTIONS, printed_by_triton=True)
        assert len(elsewhere) == trusted
        library.compile_text(GOOD, OPTIONS)
        assert len(elsewhere) == trusted + text
    monkeypatch.setenv("TRITON_SHARED_ISOLATE", "maybe")
    with pytest.raises(ValueError, match="TRITON_SHARED_ISOLATE must be one of , 0, 1"):
        library.compile_text(GOOD, OPTIONS)


def test_a_replaced_phase_that_crashes_names_the_kernel():
    lowering = Lowering(Options()).stages()
    with pytest.raises(CompilerCrashError, match="the compiler crashed on kernel 'k' "):
        lowering["linalg"](CRASH, {"name": "k"})


def test_a_crash_of_the_python_process_leaves_what_repeats_it(tmp_path: Path):
    """Texts that Triton has printed are compiled there; nobody is left to say where the file is."""
    code = (
        "from triton_shared import library\n"
        f"library.compile_text({GOOD!r}, {OPTIONS!r}, printed_by_triton=True)\n"
        f"library.compile_text({CRASH!r}, {OPTIONS!r}, printed_by_triton=True)\n"
    )
    environment = {**os.environ, "TRITON_SHARED_ISOLATE": "", "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, timeout=60)
    assert done.returncode == -signal.SIGSEGV
    (kept,) = tmp_path.glob("triton-shared-*")
    assert kept.name.startswith("triton-shared-compiling-")
    text = kept.read_text()
    assert text.startswith(CRASH + "\n")
    tool, *rest = text.splitlines()[-1].removeprefix("//").split()
    assert tool == "triton-shared-opt"
    assert subprocess.run([TOOL, *rest], capture_output=True, timeout=60).returncode == 70


def test_a_folder_that_cannot_be_written_is_no_reason_not_to_compile(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr("tempfile.tempdir", "/dev/null/nothing")
    assert library.compile_text(GOOD, OPTIONS, printed_by_triton=True).succeeded


def test_threads_crash_side_by_side():
    def one(number: int) -> bool:
        if number % 3:
            return compiles()
        with pytest.raises(CompilerCrashError):
            library.compile_text(CRASH, OPTIONS)
        return True

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(one, range(12)))


def test_a_worker_killed_while_it_waits_is_replaced():
    assert compiles()
    for worker in isolation._idle:
        os.kill(worker._process.pid, signal.SIGKILL)
        os.waitid(os.P_PID, worker._process.pid, os.WEXITED | os.WNOWAIT)
    assert compiles()


def test_a_process_forked_off_gets_workers_of_its_own():
    assert compiles()
    child = multiprocessing.get_context("fork").Process(target=compile_or_fail)
    child.start()
    child.join(60)
    assert child.exitcode == 0
    assert compiles()


def compile_or_fail() -> None:
    assert compiles()


def test_ctrl_c_ends_the_compilation_and_not_the_next_one():
    """The answer that was waited for must not be taken for that of the next text."""
    code = (
        "import signal\n"
        "from triton_shared import library\n"
        f"good, middle = {GOOD!r}, 'scf.if %c {{' * 30_000 + '}}' * 30_000\n"
        "slow = 'module { tt.func @f(%c: i1) {' + middle + ' tt.return } }'\n"
        "library.compile_text(good, 'mode=reference')\n"
        "def interrupt(number, frame): raise KeyboardInterrupt\n"
        "signal.signal(signal.SIGALRM, interrupt)\n"
        "signal.setitimer(signal.ITIMER_REAL, 0.2)\n"
        "try: library.compile_text(slow, 'mode=reference')\n"
        "except KeyboardInterrupt: print('interrupted')\n"
        "print(library.compile_text(good, 'mode=reference').metadata)\n"
    )
    path = os.pathsep.join(filter(None, ["python", os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": path},
        cwd=Path(__file__).parents[2],
    )
    assert done.stdout.splitlines()[0] == "interrupted", done.stderr
    assert '"name":"f"' in done.stdout


@pytest.mark.parametrize("printed_by_triton", [True, False])
def test_long_chains_and_deep_nesting_compile(printed_by_triton: bool):
    """What an unrolled loop makes; recursion along it needs more stack than a thread has."""
    length = 20_000
    chain = "\n".join(f"%x{n + 1} = arith.addi %x{n}, %s : tensor<16xi32>" for n in range(length))
    text = f"""module {{ tt.func public @f(%p: !tt.ptr<f32>, %n: i32) {{
      %x0 = tt.make_range {{end = 16 : i32, start = 0 : i32}} : tensor<16xi32>
      %s = tt.splat %n : i32 -> tensor<16xi32>
      {chain}
      %q = tt.splat %p : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
      %r = tt.addptr %q, %x{length} : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
      %l = tt.load %r : tensor<16x!tt.ptr<f32>>
      tt.store %q, %l : tensor<16x!tt.ptr<f32>>
      tt.return }} }}"""
    made = library.compile_text(text, OPTIONS, printed_by_triton=printed_by_triton)
    assert made.succeeded, made.diagnostics
    made = library.compile_text(
        nested(3000), f"{OPTIONS} to-phase=ttir", printed_by_triton=printed_by_triton
    )
    assert made.succeeded, made.diagnostics


def test_diagnostics_may_quote_what_is_no_text():
    made = library.compile_text(b'module attributes {a = "\xff\xfe\\zz"} {}', OPTIONS)
    assert not made.succeeded
    assert "error:" in made.diagnostics
