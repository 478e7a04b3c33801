"""SARIF as the command writes it, and as other programs read it."""

from __future__ import annotations

import importlib.util
import json
import platform
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import pytest

from resume_audit.tests.processes import PACKAGE, check

SHARED = PACKAGE.parent / "shared" / "tools" / "check_sarif.py"
AGENT = PACKAGE / "fixtures" / "example_agent"
MULTITOOL = "5.7.0"

ODD = """\
from langgraph.types import interrupt
from langgraph.graph import StateGraph
import requests

def tölld(state):
    é = "😀"; requests.post("https://a.example", json=state); requests.post("https://b.example", json=state)
    requests.post(
        "https://c.example",
        json=state,
    )
    requests.post("https://d.example")  # resume-audit: ignore[RA101] the service drops repeats
    return interrupt("{0} [x](7)")

StateGraph(dict).add_node("told", tölld)
"""


def cell(text: str) -> dict[str, Any]:
    return {"cell_type": "code", "source": text.splitlines(True), "metadata": {}, "outputs": [], "execution_count": 1}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example agent with what is hard to point at beside it."""
    root = tmp_path_factory.mktemp("sarif") / "project"
    shutil.copytree(AGENT, root, ignore=shutil.ignore_patterns("__pycache__", ".resume-audit"))
    (root / "a b").mkdir()
    (root / "a b" / "odd#1.py").write_bytes(ODD.replace("\n", "\r\n").encode())
    (root / "broken.py").write_text("def (:\n")
    book = {"cells": [cell("x = 1\n"), cell(ODD)], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (root / "book.ipynb").write_text(json.dumps(book, indent=1))
    (root / "flat.ipynb").write_text(json.dumps(book))
    (root / "link.py").symlink_to("a b/odd#1.py")
    git = root / ".git"
    git.mkdir()
    (git / "HEAD").write_text(f"{'ab' * 20}\n")
    (git / "config").write_text('[remote "origin"]\n\turl = https://anna:secret@github.com/shop/desk.git\n')
    return root


@pytest.fixture(scope="module")
def written(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log of the project."""
    file = tmp_path_factory.mktemp("log") / "report.sarif"
    ran = check("--no-cache", f"--output=sarif={file}", "--jobs=1", cwd=project, form="sarif")
    assert (ran.status, ran.out) == (1, b"")
    return file


def results(data: bytes) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(data)["runs"][0]["results"]
    return found


def test_the_file_is_written_before_a_status_that_is_not_zero(written: Path) -> None:
    assert {each["ruleId"] for each in results(written.read_bytes())} >= {"RA101", "RA102"}


def test_on_standard_output_the_same(written: Path, project: Path) -> None:
    ran = check(
        "--no-cache", "-q", cwd=project, form="sarif", environment={"PYTHONIOENCODING": "ascii", "PYTHONHASHSEED": "7"}
    )
    assert ran.out == written.read_bytes()


def test_nothing_of_the_machine_or_of_secrets(written: Path, project: Path) -> None:
    text = written.read_text(encoding="utf-8")
    assert str(project) not in text
    assert "secret" not in text
    (provenance,) = json.loads(text)["runs"][0]["versionControlProvenance"]
    assert (provenance["repositoryUri"], provenance["revisionId"]) == ("https://github.com/shop/desk", "ab" * 20)


def test_suppressed_results_only_on_request(written: Path, project: Path) -> None:
    assert all("suppressions" not in each for each in results(written.read_bytes()))
    ran = check("--no-cache", "--include-suppressed", cwd=project, form="sarif")
    suppressions = [each["suppressions"] for each in results(ran.out)]
    reasons = {each["justification"] for found in suppressions for each in found}
    assert reasons == {"the service drops repeats"}
    assert [] in suppressions


def test_calls_on_one_line_are_one_result(written: Path) -> None:
    on_line = [
        each
        for each in results(written.read_bytes())
        if each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20b/odd%231.py"
        and each["locations"][0]["physicalLocation"]["region"]["startLine"] == 6
    ]
    assert [len(each["locations"]) for each in on_line] == [2]


def test_other_formats_do_not_load_the_library() -> None:
    code = "import sys, resume_audit.cli.main; print('sarif_om' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"


@pytest.mark.skipif(not SHARED.is_file(), reason="needs ../shared/tools beside the checkout")
@pytest.mark.parametrize("arguments", [(), ("--include-suppressed",), ("--select=RA602",)])
def test_the_checker_finds_nothing(arguments: tuple[str, ...], project: Path, tmp_path: Path) -> None:
    file = tmp_path / "report.sarif"
    check("--no-cache", f"--output=sarif={file}", *arguments, cwd=project, form="sarif")
    command = [sys.executable, str(SHARED), str(file), "--root", str(project)]
    allowed = ["--allow-suppressed"] if "--include-suppressed" in arguments else []
    ran = subprocess.run([*command, *allowed], capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr) == (f"{file}: no violations\n", "")


@pytest.mark.slow
def test_the_multitool_finds_nothing(written: Path, tmp_path: Path) -> None:
    system = {"Linux": "linux", "Darwin": "darwin"}.get(platform.system())
    npm = shutil.which("npm")
    if npm is None or system is None:
        pytest.skip("needs npm")
    package = f"@microsoft/sarif-multitool-{system}"
    got = subprocess.run(
        [npm, "install", "--prefix", str(tmp_path), f"{package}@{MULTITOOL}"], capture_output=True, check=False
    )
    if got.returncode:
        pytest.skip("the Multitool cannot be installed here")
    tool, out = tmp_path / "node_modules" / package / "Sarif.Multitool", tmp_path / "found.sarif"
    tool.chmod(0o755)
    options = ["--rule-kind", "Sarif;Ghas", "--level", "Error;Warning", "--log", "ForceOverwrite", "-o", str(out)]
    ran = subprocess.run([tool, "validate", str(written), *options], capture_output=True, text=True, check=False)
    said = [line for line in ran.stdout.splitlines() if ": error " in line or ": warning " in line]
    assert (ran.returncode, said, results(out.read_bytes())) == (0, [], [])


@pytest.mark.slow
def test_sarif_tools_reads_it(written: Path, tmp_path: Path) -> None:
    python = sys.executable
    if importlib.util.find_spec("sarif") is None:
        venv.create(tmp_path / "venv", with_pip=True)
        python = str(tmp_path / "venv" / "bin" / "python")
        if subprocess.run([python, "-m", "pip", "install", "-q", "sarif-tools>=3"], check=False).returncode:
            pytest.skip("sarif-tools cannot be installed here")
    for command in ("summary", "csv", "codeclimate", "html"):
        out = tmp_path / command
        ran = subprocess.run(
            [python, "-m", "sarif", command, "-o", str(out), str(written)], capture_output=True, text=True, check=False
        )
        assert (ran.returncode, ran.stderr) == (0, ""), command
        assert out.stat().st_size > 0
    rows = (tmp_path / "csv").read_text(encoding="utf-8")
    assert rows.count("RA101") >= 5
