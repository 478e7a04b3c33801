"""Imports run one way, and importing the package stays light."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("analyzer", "cli", "reports", "rules", "tracer")


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """The level of each import and the module it names."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from ((0, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.level, node.module or node.names[0].name


def room_files() -> list[Path]:
    files = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    return sorted(files + list(ROOT.glob("*.py")))


def test_layers_hold() -> None:
    """Through the command, as ``make check`` does: the contracts stand in pyproject.toml."""
    lint = Path(sys.executable).with_name("lint-imports")
    ran = subprocess.run([str(lint), "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_rooms_import_each_other_relatively() -> None:
    absolute = [
        f"{path.relative_to(ROOT)}: {module}"
        for path in room_files()
        for level, module in imports(path)
        if level == 0 and module.split(".")[0] == "resume_audit"
    ]
    assert absolute == []


def test_tests_import_absolutely() -> None:
    files = sorted((ROOT / "tests").rglob("*.py"))
    assert [path for path in files if any(level for level, _ in imports(path))] == []


@pytest.mark.parametrize("name, allowed", [("contract.py", set()), ("config.py", {"contract"})])
def test_the_standard_library_is_enough(name: str, allowed: set[str]) -> None:
    foreign = {
        module
        for level, module in imports(ROOT / name)
        if (module not in allowed if level else module.split(".")[0] not in sys.stdlib_module_names)
    }
    assert foreign == set()


def test_analyzer_init_imports_nothing() -> None:
    modules = {module for _, module in imports(ROOT / "analyzer" / "__init__.py")}
    assert modules <= {"annotations", "__future__"}


def test_importing_the_package_loads_the_standard_library_only() -> None:
    code = "import sys; before = set(sys.modules); import resume_audit; print(*set(sys.modules) - before)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    tops = {name.split(".")[0] for name in ran.stdout.split()}
    assert tops - sys.stdlib_module_names == {"resume_audit"}
