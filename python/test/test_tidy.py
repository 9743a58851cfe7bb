"""Which files scripts/tidy looks at: never fewer here than in CI, and headers, too."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
INCLUDES = {
    "lib/one.cpp": {"include/shared.h", "include/one.h"},
    "lib/two.cpp": {"include/shared.h"},
    "lib/other.cpp": set(),
}


class Tree:
    """A small repository, and what the script would run clang-tidy on."""

    def __init__(self, script: ModuleType, root: Path) -> None:
        self.script, self.root = script, root
        self.seen: list[str] = []
        self.wrong: set[str] = set()
        (root / "build").mkdir()
        (root / ".gitignore").write_text("build/\n")
        (root / ".clang-tidy").write_text("Checks: '*'\n")
        for name in sorted({*INCLUDES, *(h for headers in INCLUDES.values() for h in headers)}):
            self.write(name, "// as it began\n")
        self.git("init", "-q", "-b", "main")
        self.commit()

    def git(self, *words: str) -> None:
        author = ("-c", "user.name=x", "-c", "user.email=x@y.z")
        subprocess.run(["git", *author, *words], cwd=self.root, check=True)

    def commit(self) -> None:
        self.git("add", "--all")
        self.git("commit", "-q", "-m", "something")

    def write(self, name: str, text: str) -> None:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def check(self, units: Iterable[str]) -> set[str]:
        self.seen = sorted(units)
        return set(self.seen) - self.wrong

    def tidy(self, *words: str) -> list[str]:
        """Runs the script; gives the files that clang-tidy is run on."""
        self.seen = []
        self.code = self.script.main(list(words))
        return self.seen


@pytest.fixture
def script() -> ModuleType:
    loader = SourceFileLoader("tidy", str(ROOT / "scripts/tidy"))
    spec = spec_from_loader("tidy", loader)
    assert spec
    loaded = module_from_spec(spec)
    loader.exec_module(loaded)
    return loaded


@pytest.fixture
def tree(script: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tree:
    made = Tree(script, tmp_path)
    monkeypatch.setattr(script, "ROOT", tmp_path)
    monkeypatch.setattr(script, "RECORD", tmp_path / "build" / "tidy.json")
    monkeypatch.setattr(script, "included", lambda: INCLUDES)
    monkeypatch.setattr(script, "check", made.check)
    return made


NINJA = """#!/bin/sh
printf '%s\\n' "one.o: #deps 2 (VALID)" "    {root}/lib/one.cpp" "    {root}/include/one.h" ""
"""
CACHE = """CMAKE_GENERATOR:INTERNAL=Ninja
CMAKE_MAKE_PROGRAM:FILEPATH={ninja}
CMAKE_HOME_DIRECTORY:INTERNAL={root}
CMAKE_PROJECT_NAME:STATIC=tree
"""


def test_a_build_is_asked_by_its_own_ninja(
    script: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one in the path is that of an activated environment."""
    build, own, other = tmp_path / "build", tmp_path / "own-ninja", tmp_path / "path" / "ninja"
    for folder in (build, other.parent):
        folder.mkdir()
    own.write_text(NINJA.format(root=tmp_path))
    other.write_text("#!/bin/sh\nexit 3\n")
    for program in (own, other):
        program.chmod(0o755)
    (build / "CMakeCache.txt").write_text(CACHE.format(ninja=own, root=tmp_path))
    monkeypatch.setenv("PATH", f"{other.parent}:{os.environ['PATH']}")
    monkeypatch.setattr(script, "ROOT", tmp_path)
    monkeypatch.setattr(script, "BUILD", build)
    assert script.included() == {"lib/one.cpp": {"include/one.h"}}


def test_a_fresh_clone_looks_at_what_the_last_commit_changed(tree: Tree) -> None:
    tree.write("lib/two.cpp", "// changed\n")
    tree.commit()
    assert tree.tidy() == ["lib/two.cpp"]


def test_all_commits_since_the_set_up_count(tree: Tree) -> None:
    tree.tidy("--begin")
    for name in ("lib/one.cpp", "lib/two.cpp"):
        tree.write(name, "// changed\n")
        tree.commit()
    tree.write("lib/other.cpp", "// not committed\n")
    assert tree.tidy() == ["lib/one.cpp", "lib/other.cpp", "lib/two.cpp"]


def test_a_second_set_up_forgets_nothing(tree: Tree) -> None:
    tree.tidy("--begin")
    tree.write("lib/two.cpp", "// changed\n")
    tree.commit()
    tree.write("lib/other.cpp", "// changed\n")
    tree.commit()
    tree.tidy("--begin")
    assert tree.tidy() == ["lib/other.cpp", "lib/two.cpp"]


def test_a_branch_counts_from_where_it_left(tree: Tree) -> None:
    tree.git("update-ref", "refs/remotes/origin/main", "HEAD")
    for name in ("lib/one.cpp", "lib/two.cpp"):
        tree.write(name, "// changed\n")
        tree.commit()
    assert tree.tidy() == ["lib/one.cpp", "lib/two.cpp"]


def test_a_header_is_looked_at_through_one_file_that_includes_it(tree: Tree) -> None:
    tree.tidy("--begin")
    tree.write("include/shared.h", "// changed\n")
    assert tree.tidy() == ["lib/one.cpp"]
    tree.write("include/shared.h", "// again\n")
    tree.write("lib/two.cpp", "// changed, and includes it anyway\n")
    assert tree.tidy() == ["lib/two.cpp"]


def test_a_header_that_nothing_includes_is_named(
    tree: Tree, capsys: pytest.CaptureFixture[str]
) -> None:
    tree.tidy("--begin")
    tree.write("include/alone.h", "// new\n")
    assert tree.tidy() == []
    assert "no .cpp that was built includes include/alone.h" in capsys.readouterr().out
    tree.tidy()
    assert "include/alone.h" in capsys.readouterr().out


def test_what_is_clean_is_not_looked_at_again(tree: Tree) -> None:
    tree.tidy("--begin")
    tree.write("lib/one.cpp", "// changed\n")
    assert tree.tidy() == ["lib/one.cpp"]
    assert tree.tidy() == []
    tree.commit()
    assert tree.tidy() == []


def test_what_is_wrong_stays_wrong(tree: Tree) -> None:
    tree.tidy("--begin")
    tree.write("include/one.h", "// changed\n")
    tree.write("lib/two.cpp", "// changed\n")
    tree.wrong = {"lib/one.cpp"}
    assert tree.tidy() == ["lib/one.cpp", "lib/two.cpp"]
    assert tree.code == 1
    assert tree.tidy() == ["lib/one.cpp"]
    tree.wrong = set()
    tree.tidy()
    assert tree.code == 0
    assert tree.tidy() == []


def test_other_rules_make_all_files_count(tree: Tree) -> None:
    tree.tidy("--begin")
    tree.write(".clang-tidy", "Checks: '-*'\n")
    assert tree.tidy() == sorted(INCLUDES)


def test_all_is_all(tree: Tree) -> None:
    tree.tidy("--begin")
    assert tree.tidy("--all") == sorted(INCLUDES)


def test_an_unknown_option_is_an_error(tree: Tree) -> None:
    with pytest.raises(SystemExit, match="'--everything' is none of its options"):
        tree.tidy("--everything")
