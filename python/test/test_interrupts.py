"""Signals while a kernel runs: Ctrl-C, alarms, and handlers that let it go on.

Compiled code asks nobody: a thread is interrupted wherever it is, and goes on as if nothing had
been, or leaves. Each script runs in a process of its own, sends itself a signal after a while, and
says what became of its kernel. All of them would run for minutes.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl

MODES = pytest.mark.parametrize("mode", ["fast", "reference"])

HEAD = """
import os, signal, sys, threading, time
import torch, triton, triton.language as tl
from triton.language.extra import libdevice

# What a shell has started in the background ignores Ctrl-C from the start.
signal.signal(signal.SIGINT, signal.default_int_handler)

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
def functions(x, n):
    value = tl.load(x).to(tl.float64)
    for _ in range(n):
        value = libdevice.tgamma(value) * 0.1 + 3
    tl.store(x, value.to(tl.float32))

@triton.jit
def divisions(x, n):
    value = tl.load(x)
    for i in range(n):
        value = value // (value % 7 + 1) + tl.umulhi(value, value + i) + 3
    tl.store(x, value)

@triton.jit
def copies(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    for k in range(n):
        tl.store(x + i, tl.load(x + B + i))
        tl.store(x + B, k)

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
    "functions": "functions[(1,)](torch.ones(1), {n})",
    "divisions": "divisions[(1,)](torch.ones(1, dtype=torch.int64), {n})",
    "copies": "copies[(1,)](torch.zeros(1 << 19), {n}, B=1 << 18)",
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


@pytest.mark.every(2)
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
    print({name!r}, "soon" if late < 2 else f"after {{late}} s")
check()
"""
        for name, launch in LAUNCHES.items()
    )
    done = run(script, tmp_path, TRITON_SHARED_MODE=mode)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [f"{name} soon" for name in LAUNCHES]


@triton.jit
def add_up(x, n, B: tl.constexpr):
    total = tl.zeros((B,), tl.float32)
    for k in range(n):
        total += tl.load(x + k * B + tl.arange(0, B))
    tl.store(x + tl.arange(0, B), total)


@MODES
def test_a_loop_asks_nobody_whether_to_go_on(mode: str):
    """So it costs what it would if nothing could interrupt it."""
    code = add_up[(1,)](torch.ones(256), 4, B=64, mode=mode).asm["llir"]
    assert set(re.findall(r"@(tritonShared\w+)", code)) <= {"tritonSharedScratch"}


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


def test_a_kernel_that_prints_all_the_time_is_interrupted(tmp_path: Path):
    """And a handler that prints from a kernel finds its own line, and leaves the other."""
    script = """
@triton.jit
def lines(x, n, B: tl.constexpr):
    for _ in range(n):
        tl.device_print("line", tl.arange(0, B))

@triton.jit
def word(x):
    tl.device_print("word", tl.load(x))

calls = []
def handler(*_):
    word[(1,)](x)
    calls.append(1)
    if len(calls) == 20:
        raise InterruptedError
handler()
lines[(1,)](x, 3, B=128)
calls.clear()
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
try:
    lines[(1,)](x, HUGE, B=128)
except InterruptedError:
    signal.setitimer(signal.ITIMER_REAL, 0)
    check()
"""
    done = run(script, tmp_path)
    assert done.stderr == ""
    shapes = {re.sub(r"\d+", "n", line) for line in done.stdout.splitlines()}
    assert shapes <= {"pid (n, n, n) idx (n) line: n", *(
        f"pid (n, n, n) idx ({' ' * width}n) line: n" for width in (1, 2)
    ), "pid (n, n, n) idx () word: n.n"}  # fmt: skip
    assert done.stdout.count("word") == 21


LONG_COMPUTATION = """
@triton.jit
def iterate(x, y, w, out, n, B: tl.constexpr, K: tl.constexpr):
    i = tl.arange(0, B)
    k = tl.arange(0, K)
    value, other, count = tl.load(x + i), tl.load(y + i), i * 7
    block = tl.load(w + k[:, None] * K + k[None, :])
    product = block
    scalar = tl.load(x).to(tl.float64)
    for r in range(n):
        value = tl.sin(value) * 1.5 + other * 1e-38
        other = tl.where(value > 0, tl.exp(-value), other * 0.999)
        count = count * 1664525 + 1013904223 + r
        product = tl.dot(product, block, input_precision="ieee") * 0.25 + block
        scalar = libdevice.tgamma(scalar) * 0.1 + 3
    tl.store(out + i, value + other + scalar.to(tl.float32))
    tl.store(out + B + i, count.to(tl.float32, bitcast=True))
    tl.store(out + 2 * B + k[:, None] * K + k[None, :], product)

B, K = 128, 16
torch.manual_seed(3)
data = torch.randn(B), torch.rand(B), torch.rand(K, K)
def compute(n):
    out = torch.zeros(2 * B + K * K)
    torch.set_flush_denormal(True)
    iterate[(2,)](*data, out, n, B=B, K=K)
    assert torch.tensor(1e-38).mul(0.1).item() == 0  # the mode is what it was
    return out.view(torch.int32)

calls = []
def handler(*_):
    calls.append(1)
    compute(3)
    torch.set_flush_denormal(False)
    torch.randn(64, 64) @ torch.randn(64, 64)
    check()
    torch.set_flush_denormal(True)
    if is_timed:
        signal.setitimer(signal.ITIMER_REAL, 0.02)

is_timed = False
handler()
n = 64
while True:
    start = time.monotonic()
    compute(n)
    if time.monotonic() - start > 0.5:
        break
    n *= 2
expected = compute(n)
calls.clear()
signal.signal(signal.SIGALRM, handler)
is_timed = True
handler()
outs = []
while len(calls) < 8 and len(outs) < 99:
    outs.append(compute(n))
is_timed = False
signal.signal(signal.SIGALRM, signal.SIG_IGN)
print(all(torch.equal(out, expected) for out in outs), len(calls) >= 8)
"""


@pytest.mark.nightly
@MODES
def test_interruptions_leave_no_trace_in_a_long_computation(mode: str, tmp_path: Path):
    """Handlers compute with all registers, in other modes of floating point."""
    done = run(LONG_COMPUTATION, tmp_path, TRITON_SHARED_MODE=mode)
    assert (done.stdout, done.stderr) == ("True True\n", "")


@pytest.mark.parametrize("threads", ["1", "2"])
def test_a_failed_assertion_ends_the_other_programs(threads: str, tmp_path: Path):
    """Side by side, while each of them computes on a thread of its own."""
    script = """
@triton.jit
def fail(x, n, wait, B: tl.constexpr):
    if tl.program_id(0) == 1:
        for _ in range(wait):
            tl.store(x, tl.load(x, volatile=True) * 3)
        tl.device_assert(wait < 0, "enough")
    i = tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    for _ in range(n):
        acc = tl.sin(acc + tl.load(x + i))
    tl.store(x + i, acc)

fail[(2,)](x, 1, -1, B=64, debug=True)
for grid in (2, 5):
    for _ in range(3):
        start = time.monotonic()
        try:
            fail[(grid,)](x, HUGE, 1000, B=64, debug=True, launch_cooperative_grid=True)
            print("not failed")
        except RuntimeError as error:
            late = time.monotonic() - start
            print("enough" in str(error), "soon" if late < 2 else late)
        check()
"""
    done = run(script, tmp_path, TRITON_SHARED_THREADS=threads)
    assert (done.stdout, done.stderr) == ("True soon\n" * 6, "")


@pytest.mark.parametrize("first", ["before", "after"])
def test_a_handler_of_the_signal_that_is_used_stays_undisturbed(first: str, tmp_path: Path):
    """Launches are interrupted between programs then."""
    script = f"""
calls = []
def alarm(*_):
    raise TimeoutError("enough")
def interrupt(launch):
    signal.setitimer(signal.ITIMER_REAL, 0.4)
    try:
        launch()
    except TimeoutError as error:
        print(error)
signal.signal(signal.SIGALRM, alarm)
if {first!r} == "after":
    interrupt(lambda: endless[(1,)](x, HUGE, B=64))
signal.signal(signal.SIGURG, lambda *_: calls.append(1))
os.kill(os.getpid(), signal.SIGURG)
interrupt(lambda: many[(HUGE,)](x, B=512))
print(len(calls))
os.kill(os.getpid(), signal.SIGURG)
print(len(calls))
signal.signal(signal.SIGURG, signal.SIG_DFL)
interrupt(lambda: endless[(1,)](x, HUGE, B=64))
os.kill(os.getpid(), signal.SIGURG)  # nobody's, and ignored
print(len(calls))
"""
    done = run(script, tmp_path)
    lines = ["enough", "1", "2", "enough", "2"]
    assert done.stdout.splitlines() == (["enough"] if first == "after" else []) + lines
    assert done.stderr == ""


def test_a_process_that_was_forked_off_is_interrupted_too(tmp_path: Path):
    script = """
def alarm(*_):
    raise TimeoutError("enough")
signal.signal(signal.SIGALRM, alarm)
def interrupt():
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        endless[(1,)](x, HUGE, B=64)
    except TimeoutError as error:
        print(error, flush=True)
interrupt()
child = os.fork()
interrupt()
if child:
    print(os.waitpid(child, 0)[1])
"""
    done = run(script, tmp_path)
    assert (done.stdout, done.stderr) == ("enough\nenough\nenough\n0\n", "")


def test_nothing_wakes_while_nobody_launches(tmp_path: Path):
    script = """
def count_switches():
    counts = {}
    for task in os.listdir("/proc/self/task"):
        if int(task) != os.getpid():
            text = open(f"/proc/self/task/{task}/status").read()
            counts[task] = text.split("nonvoluntary_ctxt_switches")[0].split()[-1]
    return counts

before = set(os.listdir("/proc/self/task"))
many[(4,)](x, B=64)
time.sleep(2.5)
asleep = count_switches()
time.sleep(1)
print(len(asleep) > 0, count_switches() == asleep)
check()
"""
    done = run(script, tmp_path, TRITON_SHARED_THREADS="1")
    assert (done.stdout, done.stderr) == ("True True\n", "")
