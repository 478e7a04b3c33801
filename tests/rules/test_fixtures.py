"""Every comment in the fixtures holds, and every rule is held by fixtures of its own."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import resume_audit
from resume_audit.cli import api
from resume_audit.contract import Finding
from resume_audit.rules.base import StaticRule
from resume_audit.rules.registry import STATIC, family, is_own
from resume_audit.tests import expectations
from resume_audit.tests.expectations import Expectations

FIXTURES = Path(resume_audit.__file__).parent / "fixtures"
FOLDERS = [*sorted(f"static/{path.name}" for path in (FIXTURES / "static").glob("RA*")), "example_agent"]
NOTES = {rule.id for rule in STATIC if rule.level == "note"}
"""Rules that speak with --pedantic only."""
FEWEST = 6
"""Hazards, and quiet twins, that a rule must have."""


@cache
def expected(folder: str) -> Expectations:
    return expectations.read(FIXTURES / folder)


@cache
def findings(folder: str, ignore: tuple[str, ...] = ()) -> tuple[Finding, ...]:
    """What the audit finds in a folder that is a project of its own; audited once."""
    path = FIXTURES / folder
    request = api.Request(paths=(path,), ignore=ignore, use_cache=False, jobs=1, pedantic=path.name in NOTES)
    planned = api.plan(request)
    with api.audit(replace(planned, root=path)) as done:
        assert (done.report.faults, done.report.errors) == ((), ())
        return done.report.findings


def shown(found: Sequence[Finding], path: str) -> list[str]:
    return [f"{each.rule}@{each.place.line}" for each in found if each.place.path == path]


def annotated() -> list[tuple[str, str]]:
    every = ((folder, expected(folder)) for folder in FOLDERS)
    return [
        (folder, path)
        for folder, expects in every
        for path in sorted({h.path for h in expects.hazards} | {q.path for q in expects.quiet})
    ]


@pytest.mark.parametrize("folder, path", annotated(), ids=str)
def test_the_comments_hold(folder: str, path: str) -> None:
    found = findings(folder)
    expects = expected(folder).of(path)
    missed = [f"{folder}/{path}:{each.line}: {each.wanted} not found" for each in expects.unmet(found)]
    flagged = [
        f"{folder}/{path}:{each.place.line}: {each.rule} on a quiet line: {each.message}"
        for each in expects.broken(found)
    ]
    assert missed + flagged == [], f"findings in the file: {shown(found, path)}"


def test_the_comments_hold_in_one_project() -> None:
    """Neighbours change nothing: all folders audited as the one project they are in the checkout."""
    found = resume_audit.check(FIXTURES / "static", cache=False, jobs=1).findings
    prefix = FIXTURES.relative_to(Path(resume_audit.__file__).parent).as_posix() + "/static/"
    here = [
        replace(
            each,
            place=replace(each.place, path=each.place.path.removeprefix(prefix)),
            flow=tuple(
                replace(step, place=replace(step.place, path=step.place.path.removeprefix(prefix)))
                for step in each.flow
            ),
        )
        for each in found
    ]
    expects = expected("static")
    assert [each for each in expects.unmet(here) if each.wanted not in NOTES] == []
    assert [f"{each.place.path}:{each.place.line} {each.rule}" for each in expects.broken(here)] == []


HELD = pytest.mark.parametrize("rule", [rule for rule in STATIC if not is_own(rule.id)], ids=lambda rule: rule.id)


@HELD
def test_hazards_and_quiet_twins(rule: StaticRule) -> None:
    """Each rule has enough of both, and enough of its hazards cross a function or a file."""
    folder = f"static/{rule.id}"
    expects = expected(folder)
    hazards = [each for each in expects.hazards if each.wanted == rule.id]
    assert len(hazards) >= FEWEST
    assert len(expects.quiet) >= FEWEST
    crossing = [
        hazard
        for hazard in hazards
        if any(hazard.met_by(each) and len(scopes(folder, each)) > 1 for each in findings(folder))
    ]
    assert len(crossing) >= FEWEST


def scopes(folder: str, finding: Finding) -> set[tuple[str, int]]:
    """The functions that a finding and its flow stand in, each by path and first line (0: the module)."""
    places = (finding.place, *(step.place for step in finding.flow))
    return {(place.path, enclosing(FIXTURES / folder / place.path, place.line)) for place in places}


@cache
def functions(path: Path) -> tuple[tuple[int, int], ...]:
    tree = ast.parse(path.read_bytes())
    return tuple(
        (node.lineno, node.end_lineno or node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


def enclosing(path: Path, line: int) -> int:
    return max((first for first, last in functions(path) if first <= line <= last), default=0)


@HELD
def test_without_the_rule_its_fixtures_fail(rule: StaticRule) -> None:
    expects = expected(f"static/{rule.id}")
    lost = expects.unmet(findings(f"static/{rule.id}", ignore=(rule.id,)))
    named = [each for each in expects.hazards if each.wanted == rule.id]
    assert len(named) >= FEWEST
    assert set(named) <= set(lost)


@pytest.mark.parametrize("rule", [rule for rule in STATIC if is_own(rule.id)], ids=lambda rule: rule.id)
def test_without_an_own_rule_its_example_is_quiet(rule: StaticRule, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "example.py").write_text(rule.bad, encoding="utf-8")
    with_it = resume_audit.check(tmp_path, cache=False, jobs=1).findings
    without = resume_audit.check(tmp_path, ignore=[rule.id], cache=False, jobs=1).findings
    assert [each for each in with_it if each.rule != rule.id] == list(without)
    assert len(without) < len(with_it)


@pytest.mark.parametrize("name", sorted({family(rule.id) for rule in STATIC if not is_own(rule.id)}))
def test_the_example_agent_shows_the_family(name: str) -> None:
    assert name in {family(each.rule) for each in findings("example_agent")}


def test_the_example_agent_shows_nothing_else() -> None:
    """What `make audit` prints is what is planted, and no more."""
    hazards = expected("example_agent").hazards
    stray = [
        f"{each.place.path}:{each.place.line} {each.rule}"
        for each in findings("example_agent")
        if not any(hazard.met_by(each) for hazard in hazards)
    ]
    assert stray == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_flows_lead_somewhere(folder: str) -> None:
    """Every step of a flow stands in a file of the project, on a line that it has."""
    root = FIXTURES / folder
    lines = {
        path.relative_to(root).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for path in expectations.files_of(root)
    }
    for each in findings(folder):
        assert each.flow, f"{each.place} {each.rule} has no flow"
        for place in (each.place, *(step.place for step in each.flow)):
            assert 1 <= place.line <= lines[place.path], place
