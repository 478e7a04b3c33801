"""Files that name no framework but use what one that does defines."""

from __future__ import annotations

from pathlib import Path

import pytest

from resume_audit.analyzer import discover, program
from resume_audit.analyzer.program import BuildOptions, Program

GRAPH = "from langgraph.types import interrupt\ndef ask(): return interrupt(1)\nclass Base:\n    def go(self): ask()\n"


def build(tmp_path: Path, files: dict[str, str]) -> Program:
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    found = discover.find((tmp_path,), (), tmp_path)
    return program.build(found.root, found.files, BuildOptions())


@pytest.mark.parametrize(
    "statement, used",
    [
        ("from graph import ask", True),
        ("import graph", True),
        ("import graph as g", True),
        ("from . import graph", True),
        ("from .graph import ask", True),
        ("def f():\n    from graph import ask", True),
        ("from graph import (\n    ask,\n)", True),
        pytest.param("import os, graph", True),
        pytest.param("from lib import (\n    other,\n    inner,\n)", True),
        ("from lib import other, inner", True),
        ("from os import graph", False),
        ("# from graph import ask", False),
        ("import graphs", False),
        ("from lib.graph import ask", False),
        ("x = 'import graph'", False),
    ],
)
def test_which_files_come_in(tmp_path: Path, statement: str, used: bool) -> None:
    made = build(
        tmp_path, {"graph.py": GRAPH, "other.py": statement + "\n", "lib/graph.py": "x = 1\n", "lib/inner.py": GRAPH}
    )
    assert ("other.py" in made.project.files) is used


def test_what_a_file_that_comes_in_adds(tmp_path: Path) -> None:
    made = build(
        tmp_path,
        {
            "graph.py": GRAPH,
            "use.py": "import requests\nfrom graph import ask\ndef f():\n    requests.post(1)\n    ask()\n",
        },
    )
    (hazard,) = made.hazards
    assert (hazard.effect.path, hazard.wait.path) == ("use.py", "graph.py")


def test_over_several_imports(tmp_path: Path) -> None:
    files = {"graph.py": GRAPH, "one.py": "from graph import ask\n", "two.py": "from one import ask\n"}
    made = build(tmp_path, {**files, "three.py": "from two import ask\n"})
    assert set(made.project.files) == {"graph.py", "one.py", "two.py", "three.py"}


def test_a_package_door(tmp_path: Path) -> None:
    files = {"app/__init__.py": "from .graph import ask\n", "app/graph.py": GRAPH, "use.py": "from app import ask\n"}
    made = build(tmp_path, files)
    assert "use.py" in made.project.files


def test_tests_do_not_come_in(tmp_path: Path) -> None:
    made = build(
        tmp_path,
        {"graph.py": GRAPH, "tests/test_graph.py": "from graph import ask\n", "test_x.py": "import graph\n"},
    )
    assert set(made.project.files) == {"graph.py"}


def test_a_file_that_holds_nothing_brings_nothing_in(tmp_path: Path) -> None:
    made = build(tmp_path, {"graph.py": "import langgraph\nx = 1\n", "use.py": "import graph\n"})
    assert set(made.project.files) == {"graph.py"}
    assert any("1 of 2 files" in told for told in made.not_checked)
