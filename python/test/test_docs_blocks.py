"""Code blocks of pages: what is shown runs, or it is written down here why it cannot."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import tomllib
from tree import ROOT

PAGES = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
_BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

NOT_RUN = {
    "campaigns.md": {"": "calls with files of the reader's; test_campaign runs each kind"},
    "check.md": {
        "": "calls with files of the reader's, and what they print; test_check compares reports",
        "python": "a kernel of the reader's; test_check has the same block",
    },
    "debugging.md": {
        "": "what crashes and errors look like, with numbers that change; test_crashes has them",
        "python": "the kernel of the remarks below it; test_explain has its like",
    },
    "diff.md": {
        "": "what a wrong kernel of the reader's looks like; test_diff_locate compares such",
        "toml": "a kernel of the reader's; test_tolerances has entries",
    },
    "graph.md": {"": "campaigns of hours, and one on a GPU; test_graph_fuzz has short ones"},
    "embedding.md": {
        "cpp": "two calls of a program; test/embedding has it whole, and is built",
        "sh": "test/embedding installs so",
        "cmake": "lines of projects; test/embedding has them whole, and is built",
        "tablegen": "a part; test/embedding/own-op has it whole, and is built",
        "python": "a backend of the reader's; test_ext has one",
    },
    "gpu.md": {
        "": "what needs a GPU, and a form; test_cuda_launch and test_tensor_maps have them",
        "python": "what needs a GPU, or tensors of the reader's; test_cuda_plugin has them",
    },
    "language-server.md": {
        "json": "settings of an editor",
        "lua": "settings of an editor",
        "elisp": "settings of an editor",
    },
    "triage.md": {"sh": "a pass of the reader's; test_bisect runs the script"},
    "wheel.md": {"": "what a build prints; scripts/check wheel runs it"},
    "README.md": {
        "": "a picture",
        "sh": "set-up, and calls with a file of the reader's",
        "mlir": "a text of another project, and what it makes of it",
    },
    "CONTRIBUTING.md": {"": "hours of tests"},
}
"""Of blocks without the name of a file that are no console, by page and language."""

RUN_ELSEWHERE = {"embedding.md": "scripts/check embedding", "wheel.md": "scripts/check wheel"}
"""Pages with consoles that test_pages does not replay."""


def blocks(page: Path) -> list[tuple[str, str, str]]:
    """Language, name of the file and content of each."""
    found = ((info.partition(" "), content) for info, content in _BLOCK.findall(page.read_text()))
    return [(info[0], info[2], content) for info, content in found]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_shows_is_run_or_has_a_reason(page: Path):
    replayed = (ROOT / "python/test/test_pages.py").read_text()
    found = blocks(page)
    if any(language == "console" or name for language, name, _ in found):
        assert f'replay("{page.name}"' in replayed or page.name in RUN_ELSEWHERE
    left = {language for language, name, _ in found if not name and language != "console"}
    if page.name == "README.md":
        left -= {"python"}  # Below.
    assert left == NOT_RUN.get(page.name, {}).keys()


def test_all_consoles_of_a_page_are_replayed():
    """The numbers in test_pages are those of the commands: none is passed over."""
    text = (ROOT / "python/test/test_pages.py").read_text()
    for page, count in re.findall(r'replay\("([\w.-]+)", tmp_path\) == (\d+)', text):
        shown = [
            content
            for language, _, content in blocks(ROOT / "docs" / page)
            if language == "console"
        ]
        commands = sum(len(re.findall(r"^\$ ", content, re.MULTILINE)) for content in shown)
        assert commands == int(count), page


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_blocks_are_what_their_language_is(page: Path):
    for language, name, content in blocks(page):
        if language == "python":
            ast.parse(content)
        elif language == "json" and "// -----" not in content:
            json.loads(content)
        elif language == "toml":
            tomllib.loads(content)
        elif language == "sh" and name:
            subprocess.run(["bash", "-n"], input=content, text=True, check=True)


def test_the_first_program_of_the_readme_prints_what_it_says(tmp_path: Path):
    (program,) = [c for language, _, c in blocks(ROOT / "README.md") if language == "python"]
    (tmp_path / "first.py").write_text(program)
    done = subprocess.run(
        [sys.executable, "first.py"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("tensor(0.)\n")
    assert "linalg.generic" in done.stdout
