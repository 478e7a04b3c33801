"""Receivers that only inference can tell, and the guard around it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import resume_audit
from resume_audit.analyzer import inference, receivers
from resume_audit.tests.processes import check, run

if TYPE_CHECKING:
    from resume_audit.contract import Report

GATES = """
import httpx


class Gate:
    def settle(self, amount):
        return httpx.post("https://bank.example/charges", json={"amount": amount})


class Book:
    def settle(self, amount):
        return amount + 1


class Gates:
    def __getitem__(self, name):
        return Gate()

    def __add__(self, other):
        return Gate()


class Books:
    def __getitem__(self, name):
        return Book()


def first(*given):
    return given[0]


def named(**given):
    return given["gate"]
"""

NODE = """
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt

from gates import Book, Books, Gate, Gates, first, named


def pay(state):
    {receiver}.settle(3)
    return {{"ok": interrupt("paid?")}}


graph = StateGraph(dict).add_node("pay", pay).add_edge(START, "pay").compile()
"""


def audited(folder: Path, receiver: str) -> Report:
    (folder / "gates.py").write_text(GATES, encoding="utf-8")
    (folder / "flow.py").write_text(NODE.format(receiver=receiver), encoding="utf-8")
    return resume_audit.check(folder, cache=False, jobs=1)


def acting(report: Report) -> list[tuple[str, str]]:
    return [(each.place.path, each.certainty) for each in report.findings if each.rule == "RA101"]


@pytest.mark.parametrize(
    "receiver",
    [
        "Gates()['a']",
        "(Gates() + 1)",
        "first(Gate(), 2)",
        "named(gate=Gate())",
        "[1, Gate()][-1:][0]",
        "type(Gate())()",
    ],
)
def test_what_a_receiver_is_was_inferred(tmp_path: Path, receiver: str) -> None:
    report = audited(tmp_path, receiver)
    assert acting(report) == [("gates.py", "certain")]
    assert not any("could not be resolved" in each for each in report.not_checked)


@pytest.mark.parametrize("receiver", ["Books()['a']", "first(Book(), Gate())", "unknown"])
def test_other_receivers_are_quiet(tmp_path: Path, receiver: str) -> None:
    assert acting(audited(tmp_path, receiver)) == []


LISTED = """
import httpx
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt


class Pool:
    def __getitem__(self, name):
        return {made}


def pay(state):
    Pool()["client"].post("https://bank.example/charges")
    return {{"ok": interrupt("paid?")}}


graph = StateGraph(dict).add_node("pay", pay).add_edge(START, "pay").compile()
"""


@pytest.mark.parametrize(
    "made, wanted", [("httpx.Client()", [("flow.py", "certain")]), ("str(name)", []), ("open", [("flow.py", "likely")])]
)
def test_classes_of_libraries_and_of_the_language(tmp_path: Path, made: str, wanted: list[tuple[str, str]]) -> None:
    """A client is known by the tables; what is known to be a text sends nothing, whatever its method's name."""
    (tmp_path / "flow.py").write_text(LISTED.format(made=made), encoding="utf-8")
    assert acting(resume_audit.check(tmp_path, cache=False, jobs=1)) == wanted


def test_nothing_is_asked_where_nothing_hangs_on_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(self: receivers.Receivers) -> None:
        raise AssertionError("asked")

    monkeypatch.setattr(receivers.Receivers, "_start", never)
    text = NODE.format(receiver="Gates()['a']").replace('interrupt("paid?")', "1").replace("settle", "keep")
    (tmp_path / "gates.py").write_text(GATES.replace("settle", "keep"), encoding="utf-8")
    (tmp_path / "flow.py").write_text(text, encoding="utf-8")
    assert resume_audit.check(tmp_path, cache=False, jobs=1).faults == ()
    assert audited(tmp_path, "Gates()['a']").faults != ()


