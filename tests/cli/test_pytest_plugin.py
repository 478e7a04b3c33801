"""``pytest --resume-audit``: tests are traced, each into its own folder, and run as they would."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from resume_audit.cli.pytest_plugin import folder_of

TESTS = """
import sys
import pytest

@pytest.mark.parametrize("name", ["a/b", "c"])
def test_passes(name):
    print("seen", name, sys.gettrace() is None)

def test_fails():
    assert 0
"""


def run(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", *options]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "test_some.py").write_text(TESTS)
    return tmp_path


def test_each_test_has_a_store_of_its_own(folder: Path) -> None:
    done = run(folder, "--resume-audit=traces")
    assert done.returncode == 1
    assert "3 tests traced to" in done.stdout
    stores = sorted((folder / "traces").iterdir())
    assert len(stores) == 3
    for store in stores:
        (file,) = store.glob("*.jsonl")
        kinds = [json.loads(line)["kind"] for line in file.read_text().splitlines()]
        assert kinds[0] == "trace"
        assert kinds[-1] == "process.end"


def test_nothing_is_traced_unless_asked_for(folder: Path) -> None:
    done = run(folder)
    assert "tests traced" not in done.stdout
    assert not (folder / ".resume-audit").exists()
    assert "seen c True" in done.stdout


def test_the_tests_are_not_taken_for_the_store(folder: Path) -> None:
    done = run(folder, "--resume-audit", "test_some.py")
    assert done.returncode == 4
    assert "--resume-audit=STORE" in done.stderr


def test_folders_of_tests_differ() -> None:
    ids = ["a.py::t[x/y]", "a.py::t[x-y]", "a.py::t" + "z" * 300, "a.py::t" + "z" * 301]
    folders = {folder_of(each) for each in ids}
    assert len(folders) == len(ids)
    assert all(len(each) < 200 and "/" not in each for each in folders)
