"""``resume-audit explain``: one rule or property."""

from __future__ import annotations

import shutil
import sys
import textwrap

import click

from ..contract import PROPERTIES
from ..reports.pages import property_page, rule_page
from ..rules.registry import STATIC, matching, unknown
from .streams import is_terminal, write_out


@click.command(short_help="Say what a rule is about, with examples and the fix.")
@click.argument("rule")
def explain(rule: str) -> None:
    """Say what RULE is about, with examples and the fix.

    \b
    resume-audit explain RA101                 a rule by its id
    resume-audit explain effect-before-wait    or by its name
    resume-audit explain RA1                   the rules of a family
    resume-audit explain EO                    a property that rules guard
    """
    text = page(rule)
    write_out(fitted(text, shutil.get_terminal_size().columns) if is_terminal(sys.stdout) else text)


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


def fitted(text: str, width: int) -> str:
    """A page for a terminal: paragraphs and lists are broken to fit, code stays as it is."""
    lines: list[str] = []
    code = False
    for line in text.split("\n"):
        code ^= line.startswith("```")
        if code or len(line) <= width:
            lines.append(line)
            continue
        indent = "  " if line.startswith("- ") else ""
        lines += textwrap.wrap(
            line, max(width, 20), subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
        )
    return "\n".join(lines)
