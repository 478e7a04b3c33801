"""Ordinary code is quiet: nothing is said about it by any rule, notes included."""

from __future__ import annotations

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
