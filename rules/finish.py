"""From what the rules found to what is reported: identity, suppression, merging, levels, order."""

from __future__ import annotations

import fnmatch
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ..contract import LEVELS, Finding
from .base import StaticRule
from .registry import STATIC, family, is_own, matching
from .suppressions import Comment, Suppressions

_PRIORITY = ("RA105", "RA102", "RA101", "RA103", "RA104")
"""Which rule speaks where several of a family meet at one place; the rest follow by id."""

_COMMENT = re.compile(r"#\s*resume-audit\s*:.*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Options:
    """How to finish. ``named``: the paths whose findings are reported (None: all).

    ``per_path_ignores`` pairs a glob with the selectors that are ignored where it matches. ``known``
    are all rules there are, whether they ran or not.
    """

    pedantic: bool = False
    include_suppressed: bool = False
    per_path_ignores: Sequence[tuple[str, Sequence[str]]] = ()
    named: frozenset[str] | None = None
    known: Sequence[StaticRule] = STATIC


@dataclass(frozen=True, slots=True)
class Finished:
    """What is reported, and how many findings are not: notes, and suppressed ones."""

    findings: tuple[Finding, ...] = ()
    hidden_notes: int = 0
    hidden_suppressed: int = 0


def finish(
    found: Iterable[Finding],
    ran: Sequence[StaticRule],
    comments: Mapping[str, Sequence[Comment]],
    source_line: Callable[[str, int], str],
    options: Options,
) -> Finished:
    """The findings as reported, the same whatever the order they came in.

    ``ran`` are the rules that ran to their end, ``comments`` the suppressing comments by path,
    ``source_line(path, line)`` a line's text, "" where it cannot be had.
    """
    reported = [each for each in found if options.named is None or each.place.path in options.named]
    suppressions = Suppressions(comments, options.known)
    chosen = {rule.id for rule in ran}
    findings = [
        suppressions.apply(replace(each, also=tuple(sorted(chosen.intersection(each.also) - {each.rule}))))
        for each in _distinct(reported)
    ]
    findings += suppressions.own_findings(ran, source_line)
    findings = _identified(findings, source_line)
    findings = [kept for each in findings if (kept := _allowed(each, options)) is not None]
    findings = _merged([_lowered(each) for each in findings])
    shown = [each for each in findings if options.pedantic or each.level != "note" or is_own(each.rule)]
    visible = [each for each in shown if options.include_suppressed or not each.suppressed]
    unsuppressed = [each for each in findings if not each.suppressed]
    return Finished(
        findings=tuple(sorted(visible, key=_order)),
        hidden_notes=len(unsuppressed) - sum(not each.suppressed for each in shown),
        hidden_suppressed=len(shown) - len(visible),
    )


def _order(finding: Finding) -> tuple[object, ...]:
    place = finding.place
    where = (place.path, place.line, place.column, finding.rule, place.end_line, place.end_column)
    steps = tuple((step.place.path, step.place.line, step.place.column, step.role) for step in finding.flow)
    return (*where, finding.symbol, finding.message, len(steps), steps, finding.fingerprint)


def _distinct(findings: Iterable[Finding]) -> list[Finding]:
    """One finding a rule, place and symbol: the worst, and among those the one with the shortest flow."""
    kept: dict[tuple[object, ...], Finding] = {}
    for each in sorted(findings, key=lambda each: (-LEVELS.index(each.level), len(each.flow), _order(each))):
        place = each.place
        kept.setdefault((each.rule, place.path, place.line, place.column, each.symbol), each)
    return sorted(kept.values(), key=_order)


def _identified(findings: Iterable[Finding], source_line: Callable[[str, int], str]) -> list[Finding]:
    """The findings with fingerprints that survive lines inserted above them.

    Equal ones (the same statement twice in a function) are told apart by their order in the file.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    identified = []
    for each in sorted(findings, key=_order):
        text = _COMMENT.sub("", source_line(each.place.path, each.place.line))
        parts = (each.rule, each.place.path, each.symbol, " ".join(text.split()))
        digest = hashlib.blake2b(digest_size=16)
        for part in (*parts, str(seen[parts])):
            data = part.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "big") + data)
        seen[parts] += 1
        identified.append(replace(each, fingerprint=digest.hexdigest()))
    return identified


def _lowered(finding: Finding) -> Finding:
    """A guess counts one level less."""
    if finding.certainty != "unknown":
        return finding
    return replace(finding, level=LEVELS[max(0, LEVELS.index(finding.level) - 1)])


def _allowed(finding: Finding, options: Options) -> Finding | None:
    """The finding without what the configuration ignores at its path; None if it is ignored itself."""
    ignored: set[str] = set()
    for pattern, selectors in options.per_path_ignores:
        if path_matches(finding.place.path, pattern):
            for selector in selectors:
                ignored.update(rule.id for rule in matching(selector, options.known))
    if finding.rule in ignored:
        return None
    return replace(finding, also=tuple(rule for rule in finding.also if rule not in ignored))


def path_matches(path: str, pattern: str) -> bool:
    """Whether a glob of ``per-path-ignores`` means the path.

    As for ruff's per-file-ignores ``*`` crosses folders and a bare name means any file called so;
    the path of a folder means all in it.
    """
    pattern = pattern.removeprefix("./").rstrip("/").removesuffix("/**")
    pieces = [fnmatch.translate(piece)[4:-3] for piece in pattern.split("**/")]  # without "(?s:" and ")\\Z"
    glob = re.compile("(?s:" + "(?:.*/)?".join(pieces) + "(?:/.*)?)")
    return bool(glob.fullmatch(path) or ("/" not in pattern and glob.fullmatch(path.rpartition("/")[2])))


def _merged(findings: Iterable[Finding]) -> list[Finding]:
    """One finding a place, symbol and family: the worst, then by priority; the others' rules in ``also``."""
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for each in findings:
        place = each.place
        alone = each.rule if is_own(each.rule) else family(each.rule)
        key = (place.path, place.line, place.column, each.symbol, alone, each.suppressed)
        groups.setdefault(key, []).append(each)
    merged = []
    for group in groups.values():
        first, *rest = sorted(group, key=lambda each: (-LEVELS.index(each.level), _priority(each.rule)))
        also = {*first.also, *(rule for each in rest for rule in (each.rule, *each.also))}
        merged.append(replace(first, also=tuple(sorted(also - {first.rule}))))
    return merged


def _priority(rule: str) -> tuple[int, str]:
    return (_PRIORITY.index(rule) if rule in _PRIORITY else len(_PRIORITY), rule)
