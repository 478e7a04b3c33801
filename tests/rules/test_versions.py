"""Rules that judge by the framework's version: pinned, or told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import resume_audit
from resume_audit.cli import api

FIXTURES = Path(resume_audit.__file__).parent / "fixtures" / "static"


def found(folder: str, **versions: str) -> list[tuple[str, str, str]]:
    path = FIXTURES / folder
    request = api.Request(paths=(path,), use_cache=False, jobs=1, framework_versions=versions)
    with api.audit(replace(api.plan(request), root=path)) as done:
        assert done.report.faults == ()
        return [(each.rule, each.level, each.framework_version or "") for each in done.report.findings]


@pytest.mark.parametrize(
    "folder, told, wanted",
    [
        ("old_subgraph_steps", {}, "1.2.14"),
        ("old_subgraph_steps", {"langgraph": "1.2.16"}, ""),
        ("new_subgraph_steps", {}, ""),
        ("new_subgraph_steps", {"langgraph": "1.2.9"}, "1.2.9"),
    ],
)
def test_recorded_steps_of_subgraphs(folder: str, told: dict[str, str], wanted: str) -> None:
    """Measured: run again with each answer up to 1.2.14, kept from 1.2.16 on."""
    repeated = [version for rule, _, version in found(f"RA101/{folder}", **told) if rule == "RA101"]
    assert repeated == ([wanted] if wanted else [])


def test_answers_at_the_head() -> None:
    """Measured: the first one repeats finished siblings up to 1.2.14, later only a second one does harm."""

    def errors(version: str) -> int:
        folders = sorted((FIXTURES / "RA201").iterdir())
        every = [each for folder in folders for each in found(f"RA201/{folder.name}", langgraph=version)]
        return sum(rule == "RA201" and level == "error" for rule, level, _ in every)

    assert errors("1.2.14") > errors("1.2.16") == errors("1.2.24") > 0
