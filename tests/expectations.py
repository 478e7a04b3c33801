"""What annotated inputs expect of the audit, beside the code they speak of.

``# expect: RA101`` (or ``H1``: any rule of the family; several: ``H1, RA301``) asks for a finding, or a step
of its flow, within two lines; with ``(arguable ...)`` behind it either answer is accepted. No finding may
stand on a line with ``# expect-none``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from resume_audit.contract import Finding

NEAR = 2
"""Lines by which a finding may miss its comment."""

_EXPECT = re.compile(r"#\s*expect:\s*((?:H\d+|RA\d{3})(?:\s*,\s*(?:H\d+|RA\d{3}))*)\s*(\(arguable)?")


@dataclass(frozen=True, slots=True)
class Hazard:
    """A finding that is asked for."""

    path: str
    line: int
    wanted: str

    def met_by(self, finding: Finding) -> bool:
        """Whether the finding is of the rule or family, and it or its flow is near."""
        rules = {finding.rule, *finding.also}
        if self.wanted not in rules and self.wanted not in {f"H{rule[2]}" for rule in rules}:
            return False
        places = (finding.place, *(step.place for step in finding.flow))
        return any(place.path == self.path and abs(place.line - self.line) <= NEAR for place in places)


@dataclass(frozen=True, slots=True)
class Quiet:
    """A line that no finding may stand on."""

    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Expectations:
    """What is expected of some files."""

    hazards: tuple[Hazard, ...] = ()
    quiet: tuple[Quiet, ...] = ()

    def of(self, path: str) -> Expectations:
        """Those of one file."""
        return Expectations(
            tuple(each for each in self.hazards if each.path == path),
            tuple(each for each in self.quiet if each.path == path),
        )

    def unmet(self, findings: Iterable[Finding]) -> list[Hazard]:
        """The hazards that no finding meets."""
        found = tuple(findings)
        return [hazard for hazard in self.hazards if not any(map(hazard.met_by, found))]

    def broken(self, findings: Iterable[Finding]) -> list[Finding]:
        """The findings that stand where none may."""
        safe = {(each.path, each.line) for each in self.quiet}
        return [each for each in findings if (each.place.path, each.place.line) in safe]


def read(folder: Path) -> Expectations:
    """The expectations of every Python file below a folder, with paths relative to it."""
    hazards: list[Hazard] = []
    quiet: list[Quiet] = []
    for file in files_of(folder):
        path = file.relative_to(folder).as_posix()
        for number, text in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if "expect-none" in text:
                quiet.append(Quiet(path, number))
            elif (match := _EXPECT.search(text)) and not match[2]:
                hazards += (Hazard(path, number, wanted) for wanted in re.split(r"\s*,\s*", match[1]))
    return Expectations(tuple(hazards), tuple(quiet))


def files_of(folder: Path) -> Sequence[Path]:
    """The Python files below a folder, in order."""
    return sorted(folder.rglob("*.py"))
