"""``resume-audit explain``: one rule or property."""

from __future__ import annotations

import click

from ..contract import PROPERTIES
from ..reports.pages import property_page, rule_page
from ..rules.registry import STATIC, matching, unknown
from .streams import write_out


@click.command()
@click.argument("rule")
def explain(rule: str) -> None:
    """Say what RULE (an id, a name or a property) is about, with examples and the fix."""
    write_out(page(rule))


def page(asked: str) -> str:
    """The page of a rule or property, or the list of a family.

    Raises ``click.UsageError`` for what is none of them.
    """
    wanted = asked.strip().casefold()
    for name in PROPERTIES:
        if wanted == name.casefold():
            return property_page(name)
    for rule in STATIC:
        if wanted in (rule.id.casefold(), rule.name.casefold()):
            return rule_page(rule)
    listed = matching(asked)
    if not listed:
        raise click.UsageError(unknown(asked))
    return "".join(f"{rule.id} {rule.name}: {rule.summary}\n" for rule in listed)
