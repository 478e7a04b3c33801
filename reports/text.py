"""The report for people: findings by file, each with its source and the path that explains it."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from ..contract import LEVELS, Finding, Level, Place, Report, Step
from ..rules.registry import by_id
from .excerpt import WIDTH, excerpt, printable
from .spans import code_line

_COLOURS = {"error": "1;31", "warning": "1;33", "note": "1;36", "path": "1", "dim": "2", "rule": "1"}
_MOST_ERRORS = 30
_NARROWEST = 60
"""Columns below which lines are left to the terminal to break."""

SourceLine = Callable[[str, int], str]
"""The text of a line (path, 1-based line); "" where it cannot be had."""


@dataclass(frozen=True, slots=True)
class View:
    """How to show a report. ``hidden_notes`` and ``hidden_suppressed`` count what was left out of it.

    ``width``: the columns of the terminal; 0 leaves every message on one line, for pipes and files.
    ``named``: how many of the files lie under the given paths, None where all do.
    """

    colour: bool = False
    statistics: bool = False
    hidden_notes: int = 0
    hidden_suppressed: int = 0
    width: int = 0
    named: int | None = None

    def paint(self, text: str, kind: str) -> str:
        """The text, escaped, in the colour of its kind."""
        text = printable(text)
        return f"\x1b[{_COLOURS[kind]}m{text}\x1b[0m" if self.colour else text

    def wrapped(self, text: str, indent: int, start: int) -> list[str]:
        """The text in lines that fit, the first one from column ``start`` on, the others from ``indent``."""
        text = _one_line(text)
        if self.width < _NARROWEST or start + len(text) <= self.width:
            return [text]
        lines = textwrap.wrap(
            text,
            self.width,
            initial_indent=" " * start,
            subsequent_indent=" " * indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        return [lines[0][start:], *lines[1:]]

    def source_width(self, indent: int) -> int:
        """The columns left for source that stands behind ``indent`` columns."""
        return WIDTH - max(0, indent - 5) if self.width < _NARROWEST else max(30, min(WIDTH, self.width - indent - 3))


def render(report: Report, source_line: SourceLine, view: View) -> str:
    """The whole report, ending in a newline. With ``statistics`` the findings are counted, not shown."""
    lines: list[str] = []
    explained: set[str] = set()
    if view.statistics:
        lines += statistics(report, view)
    else:
        for path, group in groupby(report.findings, key=lambda each: each.place.path):
            in_file = list(group)
            lines += [view.paint(path, "path") + f" ({_count(len(in_file), 'finding')})", ""]
            for finding in in_file:
                lines += [*_finding(finding, source_line, view, finding.rule not in explained), ""]
                explained.add(finding.rule)
    if lines and lines[-1]:
        lines.append("")
    lines += _closing(report, view)
    return "\n".join(lines) + "\n"


def statistics(report: Report, view: View) -> list[str]:
    """How often each rule found something at each level, the most frequent first."""
    counts = Counter((each.rule, each.name, each.level) for each in report.findings if not each.suppressed)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0][0], -LEVELS.index(item[0][2])))
    size = max((len(str(count)) for count in counts.values()), default=0)
    return [
        f"{count:>{size}}  {view.paint(f'{level:<7}', level)}  {view.paint(rule, 'rule')}  {printable(name)}"
        for (rule, name, level), count in ordered
    ]


def level_counts(findings: Iterable[Finding]) -> str:
    """``2 errors, 1 warning``: the findings that are not suppressed, the worst first."""
    counts: Counter[Level] = Counter(each.level for each in findings if not each.suppressed)
    return ", ".join(_count(counts[level], level) for level in reversed(LEVELS) if counts[level])


def _finding(finding: Finding, source_line: SourceLine, view: View, first: bool) -> Iterator[str]:
    place = finding.place
    yield from _head(finding, view)
    gutter = len(str(place.line))
    bar = view.paint(" " * gutter + " |", "dim")
    text = code_line(place, source_line(place.path, place.line))
    if text.strip():
        end = place.end_column if place.end_line in (0, place.line) else len(text.rstrip()) + 1
        shown, offset, length = excerpt(text, place.column, end, view.source_width(gutter + 3))
        yield bar
        yield f"{view.paint(f'{place.line} |', 'dim')} {shown}"
        yield f"{bar} {' ' * offset}{view.paint('^' * length, finding.level)}"
    yield from _flow(finding.flow, source_line, view, gutter)
    for remark in _remarks(finding, first):
        lines = view.wrapped(remark, gutter + 5, gutter + 3)
        yield f"{' ' * gutter} {view.paint('=', 'dim')} {lines[0]}"
        yield from lines[1:]


def _head(finding: Finding, view: View) -> Iterator[str]:
    """Place, level, rule and message: on one line, or the message below where that does not fit."""
    place = finding.place
    where, state = f"{place.path}:{place.line}:{place.column}", " (suppressed)" if finding.suppressed else ""
    head = (
        f"{view.paint(where, 'path')}{_cell(place)}: {view.paint(finding.level, finding.level)}{state} "
        f"{view.paint(finding.rule, 'rule')} {printable(finding.name)}"
    )
    lines = view.wrapped(finding.message, 2, 2)
    plain = f"{where}{_cell(place)}: {finding.level}{state} {finding.rule} {finding.name}  "
    if len(lines) == 1 and (not view.width or len(plain) + len(lines[0]) <= view.width):
        yield f"{head}  {lines[0]}"
    else:
        yield head
        yield f"  {lines[0]}"
        yield from lines[1:]


def _flow(flow: tuple[Step, ...], source_line: SourceLine, view: View, gutter: int) -> Iterator[str]:
    if not flow:
        return
    yield view.paint(" " * gutter + " |", "dim")
    number_size = len(str(len(flow)))
    role_size = max(len(step.role) for step in flow)
    for number, step in enumerate(flow, 1):
        head = f"{' ' * gutter} {number:>{number_size}}. {step.role:<{role_size}}  "
        where = f"{step.place.path}:{step.place.line}"
        lines = view.wrapped(step.message, len(head), len(head) + len(where) + len(_cell(step.place)) + 2)
        yield f"{head}{view.paint(where, 'path')}{_cell(step.place)}  {lines[0]}".rstrip()
        yield from lines[1:]
        text = code_line(step.place, source_line(step.place.path, step.place.line))
        if text.strip():
            indent = len(text) - len(text.lstrip())
            shown, _, _ = excerpt(text[indent:], 1, 1, view.source_width(len(head) + 2))
            yield " " * len(head) + view.paint("| ", "dim") + shown


def _cell(place: Place) -> str:
    return f" (cell {place.cell})" if place.cell is not None else ""


def _remarks(finding: Finding, first: bool) -> Iterator[str]:
    """What stands below the flow; the rule's advice in full under the ``first`` finding of a rule."""
    if finding.framework:
        version = f" {finding.framework_version}" if finding.framework_version else ", version unknown"
        yield f"assumed: {finding.framework}{version}"
    if finding.certainty == "likely":
        yield "likely: by names, not by a resolved definition"
    elif finding.certainty == "unknown":
        yield "a guess, so one level lower"
    if finding.also:
        yield f"also: {', '.join(finding.also)}"
    if finding.codes:
        yield f"codes: {', '.join(finding.codes)}"
    for fix in finding.fixes:
        yield f"fix: {fix.message}"
    rule = by_id(finding.rule)
    advice = first_sentence(rule.fix) if rule and first else ""
    yield (
        f"help: {advice} (resume-audit explain {finding.rule})"
        if advice
        else f"help: resume-audit explain {finding.rule}"
    )


