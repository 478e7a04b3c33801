"""Nothing of what is audited is imported, executed or written to."""

from __future__ import annotations

import importlib
import os
import shutil
import sys
from pathlib import Path

import pytest

import resume_audit
from resume_audit.tests import hostile
from resume_audit.tests.hostile import GOOD, small
from resume_audit.tests.processes import PACKAGE, Ran, check, run

pytestmark = pytest.mark.skipif(os.name == "nt", reason="no pipes and no such names there")

RAN = "ran.txt"
SHADOWED = [
    "ast",
    "bdb",
    "click",
    "cmd",
    "code",
    "codecs",
    "collections",
    "concurrent",
    "conftest",
    "contextlib",
    "copy",
    "copyreg",
    "csv",
    "dataclasses",
    "datetime",
    "difflib",
    "dis",
    "email",
    "encodings",
    "enum",
    "fnmatch",
    "functools",
    "gc",
    "hashlib",
    "heapq",
    "importlib",
    "inspect",
    "io",
    "itertools",
    "json",
    "keyword",
    "linecache",
    "locale",
    "logging",
    "math",
    "msgspec",
    "multiprocessing",
    "networkx",
    "numbers",
    "numpy",
    "operator",
    "os",
    "pathlib",
    "pickle",
    "platform",
    "posixpath",
    "queue",
    "random",
    "re",
    "reprlib",
    "resource",
    "runpy",
    "selectors",
    "setup",
    "shutil",
    "signal",
    "site",
    "sitecustomize",
    "socket",
    "stat",
    "string",
    "struct",
    "subprocess",
    "sysconfig",
    "tempfile",
    "textwrap",
    "threading",
    "token",
    "tokenize",
    "tomllib",
    "traceback",
    "types",
    "typing",
    "unicodedata",
    "usercustomize",
    "uuid",
    "warnings",
    "weakref",
    "zipfile",
]
"""Modules of the standard library and of what the audit uses, and files that some tool or other runs."""


def told(folder: Path, name: str) -> str:
    return f"open({str(folder / RAN)!r}, 'a').write({name!r} + chr(10))\n"


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A project in which every import tells."""
    root = small(tmp_path / "trap")
    for name in SHADOWED:
        (root / f"{name}.py").write_text(hostile.MARK + told(root, name), encoding="utf-8")
    effect = told(root, "good")
    (root / "good.py").write_text(f"{GOOD}\n{effect}", encoding="utf-8")
    (root / "app").mkdir()
    (root / "app" / "__init__.py").write_text(told(root, "app"), encoding="utf-8")
    (root / "app" / "__main__.py").write_text(hostile.MARK + told(root, "app.__main__"), encoding="utf-8")
    (root / "setup.py").write_text(told(root, "setup"), encoding="utf-8")
    (root / "evil.pth").write_text(f"import os; {told(root, 'evil.pth')}", encoding="utf-8")
    backend = root / "backend.egg-info"
    backend.mkdir()
    (backend / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: backend\nVersion: 1\n", encoding="utf-8")
    points = "[networkx.backends]\nevil = app:x\n[networkx.backend_info]\nevil = app:x\n[resume_audit]\nevil = app:x\n"
    (backend / "entry_points.txt").write_text(points, encoding="utf-8")
    return root


def ran_there(root: Path) -> list[str]:
    """What of the project was executed."""
    return (root / RAN).read_text(encoding="utf-8").split() if (root / RAN).exists() else []


def good_alone(ran: Ran) -> None:
    assert (ran.status, ran.err) == (1, "")
    assert ran.rules == {"good.py": ["RA101"]}


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_nothing_audited_is_run_from_elsewhere(trap: Path, tmp_path: Path, jobs: str) -> None:
    good_alone(check(trap, "--jobs", jobs, cwd=tmp_path))
    assert ran_there(trap) == []


def test_nothing_audited_is_run_from_inside_by_the_command(trap: Path) -> None:
    command = Path(sys.executable).with_name("resume-audit")
    if not command.exists():
        pytest.skip("the command is not installed beside this Python")
    good_alone(run([command, "check", ".", "--format", "json", "--jobs", "2"], cwd=trap))
    assert ran_there(trap) == []


def test_nothing_audited_is_run_from_inside_by_python_m(trap: Path) -> None:
    """``-m`` puts the current folder first on the path; what Python itself imports before us is its own affair."""
    for name in loaded_by_python(trap):
        (trap / f"{name}.py").unlink(missing_ok=True)
    good_alone(check(".", "--jobs", "2", cwd=trap))
    assert ran_there(trap) == []


@pytest.mark.parametrize("name", ["ast", "click", "dataclasses", "json", "networkx", "tomllib", "typing"])
def test_a_file_named_like_a_module_is_only_a_file(name: str, tmp_path: Path) -> None:
    root = small(tmp_path)
    (root / f"{name}.py").write_text(told(root, name), encoding="utf-8")
    good_alone(check(".", "--no-cache", cwd=root))
    assert ran_there(root) == []


def loaded_by_python(folder: Path) -> set[str]:
    """Modules that ``python -m`` imports from the current folder before the package begins."""
    empty = folder / "empty"
    empty.mkdir()
    (empty / "probe_first.py").write_text("import sys\nprint(*sys.modules)\n", encoding="utf-8")
    said = run([sys.executable, "-m", "probe_first"], cwd=empty)
    shutil.rmtree(empty)
    return {name.partition(".")[0] for name in said.out.decode().split()}


def test_nothing_audited_is_run_by_the_function(trap: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Called from a Python that has the folder on its path, as in a notebook; what we need was imported before."""
    for module in sorted(PACKAGE.glob("[acr]*/**/*.py")):
        importlib.import_module(".".join(("resume_audit", *module.relative_to(PACKAGE).with_suffix("").parts)))
    monkeypatch.syspath_prepend(str(trap))
    report = resume_audit.check(trap, cache=False, jobs=2)
    assert [each.place.path for each in report.findings] == ["good.py"]
    assert ran_there(trap) == []


def test_nothing_is_written_but_the_cache(trap: Path) -> None:
    before = listing(trap)
    resume_audit.check(trap, cache=False, jobs=2)
    assert listing(trap) == before
    resume_audit.check(trap, jobs=2)
    assert {path.partition("/")[0] for path in listing(trap) - before} == {".resume-audit"}


def listing(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*")}


def test_the_package_itself_is_not_in_the_way(tmp_path: Path) -> None:
    """A checkout's own parent folder as the current folder still runs it."""
    link = tmp_path / "resume_audit"
    link.symlink_to(PACKAGE, target_is_directory=True)
    small(tmp_path / "project")
    good_alone(check("project", "--no-cache", cwd=tmp_path))
