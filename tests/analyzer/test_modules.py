"""Which file an import means."""

from __future__ import annotations

import pytest

from resume_audit.analyzer.modules import build, is_test


@pytest.mark.parametrize(
    "paths, name, importer, found",
    [
        # packages by path
        ("app/__init__.py app/pay.py main.py", "app.pay", "main.py", "app/pay.py"),
        ("app/__init__.py app/pay.py main.py", "app", "main.py", "app/__init__.py"),
        ("app/__init__.py app/pay/__init__.py main.py", "app.pay", "main.py", "app/pay/__init__.py"),
        ("app/__init__.py main.py", "app.pay", "main.py", None),
        ("app/__init__.py myapp/pay.py main.py", "app.pay", "main.py", None),
        # a source folder, from inside and outside of it
        ("src/app/__init__.py src/app/pay.py run.py", "app.pay", "run.py", "src/app/pay.py"),
        ("src/app/__init__.py src/app/pay.py tests/x.py", "app.pay", "tests/x.py", "src/app/pay.py"),
        ("src/pay.py src/main.py", "pay", "src/main.py", "src/pay.py"),
        ("src/pay.py scripts/main.py", "pay", "scripts/main.py", "src/pay.py"),
        # namespace packages
        ("ns/a/pay.py main.py", "ns.a.pay", "main.py", "ns/a/pay.py"),
        # a notebook is a module of its own
        ("pay.ipynb main.py", "pay", "main.py", "pay.ipynb"),
        # the nearest of several
        ("one/app/pay.py two/app/pay.py two/main.py", "app.pay", "two/main.py", "two/app/pay.py"),
        ("one/app/pay.py two/app/pay.py one/main.py", "app.pay", "one/main.py", "one/app/pay.py"),
        # single modules lie beside the importer or above it
        ("pay.py main.py", "pay", "main.py", "pay.py"),
        ("a/pay.py a/main.py", "pay", "a/main.py", "a/pay.py"),
        ("a/pay.py a/b/main.py", "pay", "a/b/main.py", "a/pay.py"),
        ("a/pay.py b/main.py", "pay", "b/main.py", None),
        ("a/b/pay.py a/main.py", "pay", "a/main.py", None),
        # a module inside another package is no module of that name
        ("app/__init__.py app/inner/pay.py main.py", "inner.pay", "main.py", None),
        ("app/__init__.py app/inner/pay.py app/main.py", "inner.pay", "app/main.py", "app/inner/pay.py"),
        # names of the standard library are its own
        ("json.py main.py", "json", "main.py", None),
        ("types/pay.py main.py", "types.pay", "main.py", None),
    ],
)
def test_absolute_names(paths: str, name: str, importer: str, found: str | None) -> None:
    assert build(paths.split()).find(name, importer) == found


@pytest.mark.parametrize(
    "name, importer, found",
    [
        (".pay", "app/a/main.py", "app/a/pay.py"),
        ("..pay", "app/a/main.py", "app/pay.py"),
        (".", "app/a/main.py", "app/a/__init__.py"),
        ("..", "app/a/main.py", "app/__init__.py"),
        ("..b", "app/a/main.py", None),
        (".a.pay", "app/x.py", "app/a/pay.py"),
        ("....pay", "app/a/main.py", None),
        (".pay", "app/x.py", "app/pay.py"),
    ],
)
def test_relative_names(name: str, importer: str, found: str | None) -> None:
    known = build(["app/__init__.py", "app/pay.py", "app/a/__init__.py", "app/a/pay.py", "app/a/main.py", "app/x.py"])
    assert known.find(name, importer) == found


def test_installed_packages_are_projects_of_their_own() -> None:
    paths = [
        "main.py", "lib/site-packages/one/pay.py", "lib/site-packages/one/__init__.py",
        "lib/site-packages/one/run.py", "lib/site-packages/two/run.py", "two/x.py",
    ]  # fmt: skip
    known = build(paths)
    assert known.find("one.pay", "lib/site-packages/one/run.py") == "lib/site-packages/one/pay.py"
    assert known.find("one.pay", "lib/site-packages/two/run.py") is None
    assert known.find("one.pay", "main.py") is None
    assert known.find("two.x", "lib/site-packages/two/run.py") is None


def test_an_audited_folder_of_installed_packages() -> None:
    known = build(["one/__init__.py", "one/pay.py", "one/run.py", "two/run.py"], installed=True)
    assert known.find("one.pay", "one/run.py") == "one/pay.py"
    assert known.find("one.pay", "two/run.py") is None


def test_submodules() -> None:
    known = build(["app/__init__.py", "app/pay.py", "app/mail/__init__.py", "top.py", "__init__.py"])
    assert known.submodule("app/__init__.py", "pay") == "app/pay.py"
    assert known.submodule("app/__init__.py", "mail") == "app/mail/__init__.py"
    assert known.submodule("app/__init__.py", "other") is None
    assert known.submodule("__init__.py", "top") == "top.py"


@pytest.mark.parametrize(
    "path, name",
    [
        ("main.py", "main"),
        ("app/__init__.py", "app"),
        ("app/pay.py", "app.pay"),
        ("src/app/pay.py", "pay"),
        ("src/pkg/__init__.py", "pkg"),
        ("src/pkg/inner/__init__.py", "pkg.inner"),
        ("src/pkg/inner/pay.py", "pkg.inner.pay"),
    ],
)
def test_qualified_names(path: str, name: str) -> None:
    known = build([path, "app/__init__.py", "src/pkg/__init__.py", "src/pkg/inner/__init__.py"])
    assert known.dotted(path) == name


@pytest.mark.parametrize(
    "path, told",
    [
        ("tests/a.py", True),
        ("app/test/a.py", True),
        ("app/testing/a.py", True),
        ("test_pay.py", True),
        ("app/pay_test.py", True),
        ("app/pay_tests.py", True),
        ("app/conftest.py", True),
        ("app/pay.py", False),
        ("app/latest.py", False),
        ("contest/pay.py", False),
        ("app/protests.py", False),
        ("attest/pay.py", False),
    ],
)
def test_tests_are_told_by_their_path(path: str, told: bool) -> None:
    assert is_test(path) is told
