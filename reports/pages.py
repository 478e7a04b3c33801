"""Pages made from the rules: ``python -m resume_audit.reports.pages docs/rules`` writes them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..contract import PROPERTIES, Property
from ..rules.base import StaticRule
from ..rules.registry import STATIC

_PRECISION = {
    "high": "nearly every finding is true",
    "medium": "most findings are true",
    "low": "look before acting: less than half of the findings may be true",
}


def rule_page(rule: StaticRule) -> str:
    """A rule's page in Markdown, with the same heads for every rule."""
    limits = "\n".join(f"- {_flat(each)}" for each in rule.limits) or "None known."
    properties = "\n".join(f"- {each}: {PROPERTIES[each]}" for each in rule.properties)
    return (
        "\n\n".join(
            (
                f"# {rule.id} {rule.name}",
                f"{rule.summary}.",
                "## What it does",
                _paragraphs(rule.what),
                "## Why is this bad",
                _paragraphs(rule.why),
                "## Example",
                _code(rule.bad),
                "## Use instead",
                _code(rule.good),
                "## How to fix",
                _paragraphs(rule.fix),
                "## Limits",
                limits,
                "## Level and precision",
                f"Level: {rule.level}. Precision: {rule.precision} ({_PRECISION[rule.precision]}).",
                "## Properties",
                properties or "None: the rule speaks of the audit itself or of dead code.",
            )
        )
        + "\n"
    )


def property_page(name: Property, rules: Sequence[StaticRule] = STATIC) -> str:
    """What a property of the contract says, and the rules that look for its breaks."""
    breaking = [rule for rule in rules if any(_holds(name, each) for each in rule.properties)]
    return (
        f"# {name}\n\n{PROPERTIES[name]}\n\n## Rules\n\n"
        + ("\n".join(f"- {rule.id} {rule.name}: {rule.summary}" for rule in breaking) or "None yet.")
        + "\n"
    )


def index_page(rules: Sequence[StaticRule] = STATIC) -> str:
    """The list of rule pages."""
    rows = [
        f"| [{rule.id}]({page_name(rule)}) | {rule.name} | {', '.join(rule.properties) or '-'} "
        f"| {rule.level} | {rule.summary} |"
        for rule in rules
    ]
    return "\n".join(("# Rules", "", "| Rule | Name | Properties | Level | |", "|---|---|---|---|---|", *rows, ""))


def catalogue(rules: Sequence[StaticRule] = STATIC) -> list[dict[str, Any]]:
    """The rules as plain data."""
    return [
        {
            "id": rule.id,
            "name": rule.name,
            "properties": list(rule.properties),
            "level": rule.level,
            "precision": rule.precision,
            "summary": rule.summary,
        }
        for rule in rules
    ]


def page_name(rule: StaticRule) -> str:
    """The file name of a rule's page."""
    return f"{rule.id}.md"


def pages(rules: Sequence[StaticRule] = STATIC) -> dict[str, str]:
    """Every page by file name."""
    return {"README.md": index_page(rules), **{page_name(rule): rule_page(rule) for rule in rules}}


def write(folder: Path, rules: Sequence[StaticRule] = STATIC) -> None:
    """Write the pages, and remove pages of rules that are no more."""
    folder.mkdir(parents=True, exist_ok=True)
    made = pages(rules)
    for old in sorted(folder.glob("RA*.md")):
        if old.name not in made:
            old.unlink()
    for name, text in made.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def _holds(asked: Property, has: Property) -> bool:
    """Whether a rule with property ``has`` answers to ``asked``: CO stands for CO-c and CO-e too."""
    return has == asked or has.partition("-")[0] == asked or asked.partition("-")[0] == has


def _flat(text: str) -> str:
    return " ".join(text.split())


def _paragraphs(text: str) -> str:
    return "\n\n".join(_flat(each) for each in text.strip().split("\n\n"))


def _code(text: str) -> str:
    return f"```python\n{text.strip()}\n```"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m resume_audit.reports.pages FOLDER")
    write(Path(sys.argv[1]))
