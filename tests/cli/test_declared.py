"""What the configuration tells and the tree does not hold is told in one line; so is a version nobody measured."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from resume_audit.cli import declared
from resume_audit.cli.main import door

ROOT = Path(__file__).resolve().parents[2]
APP = """\
from langgraph.graph import StateGraph
from langgraph.types import interrupt
from shop import mail
from shop.payments import charge
import stripe


def node(state):
    charge(1)
    print(stripe)
    stripe.Charge.create(amount=1)
    return interrupt("q")


graph = StateGraph(dict).add_node("n", node)
"""
PAYMENTS = "def charge(cents): ...\n\n\nclass Client:\n    def send(self): ...\n"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tmp_path / "project"
    (made / "shop").mkdir(parents=True)
    (made / "shop" / "__init__.py").write_text("from .payments import charge\n")
    (made / "shop" / "payments.py").write_text(PAYMENTS)
    (made / "shop" / "mail.py").write_text("from .payments import *\n\nsender = make()\n")
    (made / "app.py").write_text(APP)
    (made / "pyproject.toml").touch()
    monkeypatch.chdir(made)
    return made


def not_checked(*arguments: str) -> list[str]:
    result = CliRunner().invoke(door, ["check", "--format", "json", "--fail-on", "never", *arguments])
    assert result.exit_code == 0, result.stderr
    return [str(line) for line in json.loads(result.stdout)["not_checked"]]


def configure(root: Path, text: str) -> list[str]:
    (root / "pyproject.toml").write_text(f"[tool.resume-audit]\n{text}\n")
    first, again = not_checked(), not_checked()  # the second time from the cache
    assert first == again
    return [line for line in first if line.startswith("pyproject.toml")]


@pytest.mark.parametrize(
    "name",
    [
        "shop.payments.charge",
        "shop.payments.Client.send",
        "shop.payments.*",
        "shop.*.charge",
        "shop.{payments,mail}.charge",
        "shop.mail.charge",
        "shop.mail.sender.send",
        "stripe.Charge.create",
        "stripe.**",
        "print",
    ],
)
def test_what_the_tree_holds_is_no_matter(root: Path, name: str) -> None:
    assert configure(root, f'effects = [{{ name = "{name}" }}]') == []


@pytest.mark.parametrize(
    "name, hint",
    [
        ("shop.paymnets.charge", "; did you mean `shop.payments.charge`?"),
        ("shop.payments.chrage", "; did you mean `shop.payments.charge`?"),
        ("payments.charge", "; did you mean `shop.payments.charge`?"),
        ("src.shop.payments.charge", "; did you mean `shop.payments.charge`?"),
        ("shop.charge", "; did you mean `shop.payments.charge`?"),
        ("shop.payments.Klient.send", ""),
        ("requests.post", ""),
        ("stripe.Charge.crate", ""),
        ("refund", ""),
        ("charge", "; did you mean `shop.payments.charge`?"),
        ("shop.payments.charg?", "; did you mean `shop.payments.charge`?"),
    ],
)
def test_a_declared_effect_that_is_nowhere_is_told(root: Path, name: str, hint: str) -> None:
    said = f"pyproject.toml: nothing in the audited tree has the name `{name}` (effects{hint})"
    assert configure(root, f'effects = [{{ name = "{name}" }}, {{ name = "shop.payments.charge" }}]') == [said]


@pytest.mark.parametrize("key", ["waits", "recorded"])
def test_so_are_waits_and_recorded_steps(root: Path, key: str) -> None:
    assert configure(root, f'{key} = ["shop.payments.charge"]') == []
    said = f"pyproject.toml: nothing in the audited tree has the name `shop.ask` ({key}), `shop.payments.*` ({key})"
    assert configure(root, f'{key} = ["shop.ask", "shop.payments.*"]') == [said]


def test_a_pattern_that_cannot_be_read_is_wrong_configuration(root: Path) -> None:
    (root / "pyproject.toml").write_text('[tool.resume-audit]\neffects = [{ name = "shop.{a" }]\n')
    result = CliRunner().invoke(door, ["check"])
    assert result.exit_code == 2
    assert "pyproject.toml: [tool.resume-audit.effects] `name`: unmatched" in result.stderr


def test_patterns_for_paths_that_match_no_file_are_told(root: Path) -> None:
    table = '[tool.resume-audit.per-path-ignores]\n"shop/*" = ["RA1"]\n"shpo/*" = ["RA1"]\n'
    assert configure(root, table) == ["pyproject.toml: no file matches `shpo/*` (per-path-ignores)"]


def test_keys_that_no_rule_asks_for_are_told(root: Path) -> None:
    said = configure(root, 'claims = ["shop.payments.charge"]\nresumes = ["shop.payments.charge"]')
    assert said == ["pyproject.toml: `resumes`, `claims`: accepted, but no rule of this version asks for it"]
    read = [path.name for path in (ROOT / "analyzer").glob("*.py") if "options.claims" in path.read_text()]
    read += [path.name for path in (ROOT / "analyzer").glob("*.py") if "options.resumes" in path.read_text()]
    assert (read, declared.UNREAD) == ([], ("resumes", "claims", "boundary"))


def test_a_framework_that_no_file_names_is_told(root: Path) -> None:
    assert [line for line in not_checked("--framework-version", "langgraph=1.2.24") if "version is told" in line] == []
    (root / "app.py").write_text("x = 1\n")
    said = not_checked("--framework-version", "langgraph=1.2.24")
    assert "langgraph: a version is told, but no file names the framework" in said


@pytest.mark.parametrize(
    "version, taken",
    [
        ("9.9", "as 1.2.24, the newest measured"),
        ("0.2", "as 1.0.5, the oldest measured"),
        ("1.2.16", "as what was measured on 1.2.9 and 1.2.24, on either side of it"),
    ],
)
def test_a_version_that_nobody_measured_is_told(root: Path, version: str, taken: str) -> None:
    said = f"langgraph {version} itself, which was not measured: it is taken to behave {taken}"
    assert said in not_checked("--framework-version", f"langgraph={version}")
    (root / "pyproject.toml").write_text(f'[tool.resume-audit]\nframeworks = ["langgraph=={version}"]\n')
    assert said in not_checked()
    (root / "pyproject.toml").write_text(f'[project]\nname = "x"\ndependencies = ["langgraph=={version}"]\n')
    assert said in not_checked()


@pytest.mark.parametrize("version", ["1.0.5", "1.2.24"])
def test_a_measured_version_is_no_matter(root: Path, version: str) -> None:
    assert [each for each in not_checked("--framework-version", f"langgraph={version}") if "measured" in each] == []


def test_a_lock_file_that_cannot_be_understood_is_told(root: Path) -> None:
    (root / "uv.lock").write_text("[[package]\n")
    for _ in range(2):
        result = CliRunner().invoke(door, ["check", "--format", "json", "--fail-on", "never"])
        assert [(each["path"], each["message"][:14]) for each in json.loads(result.stdout)["errors"]] == [
            ("uv.lock", "not valid TOML")
        ]


def test_a_look_at_hostile_files_takes_little_time(root: Path) -> None:
    (root / "blank.py").write_text("lab = 1\n" + "\n" * 100_000 + "import " + "a, " * 100_000)
    (root / "words.py").write_text("import lib, " * 100_000 + "\n" + "thing " * 100_000)
    began = time.perf_counter()
    configure(root, 'effects = [{ name = "lib.thing" }, { name = "lab.thing" }, { name = "thing.lib" }]')
    assert time.perf_counter() - began < 5
