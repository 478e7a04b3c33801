"""The set-up finds a Python that is new enough, and says so in one line where there is none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHELL = "/bin/sh"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the set-up needs a shell and make")


def choose(folder: Path, python: str = "") -> subprocess.CompletedProcess[str]:
    """Run the choice with only ``folder`` on the PATH."""
    environment = {"PATH": str(folder), "PYTHON": python}
    command = [SHELL, str(ROOT / ".ci" / "python")]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def fake(folder: Path, name: str, status: int) -> None:
    path = folder / name
    path.write_text(f"#!{SHELL}\nexit {status}\n")
    path.chmod(0o755)


def test_an_old_python_is_passed_over(tmp_path: Path) -> None:
    fake(tmp_path, "python3", 1)
    (tmp_path / "python3.12").symlink_to(sys.executable)
    assert choose(tmp_path).stdout == "python3.12\n"


def test_none_found_is_one_clear_line(tmp_path: Path) -> None:
    ran = choose(tmp_path)
    assert (ran.returncode, ran.stdout) == (1, "")
    (line,) = ran.stderr.splitlines()
    assert "no Python 3.11 or later found" in line


def test_a_named_python_must_work(tmp_path: Path) -> None:
    fake(tmp_path, "old", 1)
    ran = choose(tmp_path, str(tmp_path / "old"))
    assert (ran.returncode, ran.stdout) == (1, "")
    assert len(ran.stderr.splitlines()) == 1


def test_ci_runs_what_the_readme_says() -> None:
    script = (ROOT / ".ci" / "run").read_text()
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    assert "\nmake test" in script
    assert "make test" in (ROOT / "README.md").read_text()
