"""What happens to findings between the rules and the report."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import pytest

from resume_audit.contract import Finding, Place, Step
from resume_audit.rules.base import StaticRule
from resume_audit.rules.finish import Finished, Options, finish, path_matches
from resume_audit.rules.run import run

if TYPE_CHECKING:
    from resume_audit.analyzer.program import Program


class Before(StaticRule):
    id = "RA101"
    name = "effect-before-wait"
    properties = ("EO",)
    level = "error"


class Loop(Before):
    id = "RA102"


class Replayed(Before):
    id = "RA103"


class Beside(Before):
    id = "RA104"


class Cleanup(Before):
    id = "RA105"


class Swallowed(StaticRule):
    id = "RA301"
    name = "wait-swallowed"
    level = "warning"


BEFORE, LOOP, REPLAYED, BESIDE, CLEANUP, SWALLOWED = (
    Before(),
    Loop(),
    Replayed(),
    Beside(),
    Cleanup(),
    Swallowed(),
)
RULES = (BEFORE, LOOP, REPLAYED, BESIDE, CLEANUP, SWALLOWED)
SOURCE = ["def f():", "    send(a)", "    interrupt()", "    send(a)", "    send(b)"]


def at(rule: StaticRule, line: int = 2, path: str = "app.py", symbol: str = "app.f") -> Finding:
    return rule.finding(Place(path, line, 5, line, 12), symbol, "message")


def finished(findings: Iterable[Finding], source: Sequence[str] = SOURCE, options: Options | None = None) -> Finished:
    return finish(
        findings,
        RULES,
        {},
        lambda path, line: source[line - 1] if line <= len(source) else "",
        options or Options(known=RULES),
    )


def ids(done: Finished) -> list[str]:
    return [finding.rule for finding in done.findings]


@pytest.mark.parametrize(
    "met, first, also",
    [
        ((BEFORE, LOOP), "RA102", ("RA101",)),
        ((LOOP, CLEANUP, BEFORE), "RA105", ("RA101", "RA102")),
        ((BESIDE, REPLAYED), "RA103", ("RA104",)),
        ((BESIDE, BEFORE), "RA101", ("RA104",)),
    ],
)
def test_one_finding_a_place_and_family(met: Sequence[StaticRule], first: str, also: tuple[str, ...]) -> None:
    (finding,) = finished(map(at, met)).findings
    assert (finding.rule, finding.also) == (first, also)


def test_another_family_another_place_or_another_unit_stays_apart() -> None:
    assert ids(finished([at(BEFORE), at(SWALLOWED)])) == ["RA101", "RA301"]
    assert ids(finished([at(BEFORE, 2), at(LOOP, 4)])) == ["RA101", "RA102"]
    assert ids(finished([at(BEFORE), at(LOOP, symbol="app.g")])) == ["RA101", "RA102"]


def test_the_worst_speaks_where_a_family_meets() -> None:
    guess = replace(at(CLEANUP), certainty="unknown")
    (finding,) = finished([guess, at(BEFORE)]).findings
    assert (finding.rule, finding.level, finding.also) == ("RA101", "error", ("RA105",))


def test_the_same_finding_twice_is_one_with_the_shorter_path() -> None:
    step = Step(Place("app.py", 3), "wait", "waits")
    long, short = replace(at(BEFORE), flow=(step, step)), replace(at(BEFORE), flow=(step,))
    assert [each.flow for each in finished([long, short]).findings] == [(step,)]


@pytest.mark.parametrize("level, lowered", [("error", "warning"), ("warning", "note"), ("note", "note")])
def test_a_guess_counts_one_level_less(level: str, lowered: str) -> None:
    finding = replace(at(BEFORE), level=level, certainty="unknown")  # type: ignore[arg-type]
    (done,) = finished([finding], options=Options(pedantic=True, known=RULES)).findings
    assert done.level == lowered


def test_likely_keeps_its_level() -> None:
    (done,) = finished([replace(at(BEFORE), certainty="likely")]).findings
    assert done.level == "error"


def test_notes_are_shown_to_pedants() -> None:
    note = replace(at(BEFORE), level="note")
    done = finished([note, at(SWALLOWED)])
    assert (ids(done), done.hidden_notes) == (["RA301"], 1)
    done = finished([note, at(SWALLOWED)], options=Options(pedantic=True, known=RULES))
    assert (ids(done), done.hidden_notes) == (["RA101", "RA301"], 0)


def test_only_named_paths_are_reported() -> None:
    options = Options(named=frozenset({"b.py"}), known=RULES)
    done = finished([at(BEFORE), at(BEFORE, path="b.py")], options=options)
    assert [each.place.path for each in done.findings] == ["b.py"]


def test_also_names_only_rules_that_ran() -> None:
    finding = replace(at(BEFORE), also=("RA104", "RA777", "RA101"))
    assert [each.also for each in finished([finding]).findings] == [("RA104",)]


def test_the_order_is_that_of_the_source_whatever_order_they_came_in() -> None:
    findings = [at(rule, line, path) for rule in RULES for line in (1, 2, 4) for path in ("b.py", "a.py")]
    expected = finished(findings)
    keys = [(each.place.path, each.place.line, each.rule) for each in expected.findings]
    assert keys == sorted(keys)
    for seed in range(5):
        random.Random(seed).shuffle(findings)
        assert finished(findings) == expected


def test_fingerprints_survive_lines_inserted_above() -> None:
    before = finished([at(BEFORE, line) for line in (2, 4, 5)])
    moved = ["import os", "", *SOURCE]
    after = finished([at(BEFORE, line + 2) for line in (2, 4, 5)], moved)
    prints = [each.fingerprint for each in before.findings]
    assert prints == [each.fingerprint for each in after.findings]
    assert len(set(prints)) == 3
    assert all(len(each) == 32 for each in prints)


def test_fingerprints_do_not_see_indentation_or_a_suppression() -> None:
    (plain,) = finished([at(BEFORE)]).findings
    (changed,) = finished([at(BEFORE)], ["", "  send(a)   # resume-audit: ignore[RA301] fine"]).findings
    assert plain.fingerprint == changed.fingerprint


@pytest.mark.parametrize("other", [at(LOOP), at(BEFORE, path="b.py"), at(BEFORE, symbol="app.g"), at(BEFORE, line=5)])
def test_fingerprints_tell_findings_apart(other: Finding) -> None:
    (one,), (two,) = finished([at(BEFORE)]).findings, finished([other]).findings
    assert one.fingerprint != two.fingerprint


def test_fingerprints_do_not_depend_on_what_is_shown() -> None:
    twins = [replace(at(BEFORE, 2), level="note"), at(BEFORE, 4)]
    shown = finished(twins).findings[-1]
    pedantic = finished(twins, options=Options(pedantic=True, known=RULES)).findings[-1]
    assert shown == pedantic


@pytest.mark.parametrize(
    "pattern, expected",
    [
        ("tests/*", True),
        ("tests", True),
        ("tests/", True),
        ("./tests/**", True),
        ("tests/**/*.py", True),
        ("**/unit/*", True),
        ("**/tests/**", True),
        ("test_a.py", True),
        ("test_*.py", True),
        ("*.py", True),
        ("tests/unit/test_a.py", True),
        ("unit/*", False),
        ("test", False),
        ("*.pyi", False),
        ("tests/*.txt", False),
        ("ests/*", False),
    ],
)
def test_globs_of_per_path_ignores(pattern: str, expected: bool) -> None:
    assert path_matches("tests/unit/test_a.py", pattern) is expected


def test_two_stars_stand_for_no_folder_too() -> None:
    assert path_matches("tests/a.py", "tests/**/a.py")
    assert path_matches("tests/a.py", "**/tests/a.py")
    assert not path_matches("tests/aa.py", "tests/**/a.py")


def test_per_path_ignores_take_selectors() -> None:
    options = Options(per_path_ignores=(("tests/*", ("RA1xx",)),), known=RULES)
    found = [at(BEFORE, path="tests/a.py"), at(SWALLOWED, path="tests/a.py"), at(BEFORE)]
    assert ids(finished(found, options=options)) == ["RA101", "RA301"]


def test_a_rule_that_raises_takes_nothing_else_with_it() -> None:
    class Breaks(Before):
        id = "RA103"

        def check(self, program: Program) -> Iterable[Finding]:
            yield at(self)
            raise KeyError("missing")

    class Works(Before):
        def check(self, program: Program) -> Iterable[Finding]:
            yield at(self)

    told: list[tuple[str, int, int]] = []
    findings, faults = run(cast("Program", None), [Breaks(), Works()], lambda *what: told.append(what))
    assert [each.rule for each in findings] == ["RA103", "RA101"]
    (fault,) = faults
    assert (fault.source, fault.line.partition(" (")[0]) == ("RA103", "RA103 failed: KeyError: 'missing'")
    assert "Traceback" in fault.detail
    assert told == [("rules", 0, 2), ("rules", 1, 2), ("rules", 2, 2)]
