"""The cache of compiled kernels: damaged, foreign or unwritable, it costs a compilation at most."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cache_storm
import pytest
import torch
import triton
import triton_shared
from kernels import scale
from triton.backends.compiler import GPUTarget
from triton.runtime.cache import FileCacheManager
from triton_shared import CacheError, CacheWarning, cache_entry

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="gives files to other users")
NOBODY = 65534


@pytest.fixture(autouse=True)
def _cache(fresh_cache: Path) -> None:
    """An empty folder for each test."""


def launch() -> bool:
    """Launches as a new process would; whether the kernel came from the cache. It is right."""
    hits: list[bool] = []
    triton.knobs.compilation.listener = lambda **event: hits.append(event["cache_hit"])
    scale.device_caches.clear()
    x, out = torch.arange(20.0), torch.zeros(20)
    try:
        scale[(1,)](x, out, 20, 2.0, BLOCK=32)
    finally:
        triton.knobs.compilation.listener = None
    assert torch.equal(out, 2 * x)
    return hits[0]


def entry(root: Path) -> Path:
    (found,) = (path for path in root.iterdir() if path.name != cache_entry.STAGING)
    return found


def spoil(file: Path, damage: str) -> None:
    content = file.read_bytes()
    middle = len(content) // 2
    if damage == "removed":
        file.unlink()
    elif damage == "linked":
        moved = file.with_name("moved")
        file.rename(moved)
        file.symlink_to(moved)
    else:
        new = {
            "truncated": content[:middle],
            "overwritten": content[:middle] + bytes([0xA5] * 8) + content[middle + 8 :],
            "empty": b"",
            "text": b"hello",
        }
        file.write_bytes(new[damage])


def test_an_entry_is_one_folder_with_a_manifest(fresh_cache: Path):
    assert not launch()
    manifest = json.loads((entry(fresh_cache) / "manifest.json").read_text())
    assert manifest["build"] == f"triton-shared {triton_shared.library.version()}"
    names = {path.name for path in entry(fresh_cache).iterdir()}
    assert names == {*manifest["files"], "manifest.json", "__grp__scale.json"}
    assert {"scale.json", "scale.obj", "scale.ttir", "scale.source"} <= names
    assert launch()


@pytest.mark.parametrize(
    "damage", ["truncated", "overwritten", "empty", "text", "removed", "linked"]
)
@pytest.mark.parametrize("name", ["scale.obj", "scale.json", "scale.linalg", "manifest.json"])
def test_a_damaged_entry_is_compiled_again(name: str, damage: str, fresh_cache: Path):
    launch()
    spoil(entry(fresh_cache) / name, damage)
    with pytest.warns(CacheWarning, match="is not used, and compiled again") as caught:
        assert not launch()
    assert str(entry(fresh_cache)) in str(caught[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert launch()


@pytest.mark.parametrize(
    "manifest",
    ["[]", "{}", '{"build": "b", "files": 3}', '{"build": "b", "files": {"../x": "0"}}', "null"],
)
def test_a_senseless_manifest_is_no_manifest(manifest: str, fresh_cache: Path):
    launch()
    (entry(fresh_cache) / "manifest.json").write_text(manifest)
    with pytest.warns(CacheWarning):
        assert not launch()
    assert launch()


def test_an_entry_of_another_build_is_compiled_again(fresh_cache: Path):
    launch()
    manifest = entry(fresh_cache) / "manifest.json"
    manifest.write_text(manifest.read_text().replace("triton-shared ", "triton-shared 0."))
    with pytest.warns(CacheWarning, match=r"it was made by 'triton-shared 0\."):
        assert not launch()


@pytest.mark.parametrize("what", ["entry", "scale.obj", "manifest.json"])
def test_an_entry_that_others_can_write_is_compiled_again(what: str, fresh_cache: Path):
    launch()
    path = entry(fresh_cache) / what if what != "entry" else entry(fresh_cache)
    path.chmod(path.stat().st_mode | 0o002)
    with pytest.warns(CacheWarning, match="can be written by others"):
        assert not launch()
    assert launch()


@AS_ROOT
@pytest.mark.parametrize("what", ["entry", "scale.obj", "manifest.json"])
def test_an_entry_of_another_user_is_compiled_again(what: str, fresh_cache: Path):
    launch()
    path = entry(fresh_cache) / what if what != "entry" else entry(fresh_cache)
    os.chown(path, 12345, 12345)
    with pytest.warns(CacheWarning, match="belongs to user 12345"):
        assert not launch()
    assert launch()


def test_a_file_at_the_place_of_an_entry_is_replaced(fresh_cache: Path):
    launch()
    place = entry(fresh_cache)
    shutil.rmtree(place)
    place.write_text("in the way")
    with pytest.warns(CacheWarning):
        assert not launch()
    assert launch()


# Folders that cannot be written.


def test_without_a_folder_kernels_are_kept_for_the_process(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", "/dev/null/cache")
    with pytest.warns(CacheWarning, match=r"kept for this process only: .*TRITON_CACHE_DIR"):
        assert not launch()


@contextmanager
def as_nobody() -> Iterator[None]:
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@AS_ROOT
def test_a_read_only_folder_is_read(monkeypatch: pytest.MonkeyPatch):
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        monkeypatch.setenv("TRITON_CACHE_DIR", name)
        launch()
        with as_nobody():
            assert launch()
        shutil.rmtree(entry(Path(name)))
        with as_nobody(), pytest.warns(CacheWarning, match="Permission denied"):
            assert not launch()


@pytest.mark.parametrize("when", range(1, 9))
def test_a_full_disk_costs_a_compilation(
    when: int, fresh_cache: Path, monkeypatch: pytest.MonkeyPatch
):
    """Whichever file is the one that has no room any more."""
    calls = 0
    write = cache_entry.write_file

    def write_until_full(path: Path, content: bytes) -> None:
        nonlocal calls
        calls += 1
        if calls >= when and fresh_cache in path.parents:
            path.write_bytes(content[: len(content) // 2])
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        write(path, content)

    monkeypatch.setattr(cache_entry, "write_file", write_until_full)
    with pytest.warns(CacheWarning, match="No space left on device"):
        assert not launch()
    assert not [path for path in fresh_cache.iterdir() if path.name != cache_entry.STAGING]
    monkeypatch.undo()
    monkeypatch.setenv("TRITON_CACHE_DIR", str(fresh_cache))
    assert not launch()
    assert launch()


@pytest.fixture
def small_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A disk of 8 KiB, which no entry fits in, as the cache."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8k,mode=755", "none", str(place)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("mounting a disk needs rights that are not there")
    monkeypatch.setenv("TRITON_CACHE_DIR", str(place))
    yield place
    subprocess.run(["umount", str(place)], check=True)


def remount(disk: Path, options: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{options}", str(disk)], check=True)


def test_a_disk_that_is_full_and_one_that_is_read_only(small_disk: Path):
    with pytest.warns(CacheWarning, match="No space left on device"):
        assert not launch()
    remount(small_disk, "size=8m")
    assert not launch()
    remount(small_disk, "ro")
    assert launch()
    remount(small_disk, "rw")
    shutil.rmtree(entry(small_disk))
    remount(small_disk, "ro")
    with pytest.warns(CacheWarning, match="Read-only file system"):
        assert not launch()


def test_where_no_file_may_grow_the_error_says_so(tmp_path: Path):
    """The limit is the system's: it meets the cache, what replaces it, and reproducers."""
    code = (
        "import resource, torch, triton_shared; from kernels import scale\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))\n"
        "with triton_shared.device('cpu'):\n"
        "    try: scale[(1,)](torch.arange(20.0), torch.zeros(20), 20, 2.0, BLOCK=32)\n"
        "    except triton_shared.CacheError as error: print(error)\n"
    )
    path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    places = {"TRITON_CACHE_DIR": str(tmp_path / "cache"), "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env={**os.environ, **places, "PYTHONPATH": path},
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.stdout.startswith("a compiled kernel cannot be kept: [Errno 27] File too large")
    assert "point TRITON_CACHE_DIR or TMPDIR at a folder" in done.stdout
    assert not list(tmp_path.glob("triton-shared-compiling-*"))


def test_where_nothing_can_be_written_the_error_says_so(
    fresh_cache: Path, monkeypatch: pytest.MonkeyPatch
):
    def refuse(path: Path, content: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr(cache_entry, "write_file", refuse)
    with (
        pytest.warns(CacheWarning),
        pytest.raises(CacheError, match="point TRITON_CACHE_DIR or TMPDIR at a folder"),
    ):
        launch()


# Texts that somebody has replaced.


def test_an_overridden_kernel_does_not_come_back(
    fresh_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    scale.device_caches.clear()
    x, out = torch.arange(20.0), torch.zeros(20)
    text = scale[(1,)](x, out, 20, 2.0, BLOCK=32).asm["ttir"]
    shutil.rmtree(fresh_cache)
    other = tmp_path / "other.ttir"
    other.write_text(text.replace("arith.mulf", "arith.addf"))
    config = triton.Config({"BLOCK": 32}, ir_override=str(other))
    for _ in range(2):
        tuned = triton.autotune([config], key=[])(scale)
        scale.device_caches.clear()
        tuned[(1,)](x, out, 20, 2.0)
        assert torch.equal(out, x + 2)
        other.write_text(text.replace("arith.mulf", "arith.addf"))
    other.write_text(text.replace("arith.mulf", "arith.subf"))
    tuned = triton.autotune([config], key=[])(scale)
    scale.device_caches.clear()
    tuned[(1,)](x, out, 20, 2.0)
    assert torch.equal(out, x - 2)


def test_the_user_s_own_manager_stays(monkeypatch: pytest.MonkeyPatch):
    from triton_shared.backend import cache

    monkeypatch.setattr(triton.knobs.cache, "manager_class", dict)
    cache.install(lambda backend: True)
    assert triton.knobs.cache.manager_class is dict


# Entries of Triton's own backends.


def compile_with(target: GPUTarget, *, hits: list[bool]) -> Any:
    """Compiles `scale` for a target; whether it came from the cache is added to `hits`."""
    signature = {"x_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32", "factor": "fp32"}
    source = triton.compiler.ASTSource(
        scale, {**signature, "BLOCK": "constexpr"}, constexprs={"BLOCK": 32}
    )
    triton.knobs.compilation.listener = lambda **event: hits.append(event["cache_hit"])
    try:
        return triton.compile(source, target=target)
    finally:
        triton.knobs.compilation.listener = None


def test_entries_of_triton_s_own_backends_stay_with_triton_s_manager(fresh_cache: Path):
    ours, theirs = GPUTarget("cpu", "cpu", 32), GPUTarget("cuda", 90, 32)
    hits: list[bool] = []
    with warnings.catch_warnings():
        warnings.simplefilter("error", CacheWarning)
        for target in (ours, theirs, ours, theirs):
            kernel = compile_with(target, hits=hits)
    assert hits == [False, False, True, True]
    folder = Path(next(iter(kernel.metadata_group.values()))).parent
    assert folder.parent == fresh_cache
    assert not (folder / "manifest.json").exists()
    assert FileCacheManager(folder.name).get_group("scale.json") == kernel.metadata_group


def test_an_entry_that_triton_wrote_alone_is_used_beside_ours(
    fresh_cache: Path, monkeypatch: pytest.MonkeyPatch
):
    ours, theirs = GPUTarget("cpu", "cpu", 32), GPUTarget("cuda", 90, 32)
    hits: list[bool] = []
    with monkeypatch.context() as alone:
        alone.setattr(triton.knobs.cache, "manager_class", FileCacheManager)
        compile_with(theirs, hits=hits)
    compile_with(ours, hits=hits)
    with warnings.catch_warnings():
        warnings.simplefilter("error", CacheWarning)
        compile_with(theirs, hits=hits)
    assert hits == [False, False, True]


def test_threads_that_compile_for_both_keep_them_apart(fresh_cache: Path):
    def use(target: GPUTarget) -> set[str]:
        kernel = compile_with(target, hits=[])
        return {Path(path).parent.name for path in kernel.metadata_group.values()}

    targets = [GPUTarget("cpu", "cpu", 32), GPUTarget("cuda", 90, 32)] * 4
    with ThreadPoolExecutor(4) as pool:
        ours, theirs, *_ = pool.map(use, targets)
    assert (fresh_cache / ours.pop() / "manifest.json").exists()
    assert not (fresh_cache / theirs.pop() / "manifest.json").exists()


def test_a_key_that_a_hook_has_changed_is_still_ours(
    fresh_cache: Path, monkeypatch: pytest.MonkeyPatch
):
    """A pipeline of the user's own is part of the key, in versions that know such pipelines."""

    def hook(*stages: Any) -> tuple[str, str]:
        return "-mine", "mine"

    monkeypatch.setattr(triton.knobs.runtime, "add_stages_inspection_hook", hook, raising=False)
    hits: list[bool] = []
    for _ in range(2):
        compile_with(GPUTarget("cpu", "cpu", 32), hits=hits)
    assert hits == [False, True]
    assert (entry(fresh_cache) / "manifest.json").exists()


def test_what_killed_processes_leave_is_swept(fresh_cache: Path):
    left, fresh, foreign = (
        fresh_cache / cache_entry.STAGING / name
        for name in (f"KEY.1.{'0' * 32}", f"KEY.2.{'0' * 32}", "somebody-else-s")
    )
    for folder in (left, fresh, foreign):
        folder.mkdir(parents=True)
    os.utime(left, (0, 0))
    os.utime(foreign, (0, 0))
    launch()
    assert fresh.exists()
    assert not left.exists()
    assert foreign.exists()


def test_nothing_beside_the_cache_is_touched(
    fresh_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Where files go that have no place in the cache, other people's files are."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    old = tmp_path / "old"
    old.mkdir()
    os.utime(old, (0, 0))
    monkeypatch.setenv("TRITON_CACHE_DIR", "/dev/null/cache")
    with pytest.warns(CacheWarning):
        launch()
    assert old.exists()


# Many processes.


def storm(root: Path, *words: str) -> dict[str, int]:
    """The counts of cache_storm.py."""
    path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "TRITON_CACHE_DIR": str(root), "PYTHONPATH": path}
    command = [sys.executable, cache_storm.__file__, *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=3000)
    assert done.returncode == 0, done.stdout + done.stderr
    counts: dict[str, int] = json.loads(done.stdout)
    print(counts)
    return counts


def test_processes_that_write_and_die_at_once_leave_whole_entries(tmp_path: Path):
    counts = storm(tmp_path / "cache", "--processes", "6", "--rounds", "2")
    assert counts["right"] + counts["killed"] == 12
    assert counts["whole"] == cache_storm.KERNELS


@pytest.mark.nightly
def test_many_processes_over_many_rounds(tmp_path: Path):
    counts = storm(tmp_path / "cache", "--processes", "32", "--rounds", "40")
    assert counts["right"] + counts["killed"] == 32 * 40