def _closing(report: Report, view: View) -> Iterator[str]:
    counts = level_counts(report.findings)
    yield f"Found {counts}." if counts else "No findings."
    if view.hidden_notes:
        yield f"{_count(view.hidden_notes, 'note')} not shown (--pedantic)."
    if view.hidden_suppressed:
        yield f"{_count(view.hidden_suppressed, 'suppressed finding')} not shown (--include-suppressed)."
    stats = report.stats
    yield f"{_count(stats.files, 'file')} ({_count(stats.lines, 'line')}) seen, {stats.analysed:,} analysed."
    if view.named is not None and view.named < stats.files:
        yield f"Reported on: {_count(view.named, 'file')} under the given paths. The others are read to follow calls."
    if report.errors:
        yield f"{_count(len(report.errors), 'file')} could not be read or parsed:"
        for error in report.errors[:_MOST_ERRORS]:
            yield f"  {printable(error.path)}:{error.line}: {_one_line(error.message)}"
        if len(report.errors) > _MOST_ERRORS:
            yield f"  and {len(report.errors) - _MOST_ERRORS:,} more (--format json lists all)"
    if report.not_checked:
        yield "Not checked:"
        for line in report.not_checked:
            yield f"  - {_one_line(line)}"
    for fault in report.faults:
        yield view.paint(f"A fault inside the audit: {_one_line(fault)}", "error")


def first_sentence(text: str) -> str:
    """The text up to its first full stop that ends a sentence, on one line."""
    flat = " ".join(text.split())
    end = flat.find(". ")
    return flat[: end + 1] if end >= 0 else flat


def _one_line(text: str) -> str:
    return printable(" ".join(text.split()))


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
