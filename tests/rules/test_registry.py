"""How users name rules."""

from __future__ import annotations

import re

import pytest

from resume_audit.rules.base import StaticRule
from resume_audit.rules.registry import by_id, closeness, matching, select, suggestion


class Before(StaticRule):
    id = "RA101"
    name = "effect-before-wait"
    properties = ("EO",)


class Loop(StaticRule):
    id = "RA102"
    name = "effect-in-wait-loop"
    properties = ("EO",)


class Redelivered(StaticRule):
    id = "RA202"
    name = "redeliverable-resume"
    properties = ("CO", "FI")


class Crossing(StaticRule):
    id = "RA904"
    name = "cognitive-field-reaches-engine"
    properties = ("CB-3",)


class Own(StaticRule):
    id = "RA001"
    name = "suppression-without-reason"


RULES = (Own(), Before(), Loop(), Redelivered(), Crossing())


def chosen(*selectors: str, ignore: tuple[str, ...] = ()) -> list[str]:
    return [rule.id for rule in select(RULES, selectors, ignore)]


@pytest.mark.parametrize(
    "selector, expected",
    [
        ("RA101", ["RA101"]),
        ("ra101", ["RA101"]),
        (" RA101 ", ["RA101"]),
        ("effect-before-wait", ["RA101"]),
        ("RA1", ["RA101", "RA102"]),
        ("RA1xx", ["RA101", "RA102"]),
        ("RA10x", ["RA101", "RA102"]),
        ("EO", ["RA101", "RA102"]),
        ("co", ["RA202"]),
        ("CB", ["RA904"]),
        ("CB-3", ["RA904"]),
        ("ALL", ["RA001", "RA101", "RA102", "RA202", "RA904"]),
    ],
)
def test_a_selector_names_rules(selector: str, expected: list[str]) -> None:
    assert chosen(selector) == expected


def test_no_selector_means_every_rule() -> None:
    assert chosen() == [rule.id for rule in RULES]


@pytest.mark.parametrize(
    "selectors, ignored, expected",
    [
        ((), ("RA1",), ["RA001", "RA202", "RA904"]),
        (("EO",), ("RA102",), ["RA101"]),
        (("RA101",), ("RA1",), ["RA101"]),
        (("RA1",), ("RA1",), []),
        (("RA102", "RA2"), ("ALL",), ["RA102", "RA202"]),
    ],
)
def test_the_closer_selector_wins_and_ignore_wins_a_tie(
    selectors: tuple[str, ...], ignored: tuple[str, ...], expected: list[str]
) -> None:
    assert chosen(*selectors, ignore=ignored) == expected


@pytest.mark.parametrize("selector", ["RA110", "RA1xxx", "RA1111", "XX", "", "R", "RAx9", "interrupt"])
def test_a_selector_that_names_nothing_is_an_error(selector: str) -> None:
    with pytest.raises(ValueError, match=re.escape(repr(selector))):
        chosen(selector)
    with pytest.raises(ValueError, match="no rule, family or property"):
        chosen(ignore=(selector,))


@pytest.mark.parametrize(
    "selector, meant",
    [("RA1011", "RA101"), ("efect-before-wait", "effect-before-wait"), ("RA1xy", "RA1xx"), ("zzz", None)],
)
def test_what_was_meant(selector: str, meant: str | None) -> None:
    assert suggestion(selector, RULES) == meant


def test_by_id() -> None:
    assert by_id("RA101", RULES) is RULES[1]
    assert by_id("RA999", RULES) is None
    assert matching("RA9", RULES) == (RULES[4],)
    assert closeness("RA101", RULES[1]) > closeness("RA10", RULES[1]) > closeness("EO", RULES[1]) > 0
