"""The workflow in the README does what it says."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from resume_audit.reports.sarif import CATEGORY
from resume_audit.tests.processes import PACKAGE, Ran, run


@pytest.fixture(scope="module")
def workflow() -> dict[Any, Any]:
    blocks = re.findall(r"```yaml\n(.*?)```", (PACKAGE / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    (block,) = [each for each in blocks if "upload-sarif" in each]
    made = yaml.safe_load(block)
    assert isinstance(made, dict)
    return made


@pytest.fixture(scope="module")
def steps(workflow: dict[Any, Any]) -> list[dict[str, Any]]:
    (job,) = workflow["jobs"].values()
    found: list[dict[str, Any]] = job["steps"]
    return found


def test_it_runs_on_pull_requests_and_on_what_they_are_compared_with(workflow: dict[Any, Any]) -> None:
    events = workflow[True]  # what YAML 1.1 makes of "on"
    assert set(events) == {"push", "pull_request"}


def test_it_may_upload_and_nothing_else(workflow: dict[Any, Any]) -> None:
    assert workflow["permissions"] == {"contents": "read", "security-events": "write"}


def test_the_upload_happens_whatever_the_audit_says(steps: list[dict[str, Any]]) -> None:
    upload = steps[-1]
    assert upload["uses"] == "github/codeql-action/upload-sarif@v4"
    assert upload["if"] == "always()"
    assert upload["with"] == {"sarif_file": "resume-audit.sarif", "category": CATEGORY.rstrip("/")}


def audited(steps: list[dict[str, Any]], root: Path, *more: str) -> Ran:
    (line,) = [step["run"] for step in steps if step.get("run", "").startswith("resume-audit ")]
    words: list[str | Path] = [sys.executable, "-m", "resume_audit", *shlex.split(line)[1:], *more]
    return run(words, root)


@pytest.mark.parametrize("more, status", [((), 0), (("--fail-on", "error"), 1)])
def test_the_audit_writes_what_is_uploaded(
    steps: list[dict[str, Any]], more: tuple[str, ...], status: int, tmp_path: Path
) -> None:
    (tmp_path / "node.py").write_text(
        "import requests\nfrom langgraph.types import interrupt\nfrom langgraph.graph import StateGraph\n\n"
        'def node(state):\n    requests.post("https://x.example")\n    interrupt("?")\n\n'
        'StateGraph(dict).add_node("node", node)\n'
    )
    assert audited(steps, tmp_path, *more).status == status
    assert '"level":"error"' in (tmp_path / steps[-1]["with"]["sarif_file"]).read_text(encoding="utf-8")
