"""The command as a process, as users run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import resume_audit

PACKAGE = Path(resume_audit.__file__).parent
LIMIT = 60.0
"""Seconds after which an audit counts as hanging."""


@dataclass(frozen=True, slots=True)
class Ran:
    """How a run ended. ``report`` is the JSON document on standard output."""

    status: int
    out: bytes
    err: str

    @property
    def report(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.out.decode("utf-8"))
        return document

    @property
    def errors(self) -> dict[str, list[tuple[int, str]]]:
        """The errors by path."""
        found: dict[str, list[tuple[int, str]]] = {}
        for each in self.report["errors"]:
            found.setdefault(each["path"], []).append((each["line"], each["message"]))
        return found

    @property
    def rules(self) -> dict[str, list[str]]:
        """The rules found, by path."""
        found: dict[str, list[str]] = {}
        for each in self.report["findings"]:
            found.setdefault(each["path"], []).append(each["rule"])
        return found


def check(*arguments: str | Path, cwd: Path, form: str = "json", environment: dict[str, str] | None = None) -> Ran:
    """``resume-audit check`` with the given arguments. Fails where it does not end in a minute."""
    return run([sys.executable, "-m", "resume_audit", "check", *arguments, "--format", form], cwd, environment)


def run(command: list[str | Path], cwd: Path, environment: dict[str, str] | None = None) -> Ran:
    """Any command, with nothing to read."""
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**kept, **(environment or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=LIMIT,
    )
    return Ran(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))
