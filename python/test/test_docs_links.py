"""Links between pages: each leads to a file that is there, and to a heading that it has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from tree import ROOT

PAGES = [
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "generated").glob("*.md")),
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
]


def links(page: Path) -> list[str]:
    """Where the links and pictures of a page lead, without addresses of others."""
    tokens = MarkdownIt("commonmark").enable("table").parse(page.read_text())
    inline = [child for token in tokens for child in token.children or ()]
    found = [str(one.attrGet("href") or one.attrGet("src") or "") for one in inline]
    return [link for link in found if link and not re.match(r"[a-z]+:", link)]


def anchors(page: Path) -> set[str]:
    """The names of a page's headings, as MkDocs and code hosts make them."""
    tokens = MarkdownIt("commonmark").enable("table").parse(page.read_text())
    heads = [tokens[at + 1].content for at, one in enumerate(tokens) if one.type == "heading_open"]
    return {
        re.sub(
            r"[\s-]+",
            "-",
            re.sub(r"[^\w\s-]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", head)).strip().lower(),
        )
        for head in heads
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path):
    wrong = []
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            wrong.append(f"{link}: no such file")
        elif anchor and target.suffix == ".md" and anchor not in anchors(target):
            wrong.append(f"{link}: no such heading")
    assert not wrong


def test_every_page_is_in_the_site_s_navigation():
    text = (ROOT / "mkdocs.yml").read_text()
    named = set(re.findall(r"[\w./-]+\.md", text.split("nav:", 2)[-1]))
    pages = {
        str(page.relative_to(ROOT / "docs")) for page in PAGES if ROOT / "docs" in page.parents
    }
    assert pages <= named
    assert named - pages == {
        "index.md",
        "contributing.md",
        "gallery.md",
        "results.md",
        "api/index.md",
    }
