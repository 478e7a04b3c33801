"""An unchanged project is answered from the cache, to the byte; any change is not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from resume_audit.analyzer import cache as store
from resume_audit.analyzer import discover, program
from resume_audit.cli import remembered
from resume_audit.cli.main import door
from resume_audit.cli.remembered import Raw
from resume_audit.contract import Stats
from resume_audit.rules.static.ra101_effect_before_wait import EffectBeforeWait

APP = """\
import requests
from langgraph.graph import StateGraph
from langgraph.types import interrupt


def node(state):
    requests.post("a")
    return interrupt("q")


g = StateGraph(dict)
g.add_node("n", node)
app = g.compile()
"""


class Builds:
    """How often a project was linked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        original = program.build

        def build(*given: Any) -> program.Program:
            self.count += 1
            return original(*given)

        monkeypatch.setattr(program, "build", build)


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> Builds:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return Builds(monkeypatch)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tmp_path / "project"
    (made / "deploy").mkdir(parents=True)
    (made / "pyproject.toml").write_text('[project]\nname = "x"\ndependencies = ["langgraph==1.0.5"]\n')
    (made / "app.py").write_text(APP)
    (made / "deploy" / "extra.py").write_text("x = 1\n")
    monkeypatch.chdir(made)
    return made


def audit(*arguments: str) -> bytes:
    result = CliRunner().invoke(door, ["check", *arguments])
    assert result.exit_code in (0, 1), result.output
    return result.stdout_bytes


@pytest.mark.parametrize("form", ["text", "json"])
def test_nothing_changed(root: Path, builds: Builds, form: str) -> None:
    fresh = audit("--format", form, "--no-cache")
    first = audit("--format", form)
    second = audit("--format", form)
    assert builds.count == 2
    assert first == second == fresh
    assert b"RA101" in first


def write(path: str, text: str) -> Callable[[Path], None]:
    def change(root: Path) -> None:
        target = root / path
        target.parent.mkdir(exist_ok=True)
        target.write_text(text)

    return change


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(write("app.py", APP.replace('"a"', '"b"')), id="a source file"),
        pytest.param(write("deploy/extra.py", "x = 2\n"), id="a file without a framework"),
        pytest.param(write("new.py", "x = 1\n"), id="a new file"),
        pytest.param(lambda root: (root / "deploy" / "extra.py").unlink(), id="a file less"),
        pytest.param(lambda root: (root / "app.py").rename(root / "graph.py"), id="another name"),
        pytest.param(
            write("pyproject.toml", '[project]\nname = "x"\ndependencies = ["langgraph==1.2.9"]\n'), id="a pin"
        ),
        pytest.param(write("requirements.txt", "langgraph==1.1.10\n"), id="requirements"),
        pytest.param(write("requirements/base.txt", "langgraph==1.1.10\n"), id="a folder of requirements"),
        pytest.param(write("deploy/requirements.txt", "langgraph==1.1.10\n"), id="requirements further down"),
        pytest.param(write("uv.lock", '[[package]]\nname = "langgraph"\nversion = "1.1.10"\n'), id="a lock"),
        pytest.param(write("langgraph.json", "{}"), id="a server"),
        pytest.param(write("deploy/langgraph.json", "{}"), id="a server further down"),
        pytest.param(write("resume-audit.toml", 'recorded = ["app.node"]\n'), id="the configuration"),
    ],
)
def test_a_change_of_the_project(root: Path, builds: Builds, change: Callable[[Path], None]) -> None:
    audit()
    change(root)
    cached = audit("--format", "json")
    assert builds.count == 2
    assert cached == audit("--format", "json", "--no-cache")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--select", "RA101"],
        ["--ignore", "RA101"],
        ["--framework-version", "langgraph=1.2.9"],
        ["deploy"],
        ["app.py"],
    ],
)
def test_other_options(root: Path, builds: Builds, arguments: list[str]) -> None:
    audit()
    cached = audit(*arguments)
    assert builds.count == 2
    assert cached == audit(*arguments, "--no-cache")


@pytest.mark.parametrize(
    "arguments",
    [["--pedantic"], ["--format", "json"], ["--fail-on", "error"], ["--include-suppressed"], ["--jobs", "1"]],
)
def test_options_that_change_no_finding(root: Path, builds: Builds, arguments: list[str]) -> None:
    audit()
    cached = audit(*arguments)
    assert builds.count == 1
    assert cached == audit(*arguments, "--no-cache")


def test_a_file_that_says_nothing_of_it_changes_nothing(root: Path, builds: Builds) -> None:
    audit()
    (root / "README.md").write_text("more")
    audit()
    assert builds.count == 1


def test_suppressions_come_from_the_cache_too(root: Path, builds: Builds) -> None:
    (root / "app.py").write_text(APP.replace('post("a")', 'post("a")  # resume-audit: ignore[RA101] deduplicated'))
    first = audit("--include-suppressed", "--format", "json")
    assert audit("--include-suppressed", "--format", "json") == first
    assert b'"suppressed": true' in first or b'"suppressed":true' in first
    assert builds.count == 1


def test_damaged_findings_are_made_again(root: Path, builds: Builds) -> None:
    first = audit()
    (entry,) = (root / ".resume-audit" / "cache").glob("findings-*.bin")
    entry.write_bytes(entry.read_bytes()[:-2])
    assert audit() == first
    assert builds.count == 2


def test_findings_of_another_kind_are_none(tmp_path: Path) -> None:
    store.write(tmp_path, "findings-x", b"\x01")
    assert remembered.recall(tmp_path, "x") is None
    assert remembered.recall(tmp_path, "y") is None
    raw = Raw(not_checked=("a",), stats=Stats(1, 2, 3))
    remembered.keep(tmp_path, "x", raw)
    assert remembered.recall(tmp_path, "x") == raw


def test_another_tool_is_another_key(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = discover.find((root,), (), root)
    before = remembered.key(root, found.files, ())
    assert remembered.key(root, found.files, ()) == before
    assert remembered.key(root, found.files, (1,)) != before
    monkeypatch.setattr(remembered, "_tool", lambda: b"another")
    assert remembered.key(root, found.files, ()) != before


def test_findings_of_a_rule_that_failed_are_not_kept(
    root: Path, builds: Builds, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(self: object, program: object) -> None:
        raise RuntimeError("broken")

    with monkeypatch.context() as patched:
        patched.setattr(EffectBeforeWait, "check", fails)
        assert CliRunner().invoke(door, ["check"]).exit_code == 3
    assert b"RA101" in audit()
    assert builds.count == 2
