"""Runs the rules; one that fails takes nothing else with it."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..contract import Finding
from .base import StaticRule

if TYPE_CHECKING:
    from ..analyzer.program import Program

_PACKAGE = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Fault:
    """A failure of the audit itself: where, as one line, and the traceback for those who mend it."""

    source: str
    line: str
    detail: str


def run(
    program: Program,
    rules: Sequence[StaticRule],
    progress: Callable[[str, int, int], None] | None = None,
) -> tuple[list[Finding], list[Fault]]:
    """What the rules find, and a fault for each rule that raised.

    ``progress`` is told ("rules", rules done, rules).
    """
    findings: list[Finding] = []
    faults: list[Fault] = []
    for number, rule in enumerate(rules):
        if progress is not None:
            progress("rules", number, len(rules))
        try:
            findings.extend(rule.check(program))
        except Exception as error:  # noqa: BLE001 - one rule's mistake must not hide what the others find
            faults.append(fault_of(rule.id, error))
    if progress is not None:
        progress("rules", len(rules), len(rules))
    return findings, faults


def fault_of(source: str, error: Exception) -> Fault:
    """The error as a fault of ``source`` (a rule id or a part of the audit)."""
    said = " ".join(str(error).split())[:300]
    where = ""
    for frame in traceback.extract_tb(error.__traceback__):
        path = Path(frame.filename).resolve()
        if path.is_relative_to(_PACKAGE):
            where = f" ({path.relative_to(_PACKAGE).as_posix()}:{frame.lineno})"
    what = f"{type(error).__name__}: {said}" if said else type(error).__name__
    return Fault(source, f"{source} failed: {what}{where}", "".join(traceback.format_exception(error)))
