"""``resume-audit rules``: the catalogue."""

from __future__ import annotations

import json

import click

from .. import __version__
from ..reports.pages import catalogue
from ..rules.registry import STATIC
from .streams import write_out


@click.command(short_help="List the rules.")
@click.option(
    "--format",
    "format_name",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="A table, or for programs.",
)
def rules(format_name: str) -> None:
    """List the rules: id, level, properties, name and what they flag.

    `resume-audit explain` says more of any id, name or property.
    """
    if format_name == "json":
        document = {
            "tool": {"name": "resume-audit", "version": __version__},
            "schema": 1,
            "rules": catalogue(),
        }
        write_out(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        return
    rows = [(rule.id, rule.level, ",".join(rule.properties) or "-", rule.name, rule.summary) for rule in STATIC]
    sizes = [max(len(row[column]) for row in rows) for column in range(4)]
    write_out(
        "".join(
            "  ".join([*(cell.ljust(size) for cell, size in zip(row, sizes, strict=False)), row[4]]) + "\n"
            for row in rows
        )
    )
