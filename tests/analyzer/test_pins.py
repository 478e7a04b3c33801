from __future__ import annotations

import json
from pathlib import Path

import pytest

from resume_audit.analyzer.pins import FrameworkPins, Pin, assume

MEASURED = ("0.2.76", "1.0.5", "1.1.10", "1.2.9", "1.2.24")


def write(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def pin(root: Path, relative: str = "app.py") -> tuple[str, str | None, str] | None:
    found = FrameworkPins().pinned(root, relative, "langgraph")
    return (found.specifier, found.exact, found.source) if found else None


UV = """version = 1

[[package]]
name = "anyio"
version = "4.0"

[[package]]
name = "LangGraph"
version = "1.1.10"
"""


@pytest.mark.parametrize(
    "name, text, specifier, exact",
    [
        ("uv.lock", UV, "==1.1.10", "1.1.10"),
        ("uv.lock", UV + '[[package]]\nname = "langgraph"\nversion = "1.2.9"\n', "==1.2.9", "1.2.9"),
        ("poetry.lock", UV.replace("\n", "\r\n"), "==1.1.10", "1.1.10"),
        ("pdm.lock", UV, "==1.1.10", "1.1.10"),
        ("pylock.toml", UV.replace("[[package]]", "[[packages]]"), "==1.1.10", "1.1.10"),
        ("Pipfile.lock", json.dumps({"default": {"langgraph": {"version": "==1.0.5"}}}), "==1.0.5", "1.0.5"),
        ("Pipfile", '[packages]\nlanggraph = "~=1.0"', "~=1.0", None),
        (
            "pyproject.toml",
            '[project]\ndependencies = ["a", "langgraph[x]>=1.1,<2; python_version>\'3\'"]',
            "<2,>=1.1",
            None,
        ),
        ("pyproject.toml", '[project.optional-dependencies]\nx = ["langgraph==1.0.5"]', "==1.0.5", "1.0.5"),
        ("pyproject.toml", '[dependency-groups]\ndev = [{include-group = "x"}, "langgraph"]', "", None),
        ("pyproject.toml", '[tool.poetry.dependencies]\nlanggraph = "^1.1.2"', ">=1.1.2,<2", None),
        ("pyproject.toml", '[tool.poetry.dependencies]\nlanggraph = "^0.2"', ">=0.2,<0.3", None),
        (
            "pyproject.toml",
            '[tool.poetry.group.x.dependencies]\nlanggraph = {version = "~1.1"}',
            ">=1.1,<1.2",
            None,
        ),
        ("pyproject.toml", '[tool.poetry.dependencies]\nlanggraph = "1.0.5"', "==1.0.5", "1.0.5"),
        ("pyproject.toml", '[tool.poetry.dependencies]\nlanggraph = ">= 0.1, <1 || ~1"', ">=1,<2", None),
        ("pyproject.toml", '[tool.poetry.dependencies]\nlanggraph = {path = ".."}', "", None),
        (
            "pyproject.toml",
            '[tool.poetry.dependencies]\nlanggraph = [{version = "*"}, {version = "1.*"}]',
            "==1.*",
            None,
        ),
        ("pyproject.toml", '[tool.poetry.dependencies]\nlanggraph = "*"', "", None),
        (
            "requirements.txt",
            "# c\n-r x.txt\nlanggraph == 1.0.5 \\\n  --hash=sha256:aa # why\n",
            "==1.0.5",
            "1.0.5",
        ),
        ("requirements.txt", "!!! bad\ngit+https://x/y\nlanggraph~=1.1 # x", "~=1.1", None),
        ("dev-requirements.txt", "langgraph<2", "<2", None),
        ("constraints.txt", "langgraph==1.2.9", "==1.2.9", "1.2.9"),
        ("requirements/base.in", "langgraph>1", ">1", None),
        ("setup.cfg", "[options]\ninstall_requires =\n  a\n  langgraph>=1\n", ">=1", None),
        ("setup.cfg", "[options.extras_require]\nx = langgraph==1.0.5\n", "==1.0.5", "1.0.5"),
        ("environment.yml", "dependencies:\n  - langgraph=1.0\n", "==1.0.*", None),
        ("environment.yml", "dependencies:\n  - cf::langgraph=1.0.5=py_0\n", "==1.0.5", "1.0.5"),
        ("environment.yaml", "dependencies:\n  - pip:\n    - langgraph>=1.1  # x\n", ">=1.1", None),
    ],
)
def test_reads_each_kind(tmp_path: Path, name: str, text: str, specifier: str, exact: str | None) -> None:
    write(tmp_path, name, text)
    assert pin(tmp_path) == (specifier, exact, name)


def test_nearest_folder_that_mentions_the_package_wins(tmp_path: Path) -> None:
    write(tmp_path, "uv.lock", UV)
    write(tmp_path, "a/pyproject.toml", '[project]\ndependencies = ["requests"]')
    write(tmp_path, "a/b/requirements.txt", "langgraph==1.0.5")
    assert pin(tmp_path, "a/x.py") == ("==1.1.10", "1.1.10", "uv.lock")
    assert pin(tmp_path, "a/b/c/x.py") == ("==1.0.5", "1.0.5", "a/b/requirements.txt")
    assert FrameworkPins().pinned(tmp_path, "a/x.py", "nothing") is None
    assert FrameworkPins().pinned(tmp_path / "a", "x.py", "langgraph") is None


def test_exact_beats_range_and_lock_beats_manifest_in_one_folder(tmp_path: Path) -> None:
    write(tmp_path, "pyproject.toml", '[project]\ndependencies = ["langgraph>=1"]')
    assert pin(tmp_path) == (">=1", None, "pyproject.toml")
    write(tmp_path, "requirements.txt", "langgraph==1.0.5")
    assert pin(tmp_path) == ("==1.0.5", "1.0.5", "requirements.txt")
    write(tmp_path, "uv.lock", UV)
    assert pin(tmp_path) == ("==1.1.10", "1.1.10", "uv.lock")


def test_bad_files_are_named_and_the_rest_counts(tmp_path: Path) -> None:
    for name in ("uv.lock", "pyproject.toml"):
        write(tmp_path, name, "<<<<<<< HEAD\n")
    write(tmp_path, "Pipfile.lock", "{")
    write(tmp_path, "setup.cfg", "nothing\n")
    write(tmp_path, "Pipfile", "[packages]\nx = " + "[" * 50_000)
    write(tmp_path, "requirements.txt", "\x00\nlanggraph==1.0.5")
    pins = FrameworkPins()
    assert pins.pinned(tmp_path, "app.py", "langgraph") == Pin("langgraph", "==1.0.5", "1.0.5", "requirements.txt")
    assert [error.path for error in pins.errors] == [
        "Pipfile",
        "Pipfile.lock",
        "pyproject.toml",
        "setup.cfg",
        "uv.lock",
    ]


def test_each_folder_is_read_once(tmp_path: Path) -> None:
    write(tmp_path, "requirements.txt", "langgraph==1.0.5")
    pins = FrameworkPins()
    assert pins.pinned(tmp_path, "app.py", "langgraph")
    write(tmp_path, "requirements.txt", "langgraph==1.2.9")
    found = pins.pinned(tmp_path, "b.py", "langgraph")
    assert found is not None
    assert found.exact == "1.0.5"


@pytest.mark.parametrize(
    "specifier, version",
    [
        ("", "1.2.24"),
        (">=1.0", "1.2.24"),
        (">=1.1,<1.2", "1.1.10"),
        ("~=1.0.2", "1.0.5"),
        ("==1.2.*", "1.2.24"),
        ("<=1.2.9", "1.2.9"),
        ("!=1.2.24", "1.2.9"),
        (">=2", "1.2.24"),
        (">=0.3,<0.7", "0.2.76"),
        ("<0.1", "0.2.76"),
        ("==0.6.*", "0.2.76"),
        ("~=1.1.12", "1.1.10"),
        ("nonsense", "1.2.24"),
    ],
)
def test_a_range_means_the_newest_measured_version_it_allows(specifier: str, version: str) -> None:
    assert assume(Pin("langgraph", specifier, None, "x"), MEASURED[::-1]) == version


def test_exact_versions_stand_and_nothing_known_means_the_newest() -> None:
    assert assume(Pin("langgraph", "==9", "9", "x"), MEASURED) == "9"
    assert assume(None, MEASURED) == "1.2.24"
    assert assume(None, ()) == ""
