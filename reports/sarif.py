"""The report for code scanning: SARIF 2.1.0 within GitHub's limits."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable

import sarif_om as om

from ..contract import AuditError, Place, Report
from .provenance import provenance
from .sarif_json import dumps
from .sarif_places import ROOT, location
from .sarif_results import MOST_RESULTS, Results, results
from .sarif_rules import (
    FAULT,
    LEFT_OUT,
    NOT_CHECKED,
    UNREAD,
    notification,
    notification_kinds,
    rules,
    taxonomy,
    taxonomy_reference,
)
from .sources import Sources

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
TOOL = "pkg:pypi/resume-audit"
"""Readers want an address of the tool. It has no site, but a name among packages."""

CATEGORY = "resume-audit/static/"
"""What code scanning keeps apart by; the slash at its end belongs to it."""

MOST_BYTES = 10_000_000
"""Of the log as it is sent, compressed."""

_MACHINE_PATH = re.compile(r"(?<![\w.<>-])(?:[A-Za-z]:)?[/\\]+[^\s'\"`:,;()]+[/\\][^\s'\"`:,;()]*")


def render(report: Report, version: str, sources: Sources) -> str:
    """The report as SARIF, on one line; ``version`` is the tool's.

    A report that is too large loses its mildest findings, and says so.
    """
    most = MOST_RESULTS
    while True:
        text, count = _rendered(report, version, sources, most)
        size = _sent(text)
        if size <= MOST_BYTES or not count:
            return text
        most = min(count - 1, int(count * 0.9 * MOST_BYTES / size))


def _sent(text: str) -> int:
    data = text.encode("utf-8", "backslashreplace")
    return len(data) if len(data) <= MOST_BYTES else len(gzip.compress(data, 6, mtime=0))


def _rendered(report: Report, version: str, sources: Sources, most: int) -> tuple[str, int]:
    """The text, and the number of results in it."""
    known = rules(report.findings)
    found = results(report.findings, sources, {rule.id: number for number, rule in enumerate(known)}, most)
    run = om.Run(
        tool=om.Tool(driver=_driver(version, known)),
        automation_details=om.RunAutomationDetails(id=CATEGORY),
        column_kind="unicodeCodePoints",
        original_uri_base_ids={
            ROOT: om.ArtifactLocation(description=om.Message(text="The root of the audited project."))
        },
        version_control_provenance=_provenance(sources),
        invocations=[
            om.Invocation(
                execution_successful=not report.faults,
                tool_execution_notifications=list(_notifications(report, found, sources)) or None,
            )
        ],
        taxonomies=[taxonomy()],
        results=found.results,
    )
    return dumps(om.SarifLog(schema_uri=SCHEMA, version="2.1.0", runs=[run])), len(found.results)


def _driver(version: str, known: list[om.ReportingDescriptor]) -> om.ToolComponent:
    return om.ToolComponent(
        name="resume-audit",
        information_uri=TOOL,
        version=version,
        semantic_version=version,
        rules=known,
        notifications=notification_kinds(),
        supported_taxonomies=[taxonomy_reference()],
    )


def _provenance(sources: Sources) -> list[om.VersionControlDetails] | None:
    found = provenance(sources.root) if sources.root is not None else None
    if found is None:
        return None
    return [
        om.VersionControlDetails(
            repository_uri=found.repository,
            revision_id=found.commit,
            branch=found.branch,
            mapped_to=om.ArtifactLocation(uri_base_id=ROOT),
        )
    ]


def _notifications(report: Report, found: Results, sources: Sources) -> Iterable[om.Notification]:
    for error in report.errors:
        text = f"{error.path} could not be audited: {error.message}"
        yield notification(UNREAD, text, _where(error, sources))
    for line in report.not_checked:
        yield notification(NOT_CHECKED, f"Not checked: {line}")
    for fault in report.faults:
        # An exception's text may name folders of the machine.
        yield notification(FAULT, _MACHINE_PATH.sub("...", fault))
    for remark in found.remarks():
        yield notification(LEFT_OUT, remark)


def _where(error: AuditError, sources: Sources) -> list[om.Location]:
    """The line, if there is a file that could hold it."""
    return [] if sources.data(error.path) is None else [location(sources, Place(error.path, error.line))]
