"""``resume-audit check``: where reports go, and in which format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from resume_audit.cli.main import door

if TYPE_CHECKING:
    from resume_audit.tests.cli.conftest import Fake

pytestmark = pytest.mark.usefixtures("project")


def audit(*arguments: str) -> Result:
    return CliRunner().invoke(door, ["check", *arguments])


def test_output_file(fake: Fake, project: Path) -> None:
    result = audit("--output", "out/report.txt")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "written to out/report.txt" in result.stderr
    assert (project / "out" / "report.txt").read_text().startswith("app.py (2 findings)")


def test_output_in_several_formats(fake: Fake, project: Path) -> None:
    result = audit("--output", "json=r.json", "--output", "text=r.txt", "--format", "json", "--output", "-")
    assert json.loads((project / "r.json").read_text())["schema"] == 1
    assert (project / "r.json").read_text() == result.stdout
    assert "Found" in (project / "r.txt").read_text()


@pytest.mark.parametrize(
    "name, start",
    [
        ("r.json", '{\n  "tool"'),
        ("r.JSON", '{\n  "tool"'),
        ("r.sarif", '{"$schema"'),
        ("r.sarif.json", '{"$schema"'),
        ("r.txt", "app.py (2"),
        ("r", "app.py (2"),
        ("r.log", "app.py (2"),
        ("text=r.json", "app.py (2"),
    ],
)
def test_the_name_of_a_file_tells_its_format(fake: Fake, project: Path, name: str, start: str) -> None:
    assert audit("--output", name).stdout == ""
    assert (project / name.rpartition("=")[2]).read_text().startswith(start)
    audit("--format", "text", "--output", name)
    assert (project / name.rpartition("=")[2]).read_text().startswith("app.py (2")


def test_a_format_that_no_file_takes_goes_to_standard_output(fake: Fake, project: Path) -> None:
    assert audit("--format", "text", "--output", "json=r.json").stdout.startswith("app.py")
    assert audit("--output", "json=r.json").stdout == ""
    assert audit("--format", "json", "--output", "json=r.json").stdout == ""


def test_colour_never_goes_to_a_file(fake: Fake, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" in audit().stdout
    audit("--output", "r.txt")
    assert "\x1b" not in (project / "r.txt").read_text()
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in audit().stdout
