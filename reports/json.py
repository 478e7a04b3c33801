"""The report for programs; its shape is public."""

from __future__ import annotations

import json
from typing import Any

from ..contract import Finding, Fix, Report, Step

SCHEMA = 1


def render(report: Report, version: str) -> str:
    """The report as JSON, ending in a newline; ``version`` is the tool's.

    Lone surrogates (undecodable file names) stay in the text: encode it with ``backslashreplace``,
    which writes them as JSON escapes.
    """
    return json.dumps(document(report, version), indent=2, ensure_ascii=False) + "\n"


def document(report: Report, version: str) -> dict[str, Any]:
    """The report as plain data."""
    return {
        "tool": {"name": "resume-audit", "version": version},
        "schema": SCHEMA,
        "findings": [_finding(each) for each in report.findings],
        "errors": [{"path": each.path, "line": each.line, "message": each.message} for each in report.errors],
        "not_checked": list(report.not_checked),
        "stats": {
            "files": report.stats.files,
            "analysed": report.stats.analysed,
            "lines": report.stats.lines,
        },
    }


def _finding(finding: Finding) -> dict[str, Any]:
    place = finding.place
    return {
        "rule": finding.rule,
        "name": finding.name,
        "properties": list(finding.properties),
        "level": finding.level,
        "also": list(finding.also),
        "codes": list(finding.codes),
        "path": place.path,
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line or place.line,
        "end_column": place.end_column or place.column,
        "cell": place.cell,
        "symbol": finding.symbol,
        "message": finding.message,
        "certainty": finding.certainty,
        "framework": finding.framework,
        "framework_version": finding.framework_version,
        "flow": [_step(each) for each in finding.flow],
        "fixes": [_fix(each) for each in finding.fixes],
        "fingerprint": finding.fingerprint,
        "suppressed": finding.suppressed,
        "baseline": finding.baseline,
        "runtime": finding.runtime,
    }


def _step(step: Step) -> dict[str, Any]:
    return {
        "path": step.place.path,
        "line": step.place.line,
        "column": step.place.column,
        "role": step.role,
        "message": step.message,
    }


def _fix(fix: Fix) -> dict[str, Any]:
    return {
        "safe": fix.safe,
        "message": fix.message,
        "edits": [
            {
                "path": edit.place.path,
                "line": edit.place.line,
                "column": edit.place.column,
                "end_line": edit.place.end_line or edit.place.line,
                "end_column": edit.place.end_column or edit.place.column,
                "text": edit.text,
            }
            for edit in fix.edits
        ],
    }
