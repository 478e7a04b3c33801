"""``resume-audit check``: options, reports and exit statuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from resume_audit.cli.main import door
from resume_audit.contract import Report

if TYPE_CHECKING:
    from resume_audit.tests.cli.conftest import Fake

pytestmark = pytest.mark.usefixtures("project")


def audit(*arguments: str) -> Result:
    return CliRunner().invoke(door, ["check", *arguments])


def found(*arguments: str) -> list[str]:
    result = audit("--format", "json", *arguments)
    return [finding["rule"] for finding in json.loads(result.stdout)["findings"]]


def said_in_one_line(result: Result) -> str:
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.mark.parametrize(
    "arguments, status",
    [
        ([], 1),
        (["--fail-on", "error"], 1),
        (["--fail-on", "never"], 0),
        (["--select", "RA301"], 1),
        (["--select", "RA301", "--fail-on", "error"], 0),
        (["--select", "RA302"], 0),
        (["--select", "RA302", "--fail-on", "note"], 0),
        (["--select", "RA302", "--fail-on", "note", "--pedantic"], 1),
        (["lib"], 0),
    ],
)
def test_exit_status(fake: Fake, arguments: list[str], status: int) -> None:
    assert audit(*arguments).exit_code == status


def test_text_is_the_default(fake: Fake) -> None:
    result = audit()
    assert "app.py:2:1: error RA101 effect-before-wait  found ERROR" in result.stdout
    assert "2 | ERROR = 2\n  | ^^^^^\n" in result.stdout
    assert "Found 1 error, 1 warning.\n1 note not shown (--pedantic).\n" in result.stdout
    assert "  - what a fake does not see" in result.stdout
    assert result.stderr == ""
    assert "\x1b" not in result.stdout


def test_json(fake: Fake) -> None:
    document = json.loads(audit("--format", "json").stdout)
    assert document["stats"] == {"files": 2, "analysed": 2, "lines": 5}
    assert [each["line"] for each in document["findings"]] == [2, 3]
    assert document["not_checked"] == ["what a fake does not see"]


def test_selection(fake: Fake) -> None:
    assert found() == ["RA101", "RA301"]
    assert found("--pedantic") == ["RA101", "RA301", "RA302"]
    assert found("--select", "LV,EO") == ["RA101", "RA301"]
    assert found("--select", "RA1", "--select", "RA3") == ["RA101", "RA301"]
    assert found("--ignore", "RA1xx") == ["RA301"]
    assert found("--ignore", "ra101, wait-swallowed") == []
    assert found("--select", "RA101", "--ignore", "EO") == ["RA101"]


def test_paths_limit_what_is_reported_not_what_is_read(fake: Fake) -> None:
    assert found("lib") == []
    assert set(fake.programs[0].files) == {"app.py", "lib/quiet.py"}
    assert found("app.py", "lib") == ["RA101", "RA301"]


def test_errors_are_reported_where_asked_and_keep_the_status(fake: Fake, project: Path) -> None:
    (project / "lib" / "bad.py").write_text("SYNTAX")
    result = audit("lib")
    assert result.exit_code == 0
    assert "lib/bad.py:1: invalid syntax" in result.stdout
    assert "lib/bad.py" not in audit("app.py").stdout


def test_suppressions(fake: Fake, project: Path) -> None:
    (project / "app.py").write_text("ERROR = 2  # resume-audit: ignore[RA101] known\n")
    assert audit().exit_code == 0
    assert "1 suppressed finding not shown" in audit().stdout
    result = audit("--include-suppressed", "--format", "json")
    assert [each["suppressed"] for each in json.loads(result.stdout)["findings"]] == [True]
    assert result.exit_code == 0


def test_notes_on_suppressions_are_shown_without_pedantic(fake: Fake, project: Path) -> None:
    (project / "app.py").write_text("x = 2  # resume-audit: ignore[RA101]\n")
    assert found() == ["RA001", "RA002"]
    assert audit().exit_code == 0
    assert audit("--fail-on", "note").exit_code == 1
    assert found("--ignore", "RA0") == []


def test_statistics(fake: Fake) -> None:
    result = audit("--statistics")
    assert result.stdout.startswith("1  error    RA101  effect-before-wait\n1  warning  RA301  wait-swallowed\n\nFound")
    result = audit("--statistics", "--format", "json")
    assert json.loads(result.stdout)["schema"] == 1
    assert "RA101" in result.stderr


def test_a_failing_rule_is_a_fault_and_the_rest_is_written(fake: Fake, project: Path) -> None:
    (project / "lib" / "odd.py").write_text("BREAK = 1\n")
    result = audit("--format", "json")
    assert result.exit_code == 3
    document = json.loads(result.stdout)
    assert [each["rule"] for each in document["findings"]] == ["RA101", "RA301"]
    assert any(line.startswith("RA601: the rule failed") for line in document["not_checked"])
    assert result.stderr.startswith("resume-audit: fault: RA601 failed: RuntimeError: at 1")
    assert "Traceback" not in result.stderr
    assert "Traceback" in audit("-v").stderr


def test_a_failing_linker_is_a_fault(fake: Fake) -> None:
    fake.fail = RecursionError("deep")
    result = audit("--format", "json")
    assert result.exit_code == 3
    document = json.loads(result.stdout)
    assert document["not_checked"] == ["everything: the linker failed"]
    assert document["stats"]["files"] == 2
    assert "fault: the linker failed: RecursionError: deep" in result.stderr


def test_an_interrupt_ends_it_with_one_line(fake: Fake) -> None:
    fake.fail = KeyboardInterrupt()
    result = audit()
    assert (result.exit_code, result.stdout, result.stderr) == (130, "", "resume-audit: interrupted\n")


def test_the_program_is_closed(fake: Fake) -> None:
    audit()
    assert fake.programs[0].closed


def test_the_same_bytes_again(fake: Fake) -> None:
    for arguments in ([], ["--format", "json"]):
        assert audit(*arguments).stdout_bytes == audit(*arguments, "--jobs", "3", "-v").stdout_bytes


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["nowhere.py"], "no such file or folder: nowhere.py"),
        (["--select", "RA1011"], "did you mean RA101?"),
        (["--ignore", "nonsense"], "no rule, family or property is called 'nonsense'"),
        (["--select", " , "], "names no rule"),
        (["--format", "xml"], "'xml' is not one of 'text', 'json'"),
        (["--fail-on", "fatal"], "'fatal' is not one of"),
        (["--jobs", "0"], "0 is not in the range"),
        (["--framework-version", "langgraph"], "is not NAME=VERSION"),
        (["--output", "xml=r.xml"], "no format is called 'xml'"),
        (["--output", "r.xml"], "--output r.xml: there is no format for .xml (formats: text, json, sarif;"),
        (["--output", "r.html"], "for text in a file of that name write text=r.html)"),
        (["--output", "json="], "no file is named"),
        (["--output", "json=r", "--output", "text=./r"], "two reports would go to"),
        (["--output", "lib"], "it is a folder"),
        (["--output", "app.py/r.txt"], "cannot write"),
        (["--config", "nowhere.toml"], "nowhere.toml"),
        (["--no-such-option"], "No such option"),
        (["--output", "/dev/full"], "No space left"),
    ],
)
def test_wrong_usage_is_one_line(fake: Fake, arguments: list[str], said: str) -> None:
    if "/dev/full" in arguments and not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    assert said in said_in_one_line(audit(*arguments))


def test_a_wrong_configuration_is_one_line(fake: Fake, project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.resume-audit]\nselekt = ["RA1"]\n')
    assert "selekt" in said_in_one_line(audit())


def test_the_configuration_is_read_and_options_come_first(fake: Fake, project: Path) -> None:
    (project / "pyproject.toml").write_text(
        '[tool.resume-audit]\nselect = ["RA3"]\nignore = ["RA302"]\nfail-on = "error"\n'
        '[tool.resume-audit.per-path-ignores]\n"lib/*" = ["RA3"]\n'
    )
    (project / "lib" / "quiet.py").write_text("WARNING\n")
    assert found("--pedantic") == ["RA301"]
    assert audit().exit_code == 0
    assert audit("--fail-on", "warning").exit_code == 1
    assert found("--pedantic", "--select", "ALL") == ["RA101", "RA301", "RA302"]
    assert found("--ignore", "RA301") == []


@pytest.mark.parametrize(
    "text, where",
    [
        (
            '[tool.resume-audit.per-path-ignores]\n"lib/*" = ["RA0007"]\n',
            "[tool.resume-audit.per-path-ignores] `lib/*`",
        ),
        ('[tool.resume-audit]\nselect = ["RA0007"]\n', "[tool.resume-audit] `select`"),
        ('[tool.resume-audit]\nignore = ["RA1", "RA0007"]\n', "[tool.resume-audit] `ignore`"),
    ],
)
@pytest.mark.parametrize("arguments", [[], ["--select", "RA1"]])
def test_a_selector_in_the_configuration_is_checked(
    fake: Fake, project: Path, text: str, where: str, arguments: list[str]
) -> None:
    (project / "pyproject.toml").write_text(text)
    said = said_in_one_line(audit(*arguments))
    assert said.startswith(
        f"resume-audit: error: pyproject.toml: {where}: no rule, family or property is called 'RA0007'"
    )


def test_the_nearest_configuration_is_used_and_others_are_told(fake: Fake, project: Path) -> None:
    (project / ".git").mkdir()
    (project / "lib" / "resume-audit.toml").write_text('ignore = ["RA101"]\nexclude = ["gen"]\nfail-on = "never"\n')
    (project / "lib" / "gen").mkdir()
    for name in ("quiet.py", "gen/made.py"):
        (project / "lib" / name).write_text("ERROR = 1\nWARNING = 2\n")
    assert (found("lib"), audit("lib").exit_code) == (["RA301"], 0)
    assert "not used" not in audit("lib").stdout
    assert found(".").count("RA101") == 3
    assert "  - lib/resume-audit.toml: these settings are not used: name the folder alone" in audit(".").stdout
    (project / "resume-audit.toml").write_text('ignore = ["RA301"]\n')
    assert "lib/resume-audit.toml: these settings are not used: those in resume-audit.toml are" in audit().stdout


def test_several_projects(fake: Fake, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "pyproject.toml").write_text('[tool.resume-audit]\nfail-on = "never"\n')
        (tmp_path / name / "app.py").write_text("ERROR = 1\n")
    result = audit(str(tmp_path / "one"), str(tmp_path / "two"))
    assert result.exit_code == 0
    assert "two/pyproject.toml: these settings are not used: those in one/pyproject.toml are" in result.stdout
    assert fake.programs[0].built_with.cache_dir == tmp_path / "one" / ".resume-audit" / "cache"
    assert not (tmp_path / ".resume-audit").exists()


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="no devices here")
def test_what_is_no_file_is_wrong_usage(fake: Fake, project: Path) -> None:
    assert "neither a file nor a folder: /dev/null" in said_in_one_line(audit("/dev/null"))
    (project / "gone.py").symlink_to(project / "nothing.py")
    assert "no such file or folder: gone.py" in said_in_one_line(audit("gone.py"))


def test_jobs(fake: Fake) -> None:
    audit("--jobs", "3")
    audit("--no-cache")
    assert fake.programs[0].built_with.jobs == 3
    assert fake.programs[1].built_with.jobs >= 1


def test_the_cache_is_in_the_project_and_ignored_by_git(fake: Fake, project: Path) -> None:
    audit()
    cache = project / ".resume-audit" / "cache"
    assert fake.programs[0].built_with.cache_dir == cache
    assert (cache / ".gitignore").read_text() == "*\n"


def test_no_cache(fake: Fake, project: Path) -> None:
    audit("--no-cache")
    assert fake.programs[0].built_with.cache_dir is None
    assert not (project / ".resume-audit").exists()


def test_a_cache_elsewhere_is_not_marked_if_it_was_there(fake: Fake, tmp_path: Path) -> None:
    audit("--cache-dir", str(tmp_path / "new"))
    assert (tmp_path / "new" / ".gitignore").exists()
    (tmp_path / "old").mkdir()
    audit("--cache-dir", str(tmp_path / "old"))
    assert not (tmp_path / "old" / ".gitignore").exists()
    assert [program.built_with.cache_dir.name for program in fake.programs] == ["new", "old"]


def test_a_cache_that_cannot_be_used_is_said_on_request(fake: Fake, project: Path, tmp_path: Path) -> None:
    blocked = str(project / "app.py" / "cache")
    assert audit("--cache-dir", blocked).stderr == ""
    assert "no cache: " in audit("-v", "--cache-dir", blocked).stderr
    (tmp_path / "elsewhere").mkdir()
    (project / ".resume-audit").symlink_to(tmp_path / "elsewhere")
    assert "symbolic link" in audit("-v").stderr
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_verbose_says_times_on_standard_error(fake: Fake) -> None:
    result = audit("-v")
    assert "from the cache" in result.stderr
    assert "rules run in" in result.stderr
    assert result.stdout == audit().stdout


def test_the_function(fake: Fake) -> None:
    import resume_audit

    report = resume_audit.check(".", cache=False)
    assert isinstance(report, Report)
    assert [each.rule for each in report.findings] == ["RA101", "RA301"]
    assert len(resume_audit.check(["app.py", Path("lib")], pedantic=True, select=["RA3"]).findings) == 2
    with pytest.raises(FileNotFoundError):
        resume_audit.check("nowhere")
    with pytest.raises(ValueError, match="did you mean"):
        resume_audit.check(".", select=["RA1010"])


def test_a_path_with_control_characters_is_escaped(fake: Fake) -> None:
    assert "\x1b" not in said_in_one_line(audit("no\x1b[31mwhere.py"))


@pytest.mark.parametrize(
    "slip", ["ignore [RA301] why", "ignore[RA301", "ignore[] why", "ignore-file", "ignore RA301 why"]
)
def test_a_suppression_with_a_slip_suppresses_nothing_and_is_told(fake: Fake, project: Path, slip: str) -> None:
    (project / "app.py").write_text(f"ERROR = 2  # resume-audit: {slip}\n")
    assert found() == ["RA101", "RA002"]
    assert "This comment suppresses nothing, because it cannot be read" in audit().stdout
