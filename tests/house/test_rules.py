"""One rule, one file, one class, listed in the registry, with a page of its own."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import resume_audit
from resume_audit.contract import LEVELS, PROPERTIES
from resume_audit.rules.base import StaticRule
from resume_audit.rules.registry import STATIC

ROOT = Path(__file__).resolve().parents[2]
STATIC_FILES = sorted((ROOT / "rules" / "static").glob("ra[0-9]*.py"))
each_rule = pytest.mark.parametrize("rule", STATIC, ids=lambda rule: rule.id)


def classes_in(path: Path) -> list[type[StaticRule]]:
    module = importlib.import_module(f"resume_audit.rules.static.{path.stem}")
    return [
        item
        for item in vars(module).values()
        if isinstance(item, type) and issubclass(item, StaticRule) and item.__module__ == module.__name__
    ]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "resume_audit", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("path", STATIC_FILES, ids=lambda path: path.stem)
def test_one_class_a_file_and_it_is_listed(path: Path) -> None:
    (found,) = classes_in(path)
    assert [type(rule) for rule in STATIC].count(found) == 1


@each_rule
def test_the_file_is_named_after_the_rule(rule: StaticRule) -> None:
    stem = type(rule).__module__.rpartition(".")[2]
    assert stem == f"{rule.id}_{rule.name}".lower().replace("-", "_")


def test_ids_and_names_are_unique_and_in_order() -> None:
    ids = [rule.id for rule in STATIC]
    assert ids == sorted(set(ids))
    assert len({rule.name for rule in STATIC}) == len(STATIC)


@each_rule
def test_the_page_says_everything(rule: StaticRule) -> None:
    assert rule.level in LEVELS
    assert set(rule.properties) <= set(PROPERTIES)
    assert rule.summary
    assert "\n" not in rule.summary
    for text in (rule.what, rule.why, rule.fix, *rule.limits):
        assert text.strip()
    assert rule.limits
    for example in (rule.bad, rule.good):
        assert ast.parse(example).body
    assert rule.bad != rule.good


@each_rule
def test_explain_shows_the_page(rule: StaticRule) -> None:
    shown = run("explain", rule.id)
    assert (shown.returncode, shown.stderr) == (0, "")
    words = " ".join(shown.stdout.split())
    for text in (rule.id, rule.name, rule.what, rule.why, rule.fix, *rule.limits):
        assert " ".join(text.split()) in words


@each_rule
@pytest.mark.parametrize("example", ["bad", "good"])
def test_the_examples_are_true(rule: StaticRule, example: str, tmp_path: Path) -> None:
    """The bad example is reported, the good one is quiet."""
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "example.py").write_text(getattr(rule, example))
    report = resume_audit.check(tmp_path, pedantic=True, cache=False, jobs=1)
    assert (report.errors, report.faults) == ((), ())
    assert (rule.id in {finding.rule for finding in report.findings}) == (example == "bad")


def test_the_catalogue_lists_every_rule() -> None:
    shown = run("rules")
    assert shown.returncode == 0
    assert [rule.id for rule in STATIC if rule.id not in shown.stdout] == []
