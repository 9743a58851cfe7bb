"""The site of docs/: which page is where, and at night, that all of it is made."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from tree import ROOT

sys.path.insert(0, str(ROOT / "scripts"))

import docs_gallery
import docs_site


@pytest.mark.parametrize(
    ("page", "link", "target"),
    [
        ("check.md", "diff.md#reproducers", "diff.md"),
        ("check.md", "../lib/Driver/Compilation.cpp", "sources/lib/Driver/Compilation.cpp.txt"),
        ("check.md", "../README.md", "index.md"),
        ("check.md", "../CONTRIBUTING.md", "contributing.md"),
        ("index.md", "docs/check.md", "check.md"),
        ("index.md", "docs/generated/", "generated/conversion-passes.md"),
        ("generated/tt-dialect.md", "../check.md", "check.md"),
        ("embedding.md", "../test/embedding", "sources/test/embedding/index.md"),
    ],
)
def test_links_fit_the_site(page: str, link: str, target: str):
    assert docs_site.site_path(docs_site.repository_path(page, link)) == target


def test_names_of_files_become_titles():
    class Page:
        class file:
            src_uri = "check.md"

    shown = docs_site.on_page_markdown("```python add.py\nx\n```\n[a](../Makefile)", page=Page)
    assert shown == '```python title="add.py"\nx\n```\n[a](sources/Makefile.txt)'


def test_ten_reports_are_of_cases_that_there_are():
    from triton_shared.diff.recorder import label_of

    assert len(docs_gallery.ENTRIES) == 10
    assert len({entry.name for entry in docs_gallery.ENTRIES}) == 10
    for entry in docs_gallery.ENTRIES:
        cases = importlib.import_module(f"examples.{entry.module}").cases()
        assert entry.case in {label_of(case) for case in cases}
        assert f"(made/{entry.name}.html)" in docs_gallery.index()


def test_modules_of_the_reference_are_there_and_say_what_they_are():
    for name in docs_site.MODULES:
        assert importlib.import_module(name).__doc__, name


def test_nothing_of_the_theme_is_fetched_from_elsewhere():
    class Loader(yaml.SafeLoader):
        pass

    settings = yaml.load((ROOT / "mkdocs.yml").read_text(), Loader)
    assert settings["theme"]["font"] is False
    assert "extra_javascript" not in settings
    assert settings["validation"]["links"]["anchors"] == "warn"


@pytest.mark.nightly
def test_the_site_is_built_without_a_warning(tmp_path: Path):
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    for page in ("index", "explain", "gallery", "results", "generated/tt-dialect", "contributing"):
        text = (tmp_path / f"{page}.html").read_text()
        loaded = re.findall(
            r'<(?:script|img|link rel="stylesheet")[^>]*(?:src|href)="([^"]*)"', text
        )
        assert loaded
        assert not [one for one in loaded if one.startswith("http")], page
    for entry in docs_gallery.ENTRIES:
        assert (tmp_path / "made" / f"{entry.name}.html").stat().st_size > 50_000
    reference = (tmp_path / "api" / "triton_shared.html").read_text()
    assert "verified_autotune" in reference
    assert "DeviceAssertError" in reference
