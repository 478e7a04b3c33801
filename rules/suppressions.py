"""Comments that suppress findings: which findings they meet, and which meet none."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from ..contract import PROPERTIES, Finding, Place
from .base import StaticRule
from .registry import STATIC, by_id, is_own, matching
from .static.ra001_suppression_without_reason import SuppressionWithoutReason
from .static.ra002_unused_suppression import UnusedSuppression

_MARK = re.compile(r"#\s*resume-audit\b.*", re.IGNORECASE)


class Comment(Protocol):
    """A comment ``# resume-audit: ignore[rules] reason`` on ``line``; it covers ``first`` to ``last``.

    No rules: everything is meant. Lines are 1-based, ``last`` is covered.
    """

    @property
    def line(self) -> int: ...
    @property
    def rules(self) -> Sequence[str]: ...
    @property
    def reason(self) -> str: ...
    @property
    def first(self) -> int: ...
    @property
    def last(self) -> int: ...


@dataclass(slots=True)
class _Entry:
    """One selector of one comment; "" stands for all rules. ``named``: ids of the rules it names."""

    comment: Comment
    selector: str
    named: frozenset[str]
    used: bool = False

    def meets(self, finding: Finding) -> bool:
        comment, place = self.comment, finding.place
        on_its_line = comment.line in (place.line, place.end_line)
        return on_its_line or comment.first <= place.line <= comment.last


class Suppressions:
    """The suppressing comments of an audit, and which of them were of use."""

    def __init__(self, comments: Mapping[str, Sequence[Comment]], known: Sequence[StaticRule] = STATIC) -> None:
        """``comments`` by path relative to the root; ``known`` are all rules there are."""
        self._comments = comments
        self._known = known
        everything = frozenset(rule.id for rule in known if not is_own(rule.id))
        self._entries: dict[str, list[_Entry]] = {}
        for path, in_file in comments.items():
            for comment in in_file:
                for selector in comment.rules or (_bare(comment.reason, known),):
                    named = frozenset(r.id for r in matching(selector, known)) if selector else everything
                    self._entries.setdefault(path, []).append(_Entry(comment, selector, named))

    def apply(self, finding: Finding) -> Finding:
        """The finding, marked if a comment suppresses it, and without suppressed rules in ``also``."""
        met = [entry for entry in self._entries.get(finding.place.path, ()) if entry.meets(finding)]
        suppressed = False
        also = finding.also
        for entry in met:
            named = entry.named
            if is_own(finding.rule) and entry.selector.upper() != finding.rule:
                continue  # what speaks of a comment is not silenced by that comment's own breadth
            if finding.rule in named:
                suppressed = entry.used = True
            if named.intersection(also):
                entry.used = True
                also = tuple(rule for rule in also if rule not in named)
        if suppressed or also != finding.also:
            return replace(finding, suppressed=suppressed or finding.suppressed, also=also)
        return finding

    def own_findings(self, ran: Iterable[StaticRule], source_line: Callable[[str, int], str]) -> list[Finding]:
        """RA001 and RA002, as far as they are among the rules that ``ran``, once all else was applied.

        ``source_line(path, line)`` gives a line's text, "" where it cannot be had.
        """
        rules = tuple(ran)
        without_reason, unused = by_id("RA001", rules), by_id("RA002", rules)
        found: list[Finding] = []
        for path in sorted(self._comments):
            for comment in self._comments[path]:
                place = _place(path, comment.line, source_line(path, comment.line))
                if isinstance(without_reason, SuppressionWithoutReason) and not _says_something(comment.reason):
                    found.append(without_reason.report(place, tuple(comment.rules)))
                if isinstance(unused, UnusedSuppression):
                    found.extend(self._unused(unused, comment, place, frozenset(rule.id for rule in rules)))
        return [self.apply(finding) for finding in found]

    def _unused(
        self, rule: UnusedSuppression, comment: Comment, place: Place, ran: frozenset[str]
    ) -> Iterable[Finding]:
        entries = [entry for entry in self._entries.get(place.path, ()) if entry.comment is comment]
        if any(entry.selector.lower().startswith("ignore") for entry in entries):
            yield rule.report_unreadable(place)
            return
        unknown = tuple(e.selector for e in entries if not e.named and not _is_later(e.selector))
        unused = [e for e in entries if e.named and not e.used and e.named <= ran and not _all_own(e.named)]
        if unused or unknown:
            whole = len(unused) + len(unknown) == len(entries)
            yield rule.report(place, tuple(e.selector for e in unused if e.selector), unknown, whole)


def _bare(reason: str, known: Sequence[StaticRule]) -> str:
    """What a comment without brackets suppresses: "" for everything, or the text where rules were forgotten in it.

    The text names no rule, so it suppresses nothing and is told as a slip.
    """
    first = re.split(r"[\s,;:.()]", reason.lstrip("(-: "), maxsplit=1)[0]
    lone = first in {rule.name for rule in known} or first in PROPERTIES or first == "ALL"
    return f"ignore {reason}" if lone or re.fullmatch(r"RA\d+X*", first, re.IGNORECASE) else ""


def _all_own(named: frozenset[str]) -> bool:
    return all(map(is_own, named))


def _is_later(selector: str) -> bool:
    """Whether it names a rule over traces, which this pass does not know."""
    return selector.upper().startswith("RT-")


def _says_something(reason: str) -> bool:
    return any(map(str.isalnum, reason.partition("#")[0]))


def _place(path: str, line: int, text: str) -> Place:
    mark = _MARK.search(text)
    if mark is None:
        return Place(path, line, 1, line, 1)
    return Place(path, line, mark.start() + 1, line, mark.start() + 1 + len(mark.group().rstrip()))
