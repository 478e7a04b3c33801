"""The words both arms share: what a finding, a place and a report are.

Standard library only: the tracer imports this module inside the traced process.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Level = Literal["error", "warning", "note"]
"""How bad a finding is. ``error``: measured to break in the assumed framework version."""

Certainty = Literal["certain", "likely", "unknown"]
"""How a finding was derived: from resolved names, from a name and a verb, or from a guess."""

Property = Literal["PC", "EO", "FD", "FI", "CV", "CO", "CO-c", "CO-e", "RD", "LV", "CB-1", "CB-2", "CB-3", "CB-4"]
"""A property of the resume contract (the paper) or a barrier of the causal boundary (the essay)."""

Role = Literal["effect", "call", "wait", "resume", "source", "sink", "event"]
"""What a step of a flow stands for."""

LEVELS: tuple[Level, ...] = ("note", "warning", "error")
"""Levels from the mildest to the worst."""

PROPERTIES: dict[Property, str] = {
    "PC": "Prefix conservation: work recorded before the park or crash is not run again.",
    "EO": "Effects at most once: a recovered or resumed run repeats no effect.",
    "FD": "Fork discrimination: an answer is served to the wait and branch it was given for.",
    "FI": "Fork intent: a retry and a fork can be told apart on the wire.",
    "CV": "Checkpoint validity: what is stored satisfies the declared state and can be read back.",
    "CO": "Consume once: one answer is taken by one wait, once.",
    "CO-c": "Consume once, consumption: a wait takes one delivery as fresh.",
    "CO-e": "Consume once, effects: a second delivery fires no effect.",
    "RD": "Recovery determinism: equal recoveries take equal decisions.",
    "LV": "Liveness: every run can complete.",
    "CB-1": "Causal boundary, barrier 1: the engine imports nothing cognitive.",
    "CB-2": "Causal boundary, barrier 2: the engine exports only its public surface.",
    "CB-3": "Causal boundary, barrier 3: no cognitive or identity field reaches the engine.",
    "CB-4": "Causal boundary, barrier 4: the engine computes from its frame alone.",
}
"""One sentence a property, as users read it in reports and ``explain``."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A range of source text.

    ``path`` is POSIX and relative to the audited root. Lines and columns are 1-based, columns
    count code points, ``end_column`` is exclusive. ``cell`` is the 1-based notebook cell, else None;
    for notebooks ``line`` is the line in the .ipynb file.
    """

    path: str
    line: int
    column: int = 1
    end_line: int = 0
    end_column: int = 0
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the path that explains a finding."""

    place: Place
    role: Role
    message: str


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text at ``place`` by ``text``."""

    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A suggested change; ``safe`` means that it keeps behaviour apart from the hazard."""

    safe: bool
    message: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """One hazard at one place, with the path that shows why."""

    rule: str
    name: str
    properties: tuple[Property, ...]
    level: Level
    place: Place
    symbol: str
    message: str
    certainty: Certainty = "certain"
    framework: str | None = None
    framework_version: str | None = None
    flow: tuple[Step, ...] = ()
    fixes: tuple[Fix, ...] = ()
    also: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    fingerprint: str = ""
    suppressed: bool = False
    baseline: Literal["new", "unchanged"] = "new"
    runtime: dict[str, object] | None = None


@dataclass(frozen=True, slots=True, order=True)
class AuditError:
    """A file that could not be read or parsed; the rest was audited. ``line`` is 1 where unknown."""

    path: str
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Stats:
    """``files`` seen, ``analysed`` beyond the look at their bytes, and ``lines`` of all files seen."""

    files: int = 0
    analysed: int = 0
    lines: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """What an audit has to say. ``faults`` are failures of the audit itself (exit status 3)."""

    findings: tuple[Finding, ...] = ()
    errors: tuple[AuditError, ...] = ()
    not_checked: tuple[str, ...] = ()
    stats: Stats = field(default_factory=Stats)
    faults: tuple[str, ...] = ()
