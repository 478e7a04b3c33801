"""The command as a process: statuses, pipes, encodings and a light start."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import resume_audit

ROOT = Path(resume_audit.__file__).parent


def run(
    *arguments: str, cwd: Path | None = None, stdout: int | None = subprocess.PIPE, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "resume_audit", *arguments],
        cwd=cwd,
        env={**os.environ, **environment},
        stdout=stdout,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        check=False,
        timeout=60,
    )


@pytest.fixture
def noted(tmp_path: Path) -> Path:
    """A project whose only findings are notes on a suppression."""
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "日本.py").write_text(
        "from langgraph.types import interrupt\n\n\ndef f(state):\n"
        '    return {"a": interrupt("é")}  # resume-audit: ignore[RA101]\n',
        encoding="utf-8",
    )
    return tmp_path


def test_importing_the_package_imports_nothing_else() -> None:
    code = (
        "import sys; before = set(sys.modules); import resume_audit; "
        "print(sorted(name for name in set(sys.modules) - before "
        "if name.split('.')[0] not in sys.stdlib_module_names))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "['resume_audit']"


def test_an_unknown_attribute_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing_like_it"):
        resume_audit.nothing_like_it  # noqa: B018
    assert "check" in dir(resume_audit)


def test_the_version_is_that_of_the_package() -> None:
    file = ROOT / "pyproject.toml"
    if not file.exists():
        pytest.skip("not in a checkout")
    assert tomllib.loads(file.read_text())["project"]["version"] == resume_audit.__version__


def test_statuses(noted: Path) -> None:
    assert run("check", cwd=noted).returncode == 0
    assert run("check", "--fail-on", "note", cwd=noted).returncode == 1
    wrong = run("check", "nowhere", cwd=noted)
    assert (wrong.returncode, wrong.stdout) == (2, b"")
    assert wrong.stderr == b"resume-audit: error: no such file or folder: nowhere\n"


def test_a_report_is_written_before_the_status(noted: Path) -> None:
    result = run("check", "--fail-on", "note", "--output", "json=r.json", cwd=noted)
    assert result.returncode == 1
    rules = [each["rule"] for each in json.loads((noted / "r.json").read_bytes())["findings"]]
    assert rules == ["RA001", "RA002"]


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
def test_narrow_encodings(noted: Path, encoding: str) -> None:
    text = run("check", "--no-cache", cwd=noted, PYTHONIOENCODING=encoding)
    assert text.returncode == 0
    assert b"RA001" in text.stdout
    as_json = run("check", "--no-cache", "--format", "json", cwd=noted, PYTHONIOENCODING=encoding)
    assert json.loads(as_json.stdout.decode("utf-8"))["findings"][0]["path"] == "日本.py"


def test_a_reader_that_goes_away_is_no_error(noted: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        result = run("check", "--fail-on", "note", cwd=noted, stdout=writing)
    finally:
        os.close(writing)
    assert (result.returncode, result.stderr) == (1, b"")


def test_closed_standard_streams(noted: Path) -> None:
    command = f'"{sys.executable}" -m resume_audit check --fail-on note >&- 2>&-'
    assert subprocess.run(["sh", "-c", command], cwd=noted, check=False).returncode == 1


def test_no_progress_and_no_colour_in_a_pipe(noted: Path) -> None:
    result = run("check", "--no-cache", cwd=noted, NO_COLOR="", FORCE_COLOR="")
    assert result.stderr == b""
    assert b"\x1b" not in result.stdout
    assert b"\r" not in result.stdout


def test_colour_can_be_forced(noted: Path) -> None:
    assert b"\x1b[1;36mnote" in run("check", "--no-cache", cwd=noted, FORCE_COLOR="1", NO_COLOR="").stdout
    assert b"\x1b" not in run("check", "--no-cache", cwd=noted, FORCE_COLOR="1", NO_COLOR="1").stdout


def test_undecodable_file_names_do_not_break_a_report(noted: Path) -> None:
    name = os.fsdecode(b"\xff\x1b.py")
    try:
        (noted / name).write_text("from langgraph.types import interrupt\ndef (:\n")
    except OSError:
        pytest.skip("the file system wants names in UTF-8")
    report = json.loads(run("check", "--format", "json", "--no-cache", cwd=noted).stdout.decode("utf-8"))
    assert len(report["errors"]) == 1
    text = run("check", "--no-cache", cwd=noted).stdout
    assert b"\x1b" not in text
    assert b"could not be read or parsed" in text


def test_a_file_of_our_name_in_the_audited_folder_is_not_run(noted: Path) -> None:
    """As the README says: neither by the console script nor with -P; a plain -m is Python's own to decide."""
    (noted / "resume_audit.py").write_text("print('theirs')\n")
    script = str(Path(sys.executable).parent / "resume-audit")
    for command in ([script], [sys.executable, "-P", "-m", "resume_audit"]):
        ran = subprocess.run([*command, "--version"], cwd=noted, capture_output=True, text=True, check=True)
        assert ran.stdout.startswith("resume-audit ")
