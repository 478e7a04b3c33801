"""What the documents name exists, and the set-up names nobody's servers."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from resume_audit.config import load
from resume_audit.rules.registry import STATIC, select

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
DOCUMENTS = sorted([README, CONTRIBUTING, ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])
SET_UP = sorted(
    [
        ROOT / "Makefile",
        ROOT / "pyproject.toml",
        *(path for path in (ROOT / ".ci").iterdir()),
        *(ROOT / ".github").rglob("*.yml"),
    ]
)


def section(document: Path, title: str) -> str:
    """The text under a heading, up to the next one."""
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", document.read_text(), re.MULTILINE | re.DOTALL)
    assert found is not None, f"{document.name} has no section {title!r}"
    return found[1]


def named_paths(text: str) -> list[str]:
    """Back-ticked paths; of a path with a part to fill in, `a/<name>.py`, the folder."""
    spans = re.findall(r"`([\w.<>*/-]+)`", text)
    paths = [span for span in spans if "/" in span or re.search(r"\.(py|toml|md)$", span)]
    return [path.split("<")[0].rpartition("/")[0] if "<" in path else path for path in paths]


@pytest.mark.parametrize("title", ["Where things go", "Adding a rule", "Adding a framework", "Adding effects"])
def test_contributing_names_what_exists(title: str) -> None:
    paths = named_paths(section(CONTRIBUTING, title))
    assert len(paths) >= 2
    assert [path for path in paths if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(document: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[\w-]+)?\)", document.read_text())
    assert [target for target in targets if "://" not in target and not (document.parent / target).exists()] == []


def test_make_targets_exist() -> None:
    makefile, text = (ROOT / "Makefile").read_text(), README.read_text() + CONTRIBUTING.read_text()
    used = set(re.findall(r"(?:^ {4}|`)make ([a-z][\w-]+)", text, re.MULTILINE))
    assert {"audit", "test", "check", "bench"} <= used
    assert [target for target in sorted(used) if not re.search(rf"^{target}:", makefile, re.MULTILINE)] == []


def test_readme_lists_every_rule() -> None:
    rows = dict(re.findall(r"^\| (RA\d+) \| ([\w-]+) \|", section(README, "What it finds"), re.MULTILINE))
    assert {rule.id: rule.name for rule in STATIC}.items() <= rows.items()
    assert set(rows) == {rule.id for rule in STATIC} | {"RA001", "RA002"}


def test_readme_configuration_is_accepted(tmp_path: Path) -> None:
    block = re.search(r"```toml\n(.*?)```", section(README, "Configuration"), re.DOTALL)
    assert block is not None
    (tmp_path / "pyproject.toml").write_text(block[1])
    config = load(tmp_path)
    assert config.fail_on == "error"
    assert [effect.key for effect in config.effects] == [None, "message_id"]
    for selectors in (config.select, config.ignore, *(rules for _, rules in config.per_path_ignores)):
        assert select(STATIC, selectors)


def test_readme_shows_what_the_audit_prints() -> None:
    """The sample is cut out of what ``make audit`` prints; take it from there again when this fails."""
    block = re.search(r"```text\n(.*?)```", section(README, "What it prints"), re.DOTALL)
    assert block is not None
    command = [sys.executable, "-m", "resume_audit", "check", "fixtures/example_agent", "--no-cache"]
    ran = subprocess.run([*command, "--fail-on", "never"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert block[1] in ran.stdout
    (found,) = re.findall(r"^Found (.*)\.$", ran.stdout, re.MULTILINE)
    (said,) = re.findall(r"One of the (\w+)\nfindings", section(README, "What it prints"))
    assert int(said) == sum(map(int, re.findall(r"\d+", found)))


def test_make_help_lists_every_target_and_says_what_plain_make_does() -> None:
    ran = subprocess.run(["make", "-s", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    makefile = (ROOT / "Makefile").read_text()
    (targets,) = re.findall(r"^\.PHONY: (.*)", makefile, re.MULTILINE)
    listed = set(re.findall(r"^make ([\w-]+)", ran.stdout, re.MULTILINE))
    assert listed == set(targets.split()) - {"stale"}
    (default,) = re.findall(r"^\.DEFAULT_GOAL = (\w+)", makefile, re.MULTILINE)
    assert re.search(rf"^make  .*make {default}", ran.stdout, re.MULTILINE)


@pytest.mark.parametrize("path", SET_UP, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_set_up_names_no_registry(path: Path) -> None:
    """Which registry packages come from is the machine's business."""
    text = path.read_text()
    assert re.findall(r"\w+://\S+", text) == []
    assert re.findall(r"(?i)index-url|find-links|trusted-host|\bpypi\b", text) == []


def test_there_is_no_lock_file() -> None:
    """Lock files name hosts."""
    assert [path.name for path in ROOT.iterdir() if path.name.endswith((".lock", "lock.json"))] == []
