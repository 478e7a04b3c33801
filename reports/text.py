"""The report for people: findings by file, each with its source and the path that explains it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from ..contract import LEVELS, Finding, Level, Report, Step
from ..rules.registry import by_id
from .excerpt import WIDTH, excerpt, printable

_COLOURS = {"error": "1;31", "warning": "1;33", "note": "1;36", "path": "1", "dim": "2", "rule": "1"}
_MOST_ERRORS = 30

SourceLine = Callable[[str, int], str]
"""The text of a line (path, 1-based line); "" where it cannot be had."""


@dataclass(frozen=True, slots=True)
class View:
    """How to show a report. ``hidden_notes`` and ``hidden_suppressed`` count what was left out of it."""

    colour: bool = False
    statistics: bool = False
    hidden_notes: int = 0
    hidden_suppressed: int = 0

    def paint(self, text: str, kind: str) -> str:
        """The text, escaped, in the colour of its kind."""
        text = printable(text)
        return f"\x1b[{_COLOURS[kind]}m{text}\x1b[0m" if self.colour else text


def render(report: Report, source_line: SourceLine, view: View) -> str:
    """The whole report, ending in a newline. With ``statistics`` the findings are counted, not shown."""
    lines: list[str] = []
    if view.statistics:
        lines += statistics(report, view)
    else:
        for path, group in groupby(report.findings, key=lambda each: each.place.path):
            in_file = list(group)
            lines += [view.paint(path, "path") + f" ({_count(len(in_file), 'finding')})", ""]
            for finding in in_file:
                lines += [*_finding(finding, source_line, view), ""]
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


def _finding(finding: Finding, source_line: SourceLine, view: View) -> Iterator[str]:
    place = finding.place
    state = " (suppressed)" if finding.suppressed else ""
    yield (
        f"{view.paint(f'{place.path}:{place.line}:{place.column}', 'path')}: "
        f"{view.paint(finding.level, finding.level)}{state} {view.paint(finding.rule, 'rule')} "
        f"{printable(finding.name)}  {_one_line(finding.message)}"
    )
    gutter = len(str(place.line))
    bar = view.paint(" " * gutter + " |", "dim")
    text = source_line(place.path, place.line)
    if text.strip():
        end = place.end_column if place.end_line in (0, place.line) else len(text.rstrip()) + 1
        shown, offset, length = excerpt(text, place.column, end)
        yield bar
        yield f"{view.paint(f'{place.line} |', 'dim')} {shown}"
        yield f"{bar} {' ' * offset}{view.paint('^' * length, finding.level)}"
    yield from _flow(finding.flow, source_line, view, gutter)
    for remark in _remarks(finding):
        yield f"{' ' * gutter} {view.paint('=', 'dim')} {remark}"


def _flow(flow: tuple[Step, ...], source_line: SourceLine, view: View, gutter: int) -> Iterator[str]:
    if not flow:
        return
    yield view.paint(" " * gutter + " |", "dim")
    number_size = len(str(len(flow)))
    role_size = max(len(step.role) for step in flow)
    for number, step in enumerate(flow, 1):
        head = f"{' ' * gutter} {number:>{number_size}}. "
        where = view.paint(f"{step.place.path}:{step.place.line}", "path")
        yield f"{head}{step.role:<{role_size}}  {where}  {_one_line(step.message)}"
        text = source_line(step.place.path, step.place.line)
        if text.strip():
            indent = len(text) - len(text.lstrip())
            shown, _, _ = excerpt(text[indent:], 1, 1, WIDTH - 20)
            yield " " * (len(head) + role_size + 2) + view.paint("| ", "dim") + shown


def _remarks(finding: Finding) -> Iterator[str]:
    if finding.place.cell is not None:
        yield f"cell {finding.place.cell} of the notebook"
    if finding.framework:
        version = f" {finding.framework_version}" if finding.framework_version else ", version unknown"
        yield printable(f"assumed: {finding.framework}{version}")
    if finding.certainty == "likely":
        yield "likely: by names, not by a resolved definition"
    elif finding.certainty == "unknown":
        yield "a guess, so one level lower"
    if finding.also:
        yield printable(f"also: {', '.join(finding.also)}")
    if finding.codes:
        yield printable(f"codes: {', '.join(finding.codes)}")
    for fix in finding.fixes:
        yield f"fix: {_one_line(fix.message)}"
    rule = by_id(finding.rule)
    advice = first_sentence(rule.fix) if rule else ""
    yield f"help: {advice} (resume-audit explain {finding.rule})".replace("  ", " ")


def _closing(report: Report, view: View) -> Iterator[str]:
    counts = level_counts(report.findings)
    yield f"Found {counts}." if counts else "No findings."
    if view.hidden_notes:
        yield f"{_count(view.hidden_notes, 'note')} not shown (--pedantic)."
    if view.hidden_suppressed:
        yield f"{_count(view.hidden_suppressed, 'suppressed finding')} not shown (--include-suppressed)."
    stats = report.stats
    yield f"{_count(stats.files, 'file')} ({_count(stats.lines, 'line')}) seen, {stats.analysed:,} analysed."
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
