"""The annotated cases that lie beside the repository, scored by the scorer that lies with them."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from resume_audit.tests.expectations import read
from resume_audit.tests.processes import PACKAGE, check

SHARED = PACKAGE.parent / "shared"
CASES, SCORER = SHARED / "cases", SHARED / "tools" / "score_cases.py"
REQUIRED = ("R03.py", "R12.py", "R19.py")

pytestmark = pytest.mark.skipif(
    not (CASES.is_dir() and SCORER.is_file()), reason="needs ../shared/cases and ../shared/tools beside the checkout"
)


@pytest.fixture(scope="module")
def score(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What the scorer prints."""
    folder = tmp_path_factory.mktemp("cases")
    report = folder / "cases.json"
    ran = check(CASES, "--no-cache", "--output", f"json={report}", "-q", cwd=folder, form="json")
    assert (ran.status, ran.err) == (1, "")
    command = [sys.executable, str(SCORER), str(CASES), str(report)]
    scored = subprocess.run(command, capture_output=True, text=True, check=False)
    assert scored.stderr == ""
    assert re.search(r"^found \d+/\d+ expected; \d+ false alarms", scored.stdout, re.MULTILINE)
    return scored.stdout.splitlines()


def test_there_is_something_to_find() -> None:
    wanted = [each for each in read(CASES).hazards if each.path in REQUIRED and each.wanted in ("H1", "H3")]
    assert {each.path for each in wanted} == set(REQUIRED)


@pytest.mark.parametrize("path", REQUIRED)
def test_early_effects_and_swallowed_waits_are_found(score: list[str], path: str) -> None:
    assert [line for line in score if re.match(rf"MISS (?:.*/)?{re.escape(path)}:\d+ H[13]\b", line)] == []


def test_no_safe_line_is_flagged(score: list[str]) -> None:
    assert [line for line in score if line.startswith("FALSE ALARM")] == []
