"""What is asked for by paths, formats and versions, and what is said of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import resume_audit
from resume_audit.tests.cli.test_check import audit, said_in_one_line

if TYPE_CHECKING:
    from resume_audit.tests.cli.conftest import Fake

pytestmark = pytest.mark.usefixtures("project")


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


def test_framework_versions(fake: Fake, project: Path) -> None:
    configured = '[tool.resume-audit]\nframeworks = ["langgraph==1.1.10"]\n'
    (project / "pyproject.toml").write_text(configured)
    audit()
    audit("--framework-version", "LangGraph==1.2.9")
    assert [each.built_with.framework_versions for each in fake.programs] == [
        {"langgraph": "1.1.10"},
        {"langgraph": "1.2.9"},
    ]


@pytest.mark.parametrize(
    "written, said",
    [
        ("lanhgraph==1.2.9", "no framework is called 'lanhgraph'; did you mean langgraph?"),
        ("lanhgraph", "no framework is called 'lanhgraph'; did you mean langgraph?"),
        ("zzz==1", "no framework is called 'zzz' (langgraph)"),
        ("langgraph>=1", "'langgraph>=1' is not NAME==VERSION"),
        ("langgraph==1.2.x", "'langgraph==1.2.x' is not NAME==VERSION"),
    ],
)
def test_a_misspelt_framework_is_wrong_usage(fake: Fake, project: Path, written: str, said: str) -> None:
    (project / "pyproject.toml").write_text(f'[tool.resume-audit]\nframeworks = ["{written}"]\n')
    told = said_in_one_line(audit())
    assert f"pyproject.toml: [tool.resume-audit] `frameworks`: {said}" in told


@pytest.mark.parametrize(
    "written, said",
    [
        ("lanhgraph=1.2", "--framework-version: no framework is called 'lanhgraph'; did you mean langgraph?"),
        ("langgraph=1.2.x", "is not NAME=VERSION"),
    ],
)
def test_a_misspelt_framework_of_an_option_is_wrong_usage(fake: Fake, project: Path, written: str, said: str) -> None:
    assert said in said_in_one_line(audit("--framework-version", written))


def test_nothing_to_audit_is_warned_of(fake: Fake, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    result = audit(str(tmp_path / "empty"))
    assert result.exit_code == 0
    assert "no Python files" in result.stderr
    assert audit("-q", str(tmp_path / "empty")).stderr == ""


def test_a_path_with_nothing_to_audit_is_told_in_every_report(fake: Fake, project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.resume-audit]\nexclude = ["*_pb2.py"]\n')
    (project / "made").mkdir()
    (project / "made" / "x_pb2.py").write_text("ERROR = 1\n")
    (project / "empty").mkdir()
    (project / "notes.md").write_text("words\n")
    line = "empty: no Python files or notebooks to audit here"
    result = audit("empty", "lib", "made")
    assert result.exit_code == 0
    assert f"  - {line}\n" in result.stdout
    assert "  - made: no Python files or notebooks to audit here\n" in result.stdout
    assert " lib: no Python" not in result.stdout
    assert line in json.loads(audit("--format", "json", "empty").stdout)["not_checked"]
    run = json.loads(audit("--format", "sarif", "empty").stdout)["runs"][0]
    told = [each["message"]["text"] for each in run["invocations"][0]["toolExecutionNotifications"]]
    assert f"Not checked: {line}." in told
    assert "no Python files or notebooks to audit" not in audit(".").stdout
    assert "notes.md: no Python file by its name" in audit("notes.md").stdout
    assert "by its name" not in audit("app.py").stdout


def test_a_link_to_nowhere_is_told_once_and_where_it_was_asked_for(fake: Fake, project: Path) -> None:
    (project / "lib" / "gone.py").symlink_to("nothing.py")
    (project / "sub").mkdir()
    line = "  lib/gone.py:1: symbolic link cannot be followed: No such file or directory\n"
    for arguments in (["."], ["lib"], [".", "lib"], ["lib", str(project / "lib")]):
        result = audit(*arguments)
        assert (result.stdout.count(line), result.output.count("gone.py")) == (1, 1)
    assert "gone.py" not in audit("sub").output
    assert "gone.py" not in audit("lib/quiet.py").output


@pytest.mark.parametrize(
    "told, said", [({"lanhgraph": "1.2"}, "did you mean langgraph"), ({"langgraph": "x"}, "'x' is no version")]
)
def test_the_function_refuses_what_the_command_refuses(fake: Fake, told: dict[str, str], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        resume_audit.check(".", framework_versions=told)


def test_for_the_function_a_wrong_configuration_is_a_wrong_value(fake: Fake, project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.resume-audit]\nselekt = ["RA1"]\n')
    with pytest.raises(ValueError, match="did you mean `select`"):
        resume_audit.check(".")
