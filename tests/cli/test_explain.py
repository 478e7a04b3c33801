"""``resume-audit explain``, ``rules`` and the group they stand in."""

from __future__ import annotations

import json

import click
import pytest
from click.testing import CliRunner, Result

import resume_audit
from resume_audit.cli.explain import fitted
from resume_audit.cli.main import door
from resume_audit.contract import PROPERTIES
from resume_audit.rules.registry import STATIC


def run(*arguments: str) -> Result:
    return CliRunner().invoke(door, list(arguments))


@pytest.mark.parametrize("name", ["RA001", "ra001", "suppression-without-reason", "Suppression-Without-Reason"])
def test_a_rule_by_id_or_name(name: str) -> None:
    result = run("explain", name)
    assert result.exit_code == 0
    assert result.stdout.startswith("# RA001 suppression-without-reason\n")
    for head in ("What it does", "Why is this bad", "Example", "Use instead", "How to fix", "Limits"):
        assert f"\n## {head}\n" in result.stdout


def test_every_rule_and_property_is_explained() -> None:
    for rule in STATIC:
        assert run("explain", rule.id).stdout == run("explain", rule.name).stdout
    for name, sentence in PROPERTIES.items():
        assert sentence in run("explain", name.lower()).stdout


def test_pages_fit_a_terminal_and_code_stays_as_it_is() -> None:
    for rule in STATIC:
        whole = run("explain", rule.id).stdout
        lines = fitted(whole, 72).split("\n")
        code = whole.split("```")[1::2]
        assert "\n".join(lines).split("```")[1::2] == code
        assert all(len(line) <= 72 for line in lines if not any(line in block for block in code))
        assert "".join("".join(lines).split()) == "".join(whole.split())


def test_a_family_is_listed() -> None:
    assert run("explain", "RA0xx").stdout.startswith("RA001 suppression-without-reason: ")


def test_an_unknown_name_is_wrong_usage_with_a_suggestion() -> None:
    result = run("explain", "RA0011")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "did you mean RA001?" in result.stderr
    assert run("explain").exit_code == 2


def test_the_catalogue() -> None:
    lines = run("rules").stdout.splitlines()
    assert [line.split()[0] for line in lines] == [rule.id for rule in STATIC]


def test_the_catalogue_for_machines() -> None:
    document = json.loads(run("rules", "--format", "json").stdout)
    assert document["tool"] == {"name": "resume-audit", "version": resume_audit.__version__}
    assert document["schema"] == 1
    assert [each["id"] for each in document["rules"]] == [rule.id for rule in STATIC]
    assert list(document["rules"][0]) == ["id", "name", "properties", "level", "precision", "summary"]


def test_version() -> None:
    assert run("--version").stdout == f"resume-audit {resume_audit.__version__}\n"


def test_help() -> None:
    for arguments in (["--help"], ["-h"], ["check", "--help"], ["explain", "-h"], ["rules", "-h"]):
        result = run(*arguments)
        assert result.exit_code == 0
        assert "Usage:" in result.stdout


def test_every_command_and_option_says_what_it_does() -> None:
    for name, command in door.commands.items():
        assert (bool(command.short_help), bool(command.help)) == (True, True), name
        assert f"  {name:<7}  {command.short_help}\n" in run("--help").stdout
        options = [each for each in command.params if isinstance(each, click.Option)]
        assert [f"{name} {each.name}" for each in options if not each.help] == []


def test_no_command_shows_the_help_as_wrong_usage() -> None:
    result = run()
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Commands:" in result.stderr


def test_an_unknown_command_is_one_line() -> None:
    result = run("chekc")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
