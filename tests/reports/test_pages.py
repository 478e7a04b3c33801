"""Rule pages."""

from __future__ import annotations

from pathlib import Path

import pytest

import resume_audit
from resume_audit.contract import PROPERTIES
from resume_audit.reports.pages import pages, property_page, rule_page, write
from resume_audit.rules.base import StaticRule
from resume_audit.rules.registry import STATIC

DOCS = Path(resume_audit.__file__).parent / "docs" / "rules"
HEADS = [
    "What it does",
    "Why is this bad",
    "Example",
    "Use instead",
    "How to fix",
    "Limits",
    "Level and precision",
    "Properties",
]


@pytest.mark.parametrize("rule", STATIC, ids=lambda rule: rule.id)
def test_every_page_has_the_same_heads(rule: StaticRule) -> None:
    page = rule_page(rule)
    assert [line.removeprefix("## ") for line in page.splitlines() if line.startswith("## ")] == HEADS
    assert page.endswith("\n")


def test_every_property_has_a_page() -> None:
    for name, sentence in PROPERTIES.items():
        assert sentence in property_page(name)


def test_the_folder_of_pages_is_made_whole(tmp_path: Path) -> None:
    (tmp_path / "RA999.md").write_text("gone")
    (tmp_path / "notes.md").write_text("kept")
    write(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"notes.md", *pages()}


@pytest.mark.skipif(not DOCS.is_dir(), reason="the pages are not in this checkout")
def test_the_pages_in_docs_are_up_to_date() -> None:
    found = {path.name: path.read_text(encoding="utf-8") for path in sorted(DOCS.glob("*.md"))}
    assert found == pages(), "run: python -m resume_audit.reports.pages docs/rules"
