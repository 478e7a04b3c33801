"""A small program model and two rules, so that the doors are tested without the analyzer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from resume_audit.analyzer.discover import FoundFile
from resume_audit.analyzer.program import Program
from resume_audit.analyzer.suppression_comments import suppressions
from resume_audit.cli import api
from resume_audit.contract import AuditError, Finding, Place, Stats
from resume_audit.rules.base import StaticRule
from resume_audit.rules.registry import by_id


class FakeProgram:
    """Files by relative path. ``built_with`` are the options it was built with."""

    cache_hits = 0
    not_checked = ("what a fake does not see",)
    hurried: bool = False

    def __init__(self, files: Sequence[FoundFile], options: Any) -> None:
        self.files = {file.relative: file.path.read_text(encoding="utf-8") for file in files}
        self.built_with = options
        self.closed = False
        self.errors = tuple(
            AuditError(path, 1, "invalid syntax") for path, text in self.files.items() if "SYNTAX" in text
        )
        lines = sum(text.count("\n") for text in self.files.values())
        self.pins = SimpleNamespace(errors=())
        self.project = SimpleNamespace(files=self.files)
        self.stats = Stats(len(self.files), len(self.files), lines)

    def suppressions(self, relative: str) -> tuple[Any, ...]:
        return tuple(suppressions(self.files.get(relative, ""), []))

    def version(self, path: str, framework: str) -> str:
        return str(self.built_with.framework_versions.get(framework, ""))

    def source_line(self, relative: str, line: int) -> str:
        lines = self.files.get(relative, "").splitlines()
        return lines[line - 1] if 0 < line <= len(lines) else ""

    def close(self) -> None:
        self.closed = True


class MarkedLine(StaticRule):
    """Finds a word on a line."""

    what = why = summary = bad = good = "marked"
    fix = "Remove the mark. Then look again."
    word = ""

    def check(self, program: Program) -> Iterable[Finding]:
        for path, text in cast("FakeProgram", program).files.items():
            for number, line in enumerate(text.splitlines(), 1):
                if self.word in line:
                    column = line.index(self.word) + 1
                    place = Place(path, number, column, number, column + len(self.word))
                    yield self.finding(place, "app", f"found {self.word}")


class Error(MarkedLine):
    id, name, properties, level, word = "RA101", "effect-before-wait", ("EO",), "error", "ERROR"


class Warn(MarkedLine):
    id, name, properties, level, word = "RA301", "wait-swallowed", ("LV",), "warning", "WARNING"


class Note(MarkedLine):
    id, name, properties, level, word = "RA302", "dead-interrupt-handler", (), "note", "NOTE"


class Breaks(MarkedLine):
    id, name, properties, word = "RA601", "wait-without-checkpointer", ("LV",), "BREAK"

    def check(self, program: Program) -> Iterable[Finding]:
        for finding in super().check(program):
            raise RuntimeError(f"at {finding.place.line}")
        return ()


@dataclass
class Fake:
    """What the doors did: the programs they built. ``fail`` makes the next build raise."""

    programs: list[FakeProgram] = field(default_factory=list)
    fail: Exception | KeyboardInterrupt | None = None

    def build(self, root: Path, files: Sequence[FoundFile], options: Any) -> Program:
        if self.fail is not None:
            raise self.fail
        self.programs.append(FakeProgram(files, options))
        return cast("Program", self.programs[-1])


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Fake:
    made = Fake()
    own = tuple(rule for rule in (by_id("RA001"), by_id("RA002")) if rule is not None)
    assert len(own) == 2
    monkeypatch.setattr("resume_audit.analyzer.program.build", made.build)
    monkeypatch.setattr(api, "STATIC", (*own, Error(), Warn(), Note(), Breaks()))
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return made


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with an error, a warning and a note; the current folder."""
    root = tmp_path / "project"
    root.mkdir()
    (root / "pyproject.toml").touch()
    (root / "app.py").write_text("x = 1\nERROR = 2\nWARNING = 3\nNOTE = 4\n", encoding="utf-8")
    (root / "lib").mkdir()
    (root / "lib" / "quiet.py").write_text("y = 1\n", encoding="utf-8")
    monkeypatch.chdir(root)
    return root
