"""Findings as SARIF results: one an alert, each within what code scanning keeps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import sarif_om as om

from ..contract import LEVELS, Edit, Finding, Fix, Place
from ..rules.registry import matching
from .fingerprints import GITHUB, OWN, line_hashes, own_fingerprints
from .sarif_json import Suppression
from .sarif_places import artifact, linked, location, primary, whole_flow
from .sarif_rules import sentence, taxa, taxon
from .sources import Sources

MOST_RESULTS = 25_000
MOST_STEPS = 1_000
MOST_LOCATIONS = 100


@dataclass(slots=True)
class Results:
    """The results of a run, and how much of them was left out."""

    results: list[om.Result] = field(default_factory=list)
    dropped: int = 0
    flows_cut: int = 0
    places_cut: int = 0

    def remarks(self) -> Iterable[str]:
        """What was left out, a sentence each."""
        if self.dropped:
            yield f"{_count(self.dropped, 'result')} left out, the mildest first: code scanning takes no more"
        if self.flows_cut:
            kept = f"{MOST_STEPS:,} steps"
            yield f"The flows of {_count(self.flows_cut, 'result')} were cut to {kept}: code scanning keeps no more"
        if self.places_cut:
            kept = f"{MOST_LOCATIONS} places"
            yield f"{_count(self.places_cut, 'result')} cut to {kept}: code scanning keeps no more"


@dataclass(frozen=True, slots=True)
class _Alert:
    """Findings that code scanning cannot tell apart: of one rule, file and line hash."""

    findings: tuple[Finding, ...]
    fingerprints: Mapping[str, str]

    @property
    def level(self) -> int:
        """As a number; that of the first, since only suppressed ones may be worse."""
        return LEVELS.index(self.findings[0].level)


def results(findings: Sequence[Finding], sources: Sources, rules: Mapping[str, int], most: int) -> Results:
    """The results, in the order of the findings; of more than ``most`` the worst.

    ``rules`` are the rules' places in the log.
    """
    findings = [replace(each, place=sources.inside(each.place)) for each in findings]
    alerts = _alerts(findings, sources)
    kept = sorted(sorted(range(len(alerts)), key=lambda number: -alerts[number].level)[:most])
    made = Results(dropped=len(alerts) - len(kept))
    suppressed = any(each.suppressed for each in findings)
    compared = any(each.baseline != "new" for each in findings)
    for number in kept:
        result = _result(alerts[number], sources, rules, made)
        first = alerts[number].findings[0]
        # On all results or on none, as SARIF has it.
        result.suppressions = _suppressions(alerts[number], sources) if suppressed else None
        result.baseline_state = first.baseline if compared else None
        made.results.append(result)
    return made


def _alerts(findings: Sequence[Finding], sources: Sources) -> list[_Alert]:
    lines: dict[str, set[int]] = {}
    for each in findings:
        lines.setdefault(each.place.path, set()).add(each.place.line)
    hashes = {path: line_hashes(sources.data(path) or b"", wanted) for path, wanted in lines.items()}
    own = own_fingerprints(findings, lambda place: _written(place, sources))
    groups: dict[tuple[str, str, str], list[tuple[Finding, str]]] = {}
    for each, print_ in zip(findings, own, strict=True):
        # A file that cannot be read again has no hash; then our own keeps its findings apart.
        line_hash = hashes[each.place.path].get(each.place.line, f"{print_[:16]}:1")
        groups.setdefault((each.rule, each.place.path, line_hash), []).append((each, print_))
    return [
        _Alert(
            tuple(each for each, _ in _worst_first(group)),
            {GITHUB: line_hash, OWN: _worst_first(group)[0][1]},
        )
        for (_, _, line_hash), group in groups.items()
    ]


def _worst_first(group: Sequence[tuple[Finding, str]]) -> list[tuple[Finding, str]]:
    return sorted(group, key=lambda pair: (pair[0].suppressed, -LEVELS.index(pair[0].level)))


def _written(place: Place, sources: Sources) -> str:
    made = location(sources, place).physical_location.region
    return sources.line(place.path, place.line)[made.start_column - 1 : made.end_column - 1]


def _result(alert: _Alert, sources: Sources, rules: Mapping[str, int], made: Results) -> om.Result:
    first, *others = alert.findings
    remark = f"The same holds for {_count(len(others), 'more place')} on this line." if others else ""
    message, related = linked(sources, first, remark)
    places = list(dict.fromkeys(each.place for each in alert.findings))
    made.places_cut += len(places) > MOST_LOCATIONS
    properties = dict.fromkeys(name for each in alert.findings for name in taxa(each.properties))
    return om.Result(
        rule_id=first.rule,
        rule_index=rules[first.rule],
        level=first.level,
        message=message,
        locations=[primary(sources, replace(first, place=place)) for place in places[:MOST_LOCATIONS]],
        related_locations=related or None,
        code_flows=_flows(alert.findings, sources, made) or None,
        fixes=[made_fix for each in alert.findings for made_fix in _fixes(each.fixes, sources)] or None,
        partial_fingerprints=dict(alert.fingerprints),
        taxa=[taxon(name) for name in properties] or None,
        properties=_remarks(first),
    )


def _flows(findings: Sequence[Finding], sources: Sources, made: Results) -> list[om.CodeFlow]:
    """A flow a finding, from the effect over the calls to the wait."""
    flows: list[om.CodeFlow] = []
    left, cut = MOST_STEPS, False
    for finding in findings:
        steps = list(whole_flow(finding))
        if len(steps) < 2:
            continue
        if len(steps) > left:
            cut = True
            if flows:
                break
            steps = [*steps[: left // 2], *steps[len(steps) - left // 2 :]]
        left -= len(steps)
        locations = [
            om.ThreadFlowLocation(
                location=location(sources, step.place, step.message or step.role),
                kinds=[step.role],
                execution_order=number,
            )
            for number, step in enumerate(steps, 1)
        ]
        flows.append(om.CodeFlow(thread_flows=[om.ThreadFlow(locations=locations)]))
    made.flows_cut += cut
    return flows


def _fixes(fixes: Sequence[Fix], sources: Sources) -> Iterable[om.Fix]:
    """The safe ones, since editors apply them as they are. Places in notebooks are no places of their JSON."""
    for fix in fixes:
        if not fix.safe or not fix.edits or any(edit.place.cell is not None for edit in fix.edits):
            continue
        by_path: dict[str, list[Edit]] = {}
        for edit in fix.edits:
            by_path.setdefault(edit.place.path, []).append(edit)
        yield om.Fix(
            description=om.Message(text=sentence(fix.message)),
            artifact_changes=[
                om.ArtifactChange(
                    artifact_location=artifact(sources, path), replacements=[_replacement(each) for each in edits]
                )
                for path, edits in by_path.items()
            ],
        )


def _replacement(edit: Edit) -> om.Replacement:
    place = edit.place
    deleted = om.Region(
        start_line=place.line,
        start_column=place.column,
        end_line=place.end_line or place.line,
        end_column=place.end_column or place.column,
    )
    return om.Replacement(
        deleted_region=deleted, inserted_content=om.ArtifactContent(text=edit.text) if edit.text else None
    )


def _suppressions(alert: _Alert, sources: Sources) -> list[om.Suppression]:
    """Why it is suppressed; nothing where one of its findings is not."""
    first = alert.findings[0]
    if not all(each.suppressed for each in alert.findings):
        return []
    place = first.place
    for comment in sources.comments.get(place.path, ()):
        near = comment.line in (place.line, place.end_line) or comment.first <= place.line <= comment.last
        named = not comment.rules or any(
            rule.id == first.rule for selector in comment.rules for rule in matching(selector)
        )
        if near and named:
            where = location(sources, Place(place.path, comment.line))
            return [_suppression(comment.reason or "No reason is given.", where)]
    return [_suppression("The comment that suppresses it is not at hand.", None)]


def _suppression(reason: str, where: om.Location | None) -> om.Suppression:
    return Suppression(kind="inSource", status="accepted", justification=reason, location=where)


def _remarks(finding: Finding) -> dict[str, Any]:
    """What has no property of its own in SARIF."""
    said: dict[str, Any] = {
        "certainty": finding.certainty,
        "framework": finding.framework,
        "frameworkVersion": finding.framework_version,
        "cell": finding.place.cell,
        "also": list(finding.also),
        "codes": list(finding.codes),
        "runtime": finding.runtime,
    }
    return {name: value for name, value in said.items() if value not in (None, [])}


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