@pytest.mark.skipif(sys.platform != "linux", reason="a process that is not forked does not see the change")
@pytest.mark.parametrize("how", ["dies", "hangs"])
def test_a_process_that_fails_ends_only_the_inference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    def fail(self: inference.Inference, *_: object) -> list[inference.Found]:
        if how == "dies":
            os._exit(3)
        while True:
            pass

    monkeypatch.setattr(inference.Inference, "receiver", fail)
    monkeypatch.setattr(receivers, "SECONDS", 0.3)
    report = audited(tmp_path, "Gates()['a']")
    assert acting(report) == []
    assert [each for each in report.not_checked if "flow.py: inferring a receiver" in each] != []
    assert resume_audit.check(tmp_path).not_checked == report.not_checked
    monkeypatch.undo()
    assert acting(resume_audit.check(tmp_path)) == [("gates.py", "certain")], "what a limit left out was remembered"


def test_a_limit_of_questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receivers, "MOST", 0)
    report = audited(tmp_path, "Gates()['a']")
    assert [each for each in report.not_checked if "the rest was not inferred" in each] != []


# What is audited is not run: astroid would, left alone.

TRAPPED = """
import colorsys

from gi.repository.Gtk import Window
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt


class Pool:
    def __getitem__(self, name):
        return {made}

    def post(self, url):
        return interrupt(url)


def pay(state):
    Pool()["client"].post("https://bank.example/charges")
    return {{"ok": interrupt("paid?")}}


graph = StateGraph(dict).add_node("pay", pay).add_edge(START, "pay").compile()
"""
SHARED = """
#include <stdio.h>
__attribute__((constructor)) static void told(void) {{
    FILE *file = fopen("{mark}", "w");
    if (file) fclose(file);
}}
"""
UNGUARDED = """
import sys
sys.path.insert(0, ".")
import astroid
module = astroid.MANAGER.ast_from_file("flow.py", "flow")
for call in module.nodes_of_class(astroid.nodes.Call):
    if isinstance(call.func, astroid.nodes.Attribute):
        try:
            list(call.func.expr.infer())
        except astroid.AstroidError:
            pass
"""


@pytest.fixture
def extension(tmp_path: Path) -> Path:
    """A project with a library under the name of a module of the standard library; loading it leaves a mark."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler, so no extension module to be tempted with")
    root = tmp_path / "project"
    root.mkdir()
    source = tmp_path / "told.c"
    source.write_text(SHARED.format(mark=root / "loaded"), encoding="utf-8")
    name = f"colorsys.cpython-{sys.version_info[0]}{sys.version_info[1]}-x86_64-linux-gnu.so"
    built = subprocess.run(
        [compiler, "-shared", "-fPIC", "-o", str(root / name), str(source)], check=False, capture_output=True
    )
    if built.returncode:
        pytest.skip("the C compiler does not work here")
    shutil.copy(root / name, root / "colorsys.so")
    (root / "flow.py").write_text(TRAPPED.format(made="colorsys.Client()"), encoding="utf-8")
    return root


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A project with a package that one of astroid's brains imports; importing it leaves a mark."""
    root = tmp_path / "project"
    (root / "gi").mkdir(parents=True)
    mark = f"open({str(root / 'loaded')!r}, 'w').close()\n"
    (root / "gi" / "__init__.py").write_text(mark, encoding="utf-8")
    (root / "flow.py").write_text(TRAPPED.format(made="Window()"), encoding="utf-8")
    return root


@pytest.mark.parametrize("trap", ["extension", "package"])
@pytest.mark.parametrize("way", ["alone", "elsewhere", "inside", "function"])
def test_nothing_audited_is_run_by_inference(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trap: str, way: str
) -> None:
    root: Path = request.getfixturevalue(trap)
    if way == "alone":
        done = run([sys.executable, "-c", UNGUARDED], cwd=root)
        assert (root / "loaded").exists(), f"the trap does not work: {done.err}"
        return
    if way == "function":
        monkeypatch.syspath_prepend(str(root))
        found = [each.place.path for each in resume_audit.check(root, cache=False).findings]
    else:
        ran = check("." if way == "inside" else root, "--no-cache", cwd=root if way == "inside" else tmp_path)
        found = list(ran.rules)
    assert found == ["flow.py"]
    assert not (root / "loaded").exists()
