"""A bad address in a kernel: who did it is said, then the process ends as it would have."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

HEAD = """
import ctypes, faulthandler, mmap, os, signal, sys
import torch, triton, triton.language as tl

@triton.jit
def copy(x, out, at, B: tl.constexpr):
    i = tl.arange(0, B)
    here = tl.where(tl.program_id(0) + 10 * tl.program_id(1) == 12, at, 0)
    tl.store(out + i, tl.load(x + here + i))

@triton.jit
def fill(x, out, at, B: tl.constexpr):
    i = tl.arange(0, B)
    here = tl.where(tl.program_id(0) + 10 * tl.program_id(1) == 12, at, 0)
    tl.store(out + here + i, tl.load(x + i))

# Pages whose neighbours on both sides are not there.
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
page = 4096
pages = libc.mmap(None, 64 * page, 0, 0x22, -1, 0)
libc.mprotect(ctypes.c_void_p(pages + 32 * page), page, 3)
room = (ctypes.c_float * 1024).from_address(pages + 32 * page)
lonely = torch.frombuffer(room, dtype=torch.float32)
x = torch.zeros(64)
"""


def run(script: str, tmp_path: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    file = tmp_path / "script.py"
    file.write_text(HEAD + script)
    command = [sys.executable, *flags, str(file)]
    return subprocess.run(command, capture_output=True, text=True, timeout=100)


@pytest.mark.every(2)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("call", "access", "place"),
    [
        ("copy[(10, 3)](lonely, x, 1024, B=16)", "reads from", "4096 bytes behind where 'x'"),
        ("copy[(10, 3)](lonely, x, -16, B=16)", "reads from", "64 bytes before where 'x'"),
        # One store with any CPU's vectors.
        ("fill[(10, 3)](x, lonely, 2048, B=8)", "writes to", "8192 bytes behind where 'out'"),
    ],
)
def test_kernel_program_and_access_are_named(
    call: str, access: str, place: str, threads: int, tmp_path: Path
):
    settings = f"os.environ['TRITON_SHARED_THREADS'] = '{threads}'\n"
    done = run(f"{settings}{call}\nprint('alive')", tmp_path)
    kernel = call.partition("[")[0]
    assert done.returncode == -signal.SIGSEGV
    assert done.stdout == ""
    first, note = done.stderr.splitlines()
    where = place.replace("where '", "where argument '")
    assert re.fullmatch(
        rf"triton-shared: bad address in kernel '{kernel}', program \(2, 1, 0\), "
        rf"which {access} 0x[0-9a-f]+, {where} points",
        first,
    )
    assert note.startswith("triton-shared: note: compare the offsets and the mask")


def test_what_lies_before_a_null_pointer_is_near_to_it(tmp_path: Path):
    script = """
@triton.jit
def before(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.load(x - B + i))

before[(1,)](torch.empty(0), x, B=16)
"""
    done = run(script, tmp_path)
    assert done.returncode == -signal.SIGSEGV
    # Addresses go round.
    assert "reads from 0xffffffffffffff" in done.stderr
    assert " bytes before where argument 'x' points, which is null\n" in done.stderr


def test_an_address_that_the_cpu_does_not_report(tmp_path: Path):
    done = run("copy[(10, 3)](x, x, 10**14, B=16)", tmp_path)
    assert done.returncode == -signal.SIGSEGV
    assert "program (2, 1, 0), which accesses an address that no memory has\n" in done.stderr


@pytest.mark.parametrize("enabled", ["before", "after"])
def test_faulthandler_says_where_the_launch_is(enabled: str, tmp_path: Path):
    first = "copy[(10, 3)](x, x, 0, B=16)\nfaulthandler.enable()\n" if enabled == "after" else ""
    flags = ["-X", "faulthandler"] if enabled == "before" else []
    done = run(f"{first}copy[(10, 3)](lonely, x, 1024, B=16)", tmp_path, *flags)
    assert done.returncode == -signal.SIGSEGV
    assert "bad address in kernel 'copy', program (2, 1, 0)" in done.stderr
    assert "Fatal Python error: Segmentation fault" in done.stderr
    assert "script.py" in done.stderr


def test_other_crashes_are_none_of_the_kernel(tmp_path: Path):
    done = run("copy[(10, 3)](x, x, 0, B=16)\nctypes.string_at(0)", tmp_path)
    assert (done.returncode, done.stderr) == (-signal.SIGSEGV, "")


def test_a_crash_of_a_handler_that_interrupts_a_kernel_is_none_of_the_kernel(tmp_path: Path):
    script = """
@triton.jit
def wait(flag):
    while tl.load(flag, volatile=True) == 0:
        pass

signal.signal(signal.SIGALRM, lambda *_: ctypes.string_at(0))
signal.setitimer(signal.ITIMER_REAL, 0.3)
wait[(1,)](x)
"""
    done = run(script, tmp_path)
    assert (done.returncode, done.stderr) == (-signal.SIGSEGV, "")


def test_a_signal_that_somebody_sends_is_no_crash(tmp_path: Path):
    done = run("copy[(10, 3)](x, x, 0, B=16)\nos.kill(os.getpid(), signal.SIGSEGV)", tmp_path)
    assert (done.returncode, done.stderr) == (-signal.SIGSEGV, "")


def test_a_handler_of_the_application_that_was_there_runs(tmp_path: Path):
    script = """
handler = ctypes.CFUNCTYPE(None, ctypes.c_int)(lambda number: os._exit(50 + number))
libc.signal(signal.SIGSEGV, handler)
copy[(10, 3)](lonely, x, 1024, B=16)
"""
    done = run(script, tmp_path)
    assert done.returncode == 50 + signal.SIGSEGV
    assert "in kernel 'copy'" in done.stderr
