"""Exit statuses."""

from __future__ import annotations

from ..contract import LEVELS, Report

CLEAN = 0
FINDINGS = 1
USAGE = 2
FAULT = 3
INTERRUPTED = 130

FAIL_ON = ("error", "warning", "note", "never")
"""What ``--fail-on`` takes."""


def of(report: Report, fail_on: str) -> int:
    """The status of an audit: a fault counts more than findings at or above ``fail_on``."""
    if report.faults:
        return FAULT
    failing = LEVELS[LEVELS.index(fail_on) :] if fail_on in LEVELS else ()
    return FINDINGS if any(each.level in failing and not each.suppressed for each in report.findings) else CLEAN
