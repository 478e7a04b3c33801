"""Places as SARIF locations, and messages that link to them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import sarif_om as om

from ..contract import Finding, Place, Step
from .sarif_rules import sentence
from .sources import Sources
from .spans import span

ROOT = "%SRCROOT%"
MOST_RELATED = 100

_LOOKS_LIKE_A_LINK = re.compile(r"\[(?=[^\]]*\]\(\d+\))")
_LOOKS_LIKE_A_HOLE = re.compile(r"\{(\d+)\}")
_SPECIAL = re.compile(r"([\[\]\\])")


def artifact(sources: Sources, path: str) -> om.ArtifactLocation:
    """The file, relative to a root that stays unnamed."""
    return om.ArtifactLocation(uri=sources.uri(path), uri_base_id=ROOT)


def region(sources: Sources, place: Place) -> om.Region:
    """The place's part of the line on which it begins."""
    place = sources.inside(place)
    start, end = span(place, sources.line(place.path, place.line))
    return om.Region(start_line=place.line, start_column=start, end_line=place.line, end_column=end)


def location(sources: Sources, place: Place, message: str = "", number: int = -1) -> om.Location:
    """The place, with what is said of it."""
    physical = om.PhysicalLocation(artifact_location=artifact(sources, place.path), region=region(sources, place))
    said = om.Message(text=literal(sentence(f"{message[:1].upper()}{message[1:]}"))) if message else None
    return om.Location(id=number, physical_location=physical, message=said)


def primary(sources: Sources, finding: Finding) -> om.Location:
    """Where the finding stands, in the file and in the program."""
    made = location(sources, finding.place)
    if finding.symbol:
        name = finding.symbol.rpartition(".")[2]
        made.logical_locations = [om.LogicalLocation(name=name, fully_qualified_name=finding.symbol)]
    return made


def linked(sources: Sources, finding: Finding, remark: str = "") -> tuple[om.Message, list[om.Location]]:
    """The finding's message with links to the places it speaks of, and these places.

    A place of the flow that is named (``line 40``, ``app.py:40``) becomes a link there; the ends of the flow
    that are not named are linked behind the message.
    """
    text = literal(sentence(f"{finding.message} {remark}"))
    related: list[om.Location] = []
    more = []
    for step in _worth_a_link(finding):
        name = _named(step.place, finding.place.path)
        mention = re.search(rf"(?<![\w/.\[-]){re.escape(literal(name))}(?![\w.]*\w)", text)
        number = len(related) + 1
        link = f"[{_escaped(name)}]({number})"
        if mention is not None:
            text = text[: mention.start()] + link + text[mention.end() :]
        elif step.role != "call":
            more.append(f"the {step.role} at {link}")
        else:
            continue
        related.append(location(sources, step.place, step.message, number))
    if more:
        text += f" See {' and '.join(more)}."
    return om.Message(text=text), related


def literal(text: str) -> str:
    """Text in which nothing is a link or a placeholder."""
    return _LOOKS_LIKE_A_HOLE.sub(r"{{\1}}", _LOOKS_LIKE_A_LINK.sub(r"\\[", text))


def _escaped(text: str) -> str:
    return literal(_SPECIAL.sub(r"\\\1", text))


def _worth_a_link(finding: Finding) -> Sequence[Step]:
    """One step a line, other than the finding's own; of many the first."""
    seen = {(finding.place.path, finding.place.line)}
    steps = []
    for step in finding.flow:
        where = (step.place.path, step.place.line)
        if where not in seen:
            seen.add(where)
            steps.append(step)
    return steps[:MOST_RELATED]


def _named(place: Place, seen_from: str) -> str:
    """How messages name a place for a reader of the file ``seen_from``."""
    return f"line {place.line}" if place.path == seen_from else f"{place.path}:{place.line}"


def whole_flow(finding: Finding) -> Iterable[Step]:
    """The flow, by way of the finding's own line."""
    here = (finding.place.path, finding.place.line)
    if all((step.place.path, step.place.line) != here for step in finding.flow):
        yield Step(finding.place, "event", "reported here")
    yield from finding.flow
