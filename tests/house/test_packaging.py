"""What is installed is what lies in the tree."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

import resume_audit

ROOT = Path(__file__).resolve().parents[2]
NOT_SHIPPED = {"tests", "fixtures", "benchmarks", "docs", "build", "dist"}
SHIPPED_SUFFIXES = {".py", ".toml", ".txt", ".typed"}
LOADED_BY_PYTEST = ROOT / "cli" / "pytest_plugin.py"


def pyproject() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def rooms() -> list[Path]:
    """The top-level folders that hold the package's code."""
    return sorted(
        path
        for path in ROOT.iterdir()
        if path.is_dir() and path.name.isidentifier() and path.name not in NOT_SHIPPED and path.name[0] != "_"
    )


def shipped() -> set[str]:
    """Files of the tree that an installation must hold, as paths in site-packages."""
    files = [path for path in ROOT.glob("*.*") if path.name != "pyproject.toml"]
    files += [path for room in rooms() for path in room.rglob("*.*")]
    return {
        f"resume_audit/{path.relative_to(ROOT).as_posix()}"
        for path in files
        if path.suffix in SHIPPED_SUFFIXES and path.is_file() and "__pycache__" not in path.parts
    }


def test_every_package_is_named() -> None:
    folders = {path.parent for room in rooms() for path in room.rglob("*.py")}
    dotted = {".".join(("resume_audit", *folder.relative_to(ROOT).parts)) for folder in folders}
    assert sorted(pyproject()["tool"]["setuptools"]["packages"]) == sorted(dotted | {"resume_audit"})


def test_every_package_has_an_init() -> None:
    folders = {path.parent for room in rooms() for path in room.rglob("*.py")}
    assert [folder for folder in sorted(folders) if not (folder / "__init__.py").is_file()] == []


def test_the_wheel_is_the_tree(tmp_path: Path) -> None:
    """Built as a release is: the wheel from the source archive."""
    tree = tmp_path / "tree"
    unwanted = shutil.ignore_patterns(
        ".git", ".venv*", ".*_cache", "__pycache__", "*.egg-info", "build", "dist", "fixtures"
    )
    shutil.copytree(ROOT, tree, ignore=unwanted, symlinks=True)
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(tmp_path / "dist"), str(tree)]
    built = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        licences = [name for name in archive.namelist() if name.endswith("LICENSE")]
    assert names == shipped()
    assert licences


def test_no_helper_script_ships() -> None:
    """Every Python file at the root is part of the package."""
    assert {path.name for path in ROOT.glob("*.py")} == {
        "__init__.py",
        "__main__.py",
        "config.py",
        "contract.py",
    }


def test_the_version_is_told_once() -> None:
    version = pyproject()["project"]["version"]
    assert resume_audit.__version__ == version
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest is not None
    assert newest[1] in {version, "Unreleased"}


@pytest.mark.parametrize("folder", [ROOT, ROOT / "tests", None], ids=["checkout", "inside", "elsewhere"])
def test_runs_from_any_folder(folder: Path | None, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "resume_audit", "--version"]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=folder or tmp_path, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert pyproject()["project"]["version"] in ran.stdout


def test_dependencies_are_ranges_and_what_is_imported() -> None:
    declared = [re.split(r"(?=[<>=!~])", text, maxsplit=1) for text in pyproject()["project"]["dependencies"]]
    assert [name for name, versions in declared if not versions.startswith(">=")] == []
    files = [path for folder in rooms() for path in folder.rglob("*.py")] + list(ROOT.glob("*.py"))
    imported = {
        name.split(".")[0]
        for path in files
        if path != LOADED_BY_PYTEST
        for node in ast.walk(ast.parse(path.read_bytes()))
        for name in imported_from_outside(node)
    }
    assert imported - sys.stdlib_module_names == {name.replace("-", "_") for name, _ in declared}


def imported_from_outside(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module] if isinstance(node, ast.ImportFrom) and not node.level and node.module else []
