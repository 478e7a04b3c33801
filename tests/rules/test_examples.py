"""The examples on the rules' pages: the bad one is reported, the good one is quiet."""

from __future__ import annotations

from pathlib import Path

import pytest

from resume_audit import check
from resume_audit.rules.base import StaticRule
from resume_audit.rules.registry import STATIC


def found(folder: Path, source: str) -> list[str]:
    (folder / "app.py").write_text(source)
    report = check(folder, pedantic=True, cache=False, jobs=1)
    assert (report.faults, report.errors) == ((), ())
    return [finding.rule for finding in report.findings]


@pytest.mark.parametrize("rule", STATIC, ids=lambda rule: rule.id)
def test_the_bad_example_is_reported(rule: StaticRule, tmp_path: Path) -> None:
    assert rule.id in found(tmp_path, rule.bad)


@pytest.mark.parametrize("rule", STATIC, ids=lambda rule: rule.id)
def test_the_good_example_is_quiet(rule: StaticRule, tmp_path: Path) -> None:
    assert found(tmp_path, rule.good) == []
