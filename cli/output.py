"""Where reports go: formats, targets, and writing them."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from .. import __version__
from ..reports import json as json_report
from ..reports import text as text_report
from ..reports.text import View
from .api import Audit
from .streams import is_terminal, wants_colour, write_out

FORMATS = ("text", "json", "sarif")

_SUFFIXES = {
    ".json": "json",
    ".sarif": "sarif",
    ".txt": "text",
    ".html": "html",
    ".htm": "html",
    ".md": "markdown",
    ".xml": "xml",
    ".csv": "csv",
}
"""The formats that names of files ask for, also those that there are not."""


@dataclass(frozen=True, slots=True)
class Target:
    """A report in a format; ``path`` is None for standard output."""

    format: str
    path: Path | None


def targets(format_name: str | None, outputs: Sequence[str]) -> tuple[Target, ...]:
    """What ``--format`` and every ``--output FILE`` or ``--output FORMAT=FILE`` ask for.

    Without a format the suffix of the file tells it. Standard output gets a report if there is no output at
    all, or if ``--format`` asks for one that no file takes. Raises ``click.UsageError`` for a wrong format or
    two reports in one file.
    """
    found: list[Target] = []
    for output in outputs:
        head, equals, tail = output.partition("=")
        if equals and head in FORMATS:
            name, file = head, tail
        elif equals and re.fullmatch(r"[a-z]+", head):
            raise click.UsageError(
                f"--output {output}: no format is called {head!r} (formats: {', '.join(FORMATS)}; "
                f"for a file of that name write ./{output})"
            )
        else:
            name, file = format_name or _by_suffix(output), output
        if not file:
            raise click.UsageError(f"--output {output}: no file is named")
        found.append(Target(name, None if file == "-" else Path(file)))
    if not found or (format_name and all(target.format != format_name for target in found)):
        found.append(Target(format_name or "text", None))
    places = [target.path and os.path.normpath(target.path.absolute()) for target in found]
    for place in places:
        if places.count(place) > 1:
            raise click.UsageError(f"two reports would go to {place or 'standard output'}")
    return tuple(found)


def _by_suffix(file: str) -> str:
    """The format that a file's name asks for, text where it asks for none."""
    if file.lower().endswith(".sarif.json"):
        return "sarif"
    suffix = Path(file).suffix
    name = _SUFFIXES.get(suffix.lower(), "text")
    if name not in FORMATS:
        raise click.UsageError(
            f"--output {file}: there is no format for {suffix} (formats: {', '.join(FORMATS)}; "
            f"for text in a file of that name write text={file})"
        )
    return name


def prepare(wanted: Sequence[Target]) -> None:
    """Make the folders of output files. Raises ``click.UsageError`` where a file cannot be written."""
    for target in wanted:
        if target.path is None:
            continue
        try:
            target.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise click.UsageError(f"cannot write {target.path}: {error.strerror or error}") from None
        if target.path.is_dir():
            raise click.UsageError(f"cannot write {target.path}: it is a folder")
        there = target.path if target.path.exists() else target.path.parent
        if not os.access(there, os.W_OK):
            raise click.UsageError(f"cannot write {target.path}: permission denied")


def write(audit: Audit, wanted: Sequence[Target], *, statistics: bool) -> None:
    """Write every report. Raises ``click.UsageError`` where one cannot be written."""
    for target in wanted:
        colour = target.path is None and wants_colour(sys.stdout, os.environ)
        width = shutil.get_terminal_size().columns if target.path is None and is_terminal(sys.stdout) else 0
        report = render(audit, target.format, colour=colour, statistics=statistics, width=width)
        try:
            if target.path is not None:
                target.path.write_bytes(report.encode("utf-8", "backslashreplace"))
            else:
                write_out(report, encoding=None if target.format == "text" else "utf-8")
        except OSError as error:
            where = target.path or "standard output"
            raise click.UsageError(f"cannot write {where}: {error.strerror or error}") from None


def render(audit: Audit, format_name: str, *, colour: bool = False, statistics: bool = False, width: int = 0) -> str:
    """The report in a format; ``width`` as for ``View``."""
    if format_name == "json":
        return json_report.render(audit.report, __version__)
    if format_name == "sarif":
        from ..reports import sarif  # not at the start: sarif-om is read for this format alone

        return sarif.render(audit.report, __version__, audit.sources)
    view = View(colour, statistics, audit.hidden_notes, audit.hidden_suppressed, width, audit.named)
    return text_report.render(audit.report, audit.source_line, view)
