"""Which findings a comment suppresses, and when it is said to be of no use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from resume_audit.contract import Finding, Place
from resume_audit.rules.base import StaticRule
from resume_audit.rules.finish import Finished, Options, finish
from resume_audit.rules.static.ra001_suppression_without_reason import SuppressionWithoutReason
from resume_audit.rules.static.ra002_unused_suppression import UnusedSuppression


class Before(StaticRule):
    id = "RA101"
    name = "effect-before-wait"
    properties = ("EO",)
    level = "error"


class Loop(StaticRule):
    id = "RA102"
    name = "effect-in-wait-loop"
    properties = ("EO",)
    level = "error"


class Swallowed(StaticRule):
    id = "RA301"
    name = "wait-swallowed"
    properties = ("LV",)


BEFORE, LOOP, SWALLOWED = Before(), Loop(), Swallowed()
KNOWN = (SuppressionWithoutReason(), UnusedSuppression(), BEFORE, LOOP, SWALLOWED)


@dataclass(frozen=True)
class Said:
    line: int
    rules: Sequence[str]
    reason: str = "the mailer drops repeats"
    first: int = 0
    last: int = 0


def finished(
    findings: Sequence[Finding],
    *comments: Said,
    ran: Sequence[StaticRule] = KNOWN,
    include_suppressed: bool = False,
    line: str = "    send()",
) -> Finished:
    options = Options(known=KNOWN, include_suppressed=include_suppressed, pedantic=False)
    return finish(findings, ran, {"app.py": comments}, lambda path, number: line, options)


def at(rule: StaticRule, line: int = 5, also: tuple[str, ...] = (), end: int = 0) -> Finding:
    return rule.finding(Place("app.py", line, 5, end or line, 11), "app.f", "message", also=also)


def ids(done: Finished) -> list[str]:
    return [finding.rule for finding in done.findings]


def with_also(done: Finished) -> list[tuple[str, tuple[str, ...]]]:
    return [(finding.rule, finding.also) for finding in done.findings]


@pytest.mark.parametrize("selector", ["RA101", "ra101", "RA1xx", "RA1", "EO", "effect-before-wait", "ALL"])
def test_a_comment_suppresses_what_it_names_on_its_line(selector: str) -> None:
    done = finished([at(BEFORE)], Said(5, [selector]), ran=(BEFORE,))
    assert ids(done) == []
    assert done.hidden_suppressed == 1


def test_a_comment_without_brackets_suppresses_every_rule() -> None:
    assert ids(finished([at(BEFORE), at(SWALLOWED)], Said(5, []))) == []


def test_another_rule_or_another_line_is_not_suppressed() -> None:
    assert ids(finished([at(BEFORE)], Said(5, ["RA301"]), ran=(BEFORE,))) == ["RA101"]
    assert ids(finished([at(BEFORE, 6)], Said(5, ["RA101"]), ran=(BEFORE,))) == ["RA101"]


def test_a_comment_on_the_def_line_covers_the_function() -> None:
    comment = Said(3, ["RA101"], first=3, last=9)
    assert ids(finished([at(BEFORE, 3), at(BEFORE, 9), at(BEFORE, 10)], comment)) == ["RA101"]


def test_a_comment_on_the_last_line_of_a_call_is_on_its_line() -> None:
    assert ids(finished([at(BEFORE, 5, end=8)], Said(8, ["RA101"]))) == []
    assert ids(finished([at(BEFORE, 5, end=8)], Said(7, ["RA101"]), ran=(BEFORE,))) == ["RA101"]


def test_suppressed_findings_are_shown_on_request_and_marked() -> None:
    done = finished([at(BEFORE)], Said(5, ["RA101"]), include_suppressed=True)
    assert [(each.rule, each.suppressed) for each in done.findings] == [("RA101", True)]
    assert done.hidden_suppressed == 0


def test_what_else_applies_at_the_place_is_reported_once_the_first_rule_is_suppressed() -> None:
    found = [at(BEFORE), at(LOOP)]
    assert with_also(finished(found)) == [("RA102", ("RA101",))]
    assert with_also(finished(found, Said(5, ["RA102"]))) == [("RA101", ())]
    assert with_also(finished(found, Said(5, ["RA101"]))) == [("RA102", ())]
    assert ids(finished(found, Said(5, ["RA101", "RA102"]))) == []


def test_a_rule_in_also_is_suppressed_alone() -> None:
    done = finished([at(BEFORE, also=("RA102",))], Said(5, ["RA102"]))
    assert with_also(done) == [("RA101", ())]


@pytest.mark.parametrize("reason", ["", "  ", "-", ": ", "# type: ignore[arg-type]"])
def test_a_comment_without_a_reason_is_noted(reason: str) -> None:
    line = "    send()  # resume-audit: ignore[RA101]"
    (finding,) = finished([at(BEFORE)], Said(5, ["RA101"], reason), line=line).findings
    assert (finding.rule, finding.level) == ("RA001", "note")
    assert finding.place == Place("app.py", 5, 13, 5, len(line) + 1)
    assert "# resume-audit: ignore[RA101] reason" in finding.message


def test_a_broad_comment_does_not_silence_what_is_said_of_it() -> None:
    assert ids(finished([at(BEFORE)], Said(5, [], ""))) == ["RA001"]
    assert ids(finished([], Said(5, [], ""))) == ["RA001", "RA002"]
    assert ids(finished([], Said(5, ["RA101", "RA001", "RA002"], ""))) == []


def test_an_unused_comment_is_noted() -> None:
    (finding,) = finished([], Said(5, ["RA101"])).findings
    assert (finding.rule, finding.level) == ("RA002", "note")
    assert "no finding of RA101" in finding.message
    assert finding.message.endswith("Remove the comment.")


def test_an_unused_selector_is_noted_alone() -> None:
    (finding,) = finished([at(BEFORE)], Said(5, ["RA101", "RA301"])).findings
    assert finding.rule == "RA002"
    assert finding.message.endswith("Remove RA301.")


def test_a_selector_that_names_no_rule_is_noted() -> None:
    (finding,) = finished([], Said(5, ["RA777"])).findings
    assert "no rule called RA777" in finding.message


def test_a_rule_over_traces_is_not_this_audits_business() -> None:
    assert ids(finished([], Said(5, ["RT-EO"]))) == []


@pytest.mark.parametrize("selectors", [["RA101"], ["RA1xx"], ["EO"], []])
def test_a_comment_is_not_unused_where_its_rules_did_not_run(selectors: list[str]) -> None:
    ran = (KNOWN[0], KNOWN[1], LOOP, SWALLOWED)
    assert ids(finished([], Said(5, selectors), ran=ran)) == []


def test_a_comment_that_suppresses_a_note_is_used() -> None:
    note = BEFORE.finding(Place("app.py", 5, 1), "", "message", level="note")
    assert ids(finished([note], Said(5, ["RA101"]))) == []


def test_the_notes_on_comments_can_be_deselected() -> None:
    assert ids(finished([], Said(5, ["RA101"], ""), ran=KNOWN[2:])) == []


@pytest.mark.parametrize(
    "reason",
    [
        "RA101 drops repeats",
        "ra101: drops repeats",
        "(RA101) drops repeats",
        "effect-before-wait drops repeats",
        "effect-before-wait, wait-swallowed",
        "EO drops repeats",
        "ALL drops repeats",
    ],
)
def test_rules_without_brackets_suppress_nothing_and_are_told(reason: str) -> None:
    place = Place("app.py", 3, 5, 3, 9)
    found = finished([BEFORE.finding(place, "app.f", "fires again")], Said(3, (), reason))
    assert [each.rule for each in found.findings if each.rule != "RA002"] == ["RA101"]
    (told,) = (each for each in found.findings if each.rule == "RA002")
    assert "it cannot be read" in told.message


@pytest.mark.parametrize("reason", ["the mailer drops repeats", "all good here", "effects are keyed", "race is fine"])
def test_a_reason_without_brackets_suppresses_all(reason: str) -> None:
    place = Place("app.py", 3, 5, 3, 9)
    assert finished([BEFORE.finding(place, "app.f", "fires again")], Said(3, (), reason)).findings == ()
