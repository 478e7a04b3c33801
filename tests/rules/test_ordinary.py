"""Ordinary code is quiet: nothing is said about it by any rule, notes included."""

from __future__ import annotations

import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import resume_audit
from resume_audit.cli import api
from resume_audit.contract import Finding
from resume_audit.rules.registry import STATIC
from resume_audit.tests import expectations

ORDINARY = Path(resume_audit.__file__).parent / "fixtures" / "static" / "ordinary"
SCENARIOS = sorted(path.name for path in ORDINARY.iterdir() if path.is_dir())
FEWEST = 50
"""Places that a careless tool would report."""


@cache
def audited() -> tuple[Finding, ...]:
    planned = api.plan(api.Request(paths=(ORDINARY,), use_cache=False, jobs=1, pedantic=True))
    assert set(planned.rules) == set(STATIC)
    with api.audit(replace(planned, root=ORDINARY)) as done:
        assert (done.report.faults, done.report.errors) == ((), ())
        return done.report.findings


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_nothing_is_said(scenario: str) -> None:
    said = [each for each in audited() if each.place.path.startswith(f"{scenario}/")]
    assert [f"{each.place} {each.rule}: {each.message}" for each in said] == []


def test_there_is_enough_to_be_quiet_about() -> None:
    expected = expectations.read(ORDINARY)
    assert expected.hazards == ()
    assert len(expected.quiet) >= FEWEST
    marked = {each.path.partition("/")[0] for each in expected.quiet}
    assert marked == set(SCENARIOS)


@pytest.mark.parametrize(
    "path, old, new, rule",
    [
        ("chat_fastapi/desk.py", "    verdict = interrupt(", "    refund(1, 2)\n    verdict = interrupt(", "RA101"),
        ("resume_claimed/api.py", "nx=True, ", "", "RA202"),
        ("recorded_rows/graph.py", "if not committed(", "if committed(", "RA101"),
        ("recorded_tasks/essay.py", "@task\ndef publish", "def publish", "RA103"),
        ("repl_memory/agent.py", "from graph", "import streamlit\nfrom graph", "RA602"),
    ],
)
def test_a_hazard_among_it_is_found(tmp_path: Path, path: str, old: str, new: str, rule: str) -> None:
    """What is quiet was looked at: one change, and it is no longer ordinary."""
    folder = tmp_path / "project"
    shutil.copytree(ORDINARY / path.partition("/")[0], folder)
    file = folder / path.partition("/")[2]
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    found = resume_audit.check(folder, pedantic=True, cache=False, jobs=1).findings
    assert rule in {each.rule for each in found}
