"""What MkDocs adds to docs/: pages made of the sources, and links to them.

`mkdocs.yml` names this file as a hook. Added are the first page (README.md), CONTRIBUTING.md, a
page per public module, the gallery of reports, and a copy of each source that a page links to.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from posixpath import normpath, relpath
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

import docs_gallery  # noqa: E402 (it lies beside this file, which MkDocs loads by its name)

PAGES = {"index.md": "README.md", "contributing.md": "CONTRIBUTING.md"}
"""Pages of the site that lie elsewhere."""
MODULES = {
    "triton_shared": "what a kernel's author needs first",
    "triton_shared.explain": "what the compiler did to a kernel, and why",
    "triton_shared.explain.report": "a report: page, JSON, cell of a notebook",
    "triton_shared.check": "kernels with checks",
    "triton_shared.check.session": "a block with checks",
    "triton_shared.diff": "targets compared",
    "triton_shared.blame": "who has made a result wrong",
    "triton_shared.verification": "a kernel against a function of torch, in a line of pytest",
    "triton_shared.verified": "an autotuner that picks no wrong configuration",
    "triton_shared.repro": "one launch in one file",
    "triton_shared.campaign": "many cases",
    "triton_shared.plots": "figures of benchmarks and campaigns",
    "triton_shared.graph": "fused kernels searched for a graph of tensors",
    "triton_shared.emulate": "code for a GPU, run without one",
    "triton_shared.frontend": "from a kernel to TTIR",
    "triton_shared.stages": "the phases as functions",
    "triton_shared.ext": "our passes in another backend's stages",
    "triton_shared.compile": "kernels for C and C++",
    "triton_shared.link": "variants of a kernel behind one function",
    "triton_shared.bisect": "the first pass after which a result changes",
    "triton_shared.measure": "contenders timed side by side",
    "triton_shared.options": "the options of a launch line",
    "triton_shared.knobs": "the environment",
    "triton_shared.errors": "what can go wrong",
}
_LINK = re.compile(r'(?<=\]\()(?![a-z]+:|#)([^)\s"]+)((?:\s+"(?:[^"\\]|\\.)*")?\))')
_FENCE = re.compile(r"^```(\w+) (\S+)$", re.MULTILINE)
_CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.MULTILINE | re.DOTALL)


def on_files(files: Files, *, config: Any) -> Files:
    """Adds the pages that are not in docs/."""

    def add(name: str, content: str | bytes) -> None:
        if files.get_file_from_path(name) is None:
            files.append(File.generated(config, name, content=content))

    for name, source in PAGES.items():
        add(name, (ROOT / source).read_text())
    add("gallery.md", docs_gallery.index())
    with tempfile.TemporaryDirectory() as folder:
        # In a process of its own: it launches kernels.
        command = [sys.executable, str(ROOT / "scripts" / "docs_gallery.py"), folder]
        subprocess.run(command, check=True)
        for made in sorted(Path(folder).iterdir()):
            add(f"made/{made.name}", made.read_bytes())
    add("results.md", docs_gallery.results())
    add("api/index.md", _api_index())
    for module in MODULES:
        add(f"api/{module}.md", f"# `{module}`\n\n::: {module}\n")
    for page in [file for file in files if file.src_uri.endswith(".md")]:
        for found in _LINK.finditer(_CODE.sub("", page.content_string)):
            target = repository_path(page.src_uri, found[1])
            for path, content in _sources(target):
                add(path, content)
    return files


def _sources(target: str) -> Iterator[tuple[str, str | bytes]]:
    """What a link to a file or a folder of the repository needs on the site."""
    path = ROOT / target
    if not site_path(target).startswith("sources/") or not path.exists():
        return
    if path.is_file():
        yield site_path(target), path.read_bytes()
        return
    listed = ["git", "ls-files", "--", target]
    done = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True)
    inside = done.stdout.splitlines()
    yield from ((site_path(one), (ROOT / one).read_bytes()) for one in inside)
    start = str(Path(site_path(target)).parent)
    rows = "\n".join(f"- [{one}]({relpath(site_path(one), start=start)})" for one in inside)
    yield site_path(target), f"# {target}\n\n{rows}\n"


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Makes links fit the site, and names of files titles of their blocks."""
    here = page.file.src_uri

    def replaced(found: re.Match[str]) -> str:
        path, _, anchor = found[1].partition("#")
        if not path:
            return found[0]
        target = site_path(repository_path(here, path))
        link = relpath(target, start=str(Path(here).parent))
        return f"{link}{'#' if anchor else ''}{anchor}{found[2]}"

    markdown = _LINK.sub(replaced, markdown) if _is_written(here) else markdown
    return _FENCE.sub(r'```\1 title="\2"', markdown)


def repository_path(page: str, link: str) -> str:
    """The path in the repository that a link of a page of the site leads to."""
    source = PAGES.get(page, f"docs/{page}")
    return normpath(str(Path(source).parent / link.partition("#")[0]))


def site_path(path: str) -> str:
    """Where a file of the repository is on the site."""
    for page, source in PAGES.items():
        if path == source:
            return page
    if path == "docs/generated":
        return "generated/conversion-passes.md"
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return f"sources/{path}/index.md" if (ROOT / path).is_dir() else f"sources/{path}.txt"


def _is_written(page: str) -> bool:
    """Whether a person wrote the page; links of the others are those of the site."""
    return not page.startswith(("api/", "sources/"))


def _api_index() -> str:
    rows = "\n".join(f"| [`{name}`]({name}.md) | {what} |" for name, what in MODULES.items())
    return f"# Python, module by module\n\n| module | what it is about |\n|---|---|\n{rows}\n"
