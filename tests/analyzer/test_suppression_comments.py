"""Suppressing comments with a slip in them."""

from __future__ import annotations

import pytest

from resume_audit.analyzer.lower import summarise


@pytest.mark.parametrize(
    "comment, rule",
    [
        ("ignore [RA101] why", "ignore [RA101] why"),
        ("ignore[RA101", "ignore[RA101"),
        ("ignore[]  empty", "ignore[]"),
        ("ignore[ , ] why", "ignore[ , ]"),
        ("ignore-file", "ignore-file"),
    ],
)
def test_what_cannot_be_read_names_no_rule(comment: str, rule: str) -> None:
    """A comment with a slip in it must not suppress everything."""
    (found,) = summarise(f"pay()  # resume-audit: {comment}\n").suppressions
    assert found.rules == [rule]
