"""Suppressing comments with a slip in them."""

from __future__ import annotations

import pytest

from resume_audit.analyzer.lower import summarise


@pytest.mark.parametrize(
    "comment, rule",
    [
        ("ignore [RA101] why", "ignore [RA101] why"),
        ("ignore[RA101", "ignore[RA101"),
        ("ignore[]  empty", "ignore[]  empty"),
        ("ignore[ , ] why", "ignore[ , ] why"),
        ("ignore-file", "ignore-file"),
    ],
)
def test_what_cannot_be_read_names_no_rule(comment: str, rule: str) -> None:
    """A comment with a slip in it must not suppress everything."""
    (found,) = summarise(f"pay()  # resume-audit: {comment}\n").suppressions
    assert found.rules == [rule]


@pytest.mark.parametrize(
    "comment",
    [
        "resume-audit: ignore RA101 why",
        "resume-audit: ignore: RA1xx why",
        "resume-audit: ignore=RA101",
        "resume-audit: ignore(RA101) why",
        "resume-audit: ignore[RA101][RA102] why",
        "resume-audit ignore[RA101] why",
        "resume-audit: ignore[RA101" + "x" * 100,
    ],
)
def test_rules_outside_the_brackets_are_a_slip(comment: str) -> None:
    (found,) = summarise(f"pay()  # {comment}\n").suppressions
    assert len(found.rules) == 1
    assert found.rules[0].startswith("ignore")
    assert len(found.rules[0]) <= 40
    assert found.reason


@pytest.mark.parametrize(
    "comment, rules, reason",
    [
        ("resume-audit: ignore[RA101, RA102] why", ["RA101", "RA102"], "why"),
        ("Resume-Audit: Ignore[RA101] why", ["RA101"], "why"),
        ("resume-audit : ignore[EO]", ["EO"], ""),
        ("resume-audit: ignore", [], ""),
        ("resume-audit: ignore - the service drops repeats", [], "- the service drops repeats"),
        ("resume-audit: ignore: raises no doubts", [], "raises no doubts"),
    ],
)
def test_what_can_be_read(comment: str, rules: list[str], reason: str) -> None:
    (found,) = summarise(f"pay()  # {comment}\n").suppressions
    assert (found.rules, found.reason) == (rules, reason)


def test_a_mention_is_no_suppression() -> None:
    assert summarise("pay()  # resume-audit ignores reads\n# see resume-audit: ignored\n").suppressions == []
