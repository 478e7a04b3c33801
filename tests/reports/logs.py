"""SARIF logs made from findings on files that are written for the purpose."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from resume_audit.contract import Finding, Level, Place, Report, Step
from resume_audit.reports.sarif import render
from resume_audit.reports.sources import Sources

APP = """\
import smtplib

def ask_manager(state):
    mailer.send(state["offer"])
    return ask(state)
"""
HUMAN = "def ask(state):\n    return interrupt(state)\n"


def sources(root: Path, files: Mapping[str, str | bytes], **more: Any) -> Sources:
    """The files, written below the root."""
    texts: dict[str, list[str]] = {}
    for path, content in files.items():
        data = content.encode() if isinstance(content, str) else content
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
        texts[path] = data.decode("utf-8", "replace").split("\n")

    def line(path: str, number: int) -> str:
        lines = texts.get(path, [])
        return lines[number - 1] if 0 < number <= len(lines) else ""

    return Sources(root, {path: root / path for path in files}, line, **more)


def desk(root: Path) -> Sources:
    """A mail that leaves before a wait in another file."""
    return sources(root, {"src/app.py": APP, "src/human.py": HUMAN})


def mail(level: Level = "error", **more: Any) -> Finding:
    """The finding in ``desk``."""
    return Finding(
        **{
            "rule": "RA101",
            "name": "effect-before-wait",
            "properties": ("EO",),
            "level": level,
            "place": Place("src/app.py", 4, 5, 4, 32),
            "symbol": "app.ask_manager",
            "message": "The mail is sent again with each answer to the wait at src/human.py:2. Move it.",
            "framework": "langgraph",
            "framework_version": "1.2.24",
            "flow": (
                Step(Place("src/app.py", 4, 5, 4, 32), "effect", "the effect: mailer.send()"),
                Step(Place("src/app.py", 5, 12, 5, 22), "call", "then ask() leads to the wait"),
                Step(Place("src/human.py", 2, 12, 2, 28), "wait", "the run parks here"),
            ),
            **more,
        }
    )


def log(report: Report, files: Sources, version: str = "0.1.0") -> dict[str, Any]:
    """The log as readers see it."""
    made: dict[str, Any] = json.loads(render(report, version, files))
    return made


def run(report: Report, files: Sources) -> dict[str, Any]:
    """The one run of a log."""
    (only,) = log(report, files)["runs"]
    assert isinstance(only, dict)
    return only


def result(finding: Finding, files: Sources) -> dict[str, Any]:
    """The one result for a finding."""
    (only,) = run(Report((finding,)), files)["results"]
    assert isinstance(only, dict)
    return only
