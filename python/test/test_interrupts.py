"""Signals while a kernel runs: Ctrl-C, alarms, and handlers that let it go on.

Each script runs in a process of its own, sends itself a signal after a while, and says what became
of its kernel. All of them would run for minutes.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

MODES = pytest.mark.parametrize("mode", ["fast", "reference"])

HEAD = """
import os, signal, sys, threading, time
import torch, triton, triton.language as tl

@triton.jit
def endless(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    for _ in range(n):
        acc = tl.sin(acc + tl.load(x + i))
    tl.store(x + i, acc)

@triton.jit
def nested(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    total = tl.zeros((B,), tl.float32)
    for _ in range(n):
        for k in range(3):
            total += tl.load(x + k * B + i)
    tl.store(x + i, total)

@triton.jit
def collatz(x, B: tl.constexpr):
    value = tl.load(x)
    while value > 0:
        value = tl.where(value % 2 == 0, value // 2, 3 * value + 1)
    tl.store(x, value)

@triton.jit
def scalars(x, n):
    total = 0
    for i in range(n):
        total = total * 31 + tl.load(x + i % 64)
    tl.store(x, total)

@triton.jit
def one_endless(x, which, n, B: tl.constexpr):
    rounds = tl.where(tl.program_id(0) == which, n, 1)
    i = tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    for _ in range(rounds):
        acc = tl.sin(acc + tl.load(x + i))
    tl.store(x + tl.program_id(0) * B + i, acc)

@triton.jit
def many(x, B: tl.constexpr):
    i = tl.arange(0, B)
    y = tl.load(x + i)
    for _ in tl.static_range(8):
        y = tl.sin(y)
    tl.store(x + i, y)

@triton.jit
def deadlock(flag):
    while tl.atomic_add(flag, 0) == 0:
        pass

@triton.jit
def add(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)

def check():
    # The process goes on as if nothing had been.
    x, y = torch.arange(5000.0), torch.zeros(5000)
    add[(40,)](x, y, 5000, B=128)
    assert torch.equal(y, x + 1)

def after(seconds, what):
    threading.Timer(seconds, what).start()

def send(number):
    return lambda: os.kill(os.getpid(), number)

x = torch.zeros(1 << 16)
HUGE = 2**31 - 1
endless[(1,)](x, 1, B=64)  # compiled before time counts
"""

LAUNCHES = {
    "a loop": "endless[(1,)](x, {n}, B=1024)",
    "a small loop": "endless[(1,)](x, {n}, B=1)",
    "a loop in a loop": "nested[(1,)](x, {n}, B=64)",
    "a while loop": "collatz[(1,)](torch.full((1,), {n} > 3, dtype=torch.int32), B=1)",
    "scalars": "scalars[(1,)](torch.ones(64, dtype=torch.int32), {n})",
    "every program": "endless[(64,)](x, {n}, B=256)",
    "the first program": "one_endless[(8,)](x, 0, {n}, B=16)",
    "the last program": "one_endless[(8,)](x, 7, {n}, B=16)",
    "many programs": "many[({n},)](x, B=512)",
    "waiting programs": "deadlock[(4,)](torch.full((1,), {n} == 3, dtype=torch.int32))",
    "a waiting program": "deadlock[(1,)](torch.full((1,), {n} == 3, dtype=torch.int32))",
}
"""For `n` = 3 they are over soon, for 2^31 - 1 or so never."""


def run(script: str, tmp_path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    file = tmp_path / "script.py"
    file.write_text(HEAD + script)
    return subprocess.run(
        [sys.executable, str(file)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=100,
    )


@MODES
def test_ctrl_c_ends_every_kind_of_kernel(mode: str, tmp_path: Path):
    """One process, one interrupt after the other: the next launch is right each time."""
    script = "".join(
        f"""
{launch.format(n=3)}
after(0.5, send(signal.SIGINT))
start = time.monotonic()
try:
    {launch.format(n="HUGE")}
    print("not interrupted", {name!r})
except KeyboardInterrupt:
    late = time.monotonic() - start - 0.5
    print({name!r}, "soon" if late < 10 else f"after {{late}} s")
check()
"""
        for name, launch in LAUNCHES.items()
    )
    done = run(script, tmp_path, TRITON_SHARED_MODE=mode)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [f"{name} soon" for name in LAUNCHES]


@pytest.mark.parametrize("threads", ["1", "2"])
def test_an_exception_of_any_handler_ends_the_kernel(threads: str, tmp_path: Path):
    script = """
def alarm(*_):
    raise TimeoutError("enough")
signal.signal(signal.SIGALRM, alarm)
signal.setitimer(signal.ITIMER_REAL, 0.3)
try:
    endless[(6,)](x, HUGE, B=64)
except TimeoutError as error:
    print(error)
check()
"""
    done = run(script, tmp_path, TRITON_SHARED_THREADS=threads)
    assert (done.stdout, done.stderr) == ("enough\n", "")


@MODES
def test_a_handler_that_returns_lets_the_kernel_go_on(mode: str, tmp_path: Path):
    """It launches larger kernels itself: those that wait for it keep their buffers."""
    script = """
@triton.jit
def swap(x, flag, rounds, B: tl.constexpr):
    i = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]
    block = tl.load(x + i)
    count = 0
    while tl.load(flag, volatile=True) == 0:
        block = 1 - tl.trans(block)
        count += 1
    tl.store(x + i, block)
    tl.store(rounds, count)

@triton.jit
def turn(x, n, B: tl.constexpr):
    i = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]
    block = tl.load(x + i)
    for _ in range(n):
        block = 1 - tl.trans(block)
    tl.store(x + i, block)

flag, rounds = torch.zeros(1, dtype=torch.int32), torch.zeros(1, dtype=torch.int32)
calls = []
def handler(*_):
    calls.append(1)
    other = torch.zeros(64, 64)
    turn[(1,)](other, 3, B=64)
    assert torch.equal(other, torch.ones(64, 64))
    check()
    flag[0] = 1

start = torch.arange(256.0).reshape(16, 16)
block = start.clone()
handler()
swap[(1,)](block, flag, rounds, B=16)
calls.clear()
flag[0] = 0
signal.signal(signal.SIGUSR1, handler)
after(0.5, send(signal.SIGUSR1))
swap[(1,)](block, flag, rounds, B=16)
assert torch.equal(block, 1 - start.T if rounds.item() % 2 else start)
print(len(calls))
"""
    done = run(script, tmp_path, TRITON_SHARED_MODE=mode)
    assert (done.stdout, done.stderr) == ("1\n", "")


def test_a_thread_that_is_not_the_main_one_leaves_signals_to_it(tmp_path: Path):
    script = """
@triton.jit
def wait(flag, x):
    rounds = 0
    while tl.load(flag, volatile=True) == 0:
        rounds += 1
    tl.store(x, 7)

flag, result = torch.ones(1, dtype=torch.int32), torch.zeros(1, dtype=torch.int32)
wait[(1,)](flag, result)
flag[0] = result[0] = 0
thread = threading.Thread(target=lambda: wait[(1,)](flag, result))
thread.start()
after(0.5, send(signal.SIGINT))
try:
    time.sleep(60)
except KeyboardInterrupt:
    print("interrupted", result.item())
time.sleep(0.5)  # it would have been asked meanwhile
flag[0] = 1
thread.join()
print(result.item())
check()
"""
    done = run(script, tmp_path)
    assert (done.stdout, done.stderr) == ("interrupted 0\n7\n", "")


def test_sigterm_ends_the_process(tmp_path: Path):
    done = run("after(0.3, send(signal.SIGTERM))\nendless[(4,)](x, HUGE, B=64)\n", tmp_path)
    assert (done.stdout, done.returncode) == ("", -signal.SIGTERM)


def test_a_handler_of_sigterm_runs(tmp_path: Path):
    script = """
signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
after(0.3, send(signal.SIGTERM))
endless[(4,)](x, HUGE, B=64)
"""
    done = run(script, tmp_path)
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 7)


def test_compiling_leaves_handlers_to_the_application(tmp_path: Path):
    script = """
numbers = [signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2]
seen = []
for number in numbers:
    signal.signal(number, lambda number, _: seen.append(number))
many[(1,)](x, B=64)  # is compiled
for number in numbers:
    os.kill(os.getpid(), number)
print(seen == numbers)
"""
    compile_late = "endless[(1,)](x, 1, B=64)  # compiled before time counts\n"
    file = tmp_path / "script.py"
    file.write_text(HEAD.replace(compile_late, "") + script)
    done = subprocess.run(
        [sys.executable, str(file)],
        env={**os.environ, "TRITON_ALWAYS_COMPILE": "1"},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_interrupted_programs_give_back_what_they_hold(tmp_path: Path):
    """In reference mode, buffers are heap blocks: some MiB in each of 35 launches."""
    script = """
import resource
@triton.jit
def heavy(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    acc = tl.load(x + i)
    for _ in range(n):
        acc = tl.associative_scan(acc, 0, combine)
    tl.store(x + i, acc)
@triton.jit
def combine(a, b):
    return a + b
class Enough(Exception):
    pass
def alarm(*_):
    raise Enough
signal.signal(signal.SIGALRM, alarm)
big = torch.zeros(1 << 18)
def interrupt():
    signal.setitimer(signal.ITIMER_REAL, 0.06)
    try:
        heavy[(1,)](big, HUGE, B=1 << 18)
    except Enough:
        return
    raise AssertionError("it has ended")
heavy[(1,)](big, 3, B=1 << 18)
for _ in range(5):
    interrupt()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for _ in range(30):
    interrupt()
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024 < 20)
"""
    done = run(script, tmp_path, TRITON_SHARED_MODE="reference")
    assert (done.stdout, done.stderr) == ("True\n", "")
