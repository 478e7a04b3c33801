"""The parts of a SARIF log that are the same for every audit: rules, taxonomy, kinds of notifications."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import sarif_om as om

from ..contract import PROPERTIES, Finding, Level, Property
from ..rules.base import Precision, StaticRule
from ..rules.registry import STATIC, family, is_own
from .pages import rule_page

TAXONOMY = "Resume contract"
_TAXA: tuple[Property, ...] = ("PC", "EO", "FD", "CV", "CO", "RD", "FI", "LV")

_SEVERITY: dict[Level, str] = {"error": "error", "warning": "warning", "note": "recommendation"}
_LONGEST = 1024
"""Characters that GitHub takes of a description."""

_DOCS = "https://docs.langchain.com/oss/python/langgraph/"
_HELP = {"RA2": "use-time-travel", "RA3": "interrupts", "RA6": "persistence"}
_HELP_ELSE = "durable-execution"
"""The framework's page on the matter: code scanning wants an address, and our own page travels as ``help``."""

UNREAD, NOT_CHECKED, FAULT, LEFT_OUT = "file-not-audited", "not-checked", "audit-fault", "left-out"
_NOTIFICATIONS: dict[str, tuple[str, Level]] = {
    UNREAD: ("A file could not be read or parsed; the rest was audited.", "warning"),
    NOT_CHECKED: ("Code that the audit did not look at, or could not follow.", "note"),
    FAULT: ("The audit itself failed in part: findings may be missing.", "error"),
    LEFT_OUT: ("Findings, or parts of them, for which code scanning has no room.", "warning"),
}


def rules(findings: Iterable[Finding]) -> list[om.ReportingDescriptor]:
    """Every rule, by id; after them those that only a finding knows."""
    known = {rule.id for rule in STATIC}
    others = {each.rule: each for each in findings if each.rule not in known}
    return [*map(_rule, STATIC), *(_bare(others[name]) for name in sorted(others))]


def _rule(rule: StaticRule) -> om.ReportingDescriptor:
    text = "\n\n".join(_flat(each) for each in (rule.what, rule.why, f"How to fix: {rule.fix}"))
    made = _descriptor(rule.id, rule.name, rule.level, rule.properties, rule.precision)
    made.short_description = _string(shortened(sentence(rule.summary)))
    made.full_description = _string(shortened(f"{rule.what} {rule.why}"))
    made.help = om.MultiformatMessageString(text=text, markdown=rule_page(rule))
    return made


def _bare(finding: Finding) -> om.ReportingDescriptor:
    """What a finding alone tells of its rule."""
    text = shortened(sentence(finding.name.replace("-", " ")))
    made = _descriptor(finding.rule, finding.name, finding.level, finding.properties, "medium")
    made.short_description = made.full_description = _string(text)
    made.help = om.MultiformatMessageString(text=text, markdown=text)
    return made


def _descriptor(
    rule: str, name: str, level: Level, properties: Sequence[Property], precision: Precision
) -> om.ReportingDescriptor:
    return om.ReportingDescriptor(
        id=rule,
        name=pascal(name),
        help_uri=_DOCS + _HELP.get(family(rule), _HELP_ELSE),
        default_configuration=om.ReportingConfiguration(level=level),
        relationships=[_relationship(each) for each in taxa(properties)] or None,
        properties={
            # GitHub keeps ten tags: there are eight properties of the contract.
            "tags": ["maintainability" if is_own(rule) else "reliability", *taxa(properties)],
            "precision": precision,
            "problem.severity": _SEVERITY[level],
        },
    )


def taxonomy() -> om.ToolComponent:
    """The properties of the resume contract."""
    said = {name: PROPERTIES[name].partition(": ") for name in _TAXA}
    return om.ToolComponent(
        name=TAXONOMY,
        version="1",
        short_description=_string("What an agent's run keeps when it is resumed."),
        full_description=_string("The properties of a checkpoint, interrupt and resume plane that rules speak of."),
        is_comprehensive=True,
        taxa=[
            om.ReportingDescriptor(
                id=name,
                name=pascal(head),
                short_description=_string(f"{head}."),
                full_description=_string(f"{what[:1].upper()}{what[1:]}"),
            )
            for name, (head, _, what) in said.items()
        ],
    )


def taxa(properties: Iterable[Property]) -> list[Property]:
    """The taxa of these properties: CO stands for CO-c and CO-e; barriers are no part of the contract."""
    heads = {each.partition("-")[0] for each in properties}
    return [each for each in _TAXA if each in heads]


def taxon(name: Property) -> om.ReportingDescriptorReference:
    """A reference to a taxon."""
    return om.ReportingDescriptorReference(id=name, index=_TAXA.index(name), tool_component=taxonomy_reference())


def taxonomy_reference() -> om.ToolComponentReference:
    """The taxonomy, as the first of the run."""
    return om.ToolComponentReference(name=TAXONOMY, index=0)


def notification_kinds() -> list[om.ReportingDescriptor]:
    """What the audit says of itself."""
    return [
        om.ReportingDescriptor(
            id=name,
            name=pascal(name),
            short_description=_string(text),
            full_description=_string(text),
            help=_string(text),
            default_configuration=om.ReportingConfiguration(level=level),
        )
        for name, (text, level) in _NOTIFICATIONS.items()
    ]


def notification(kind: str, text: str, locations: Sequence[om.Location] = ()) -> om.Notification:
    """One thing that the audit says of itself."""
    return om.Notification(
        message=om.Message(text=sentence(text)),
        descriptor=om.ReportingDescriptorReference(id=kind, index=list(_NOTIFICATIONS).index(kind)),
        level=_NOTIFICATIONS[kind][1],
        locations=list(locations) or None,
    )


def sentence(text: str) -> str:
    """The text on one line, ending as a sentence does."""
    flat = _flat(text)
    return flat if flat.endswith((".", "?", "!")) else f"{flat}."


def shortened(text: str) -> str:
    """As many whole sentences as GitHub takes."""
    flat = _flat(text)
    if len(flat) <= _LONGEST:
        return flat
    end = flat.rfind(". ", 0, _LONGEST)
    return flat[: end + 1] if end > 0 else f"{flat[: _LONGEST - 3]}..."


def pascal(name: str) -> str:
    """``effect-before-wait`` as EffectBeforeWait, ``Fork intent`` as ForkIntent."""
    return "".join(part[:1].upper() + part[1:] for part in name.replace("-", " ").split())


def _relationship(name: Property) -> om.ReportingDescriptorRelationship:
    return om.ReportingDescriptorRelationship(target=taxon(name), kinds=["relevant"])


def _string(text: str) -> om.MultiformatMessageString:
    return om.MultiformatMessageString(text=text)


def _flat(text: str) -> str:
    return " ".join(text.split())
