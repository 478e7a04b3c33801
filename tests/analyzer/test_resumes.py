"""Answers to waits, and the calls that send them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resume_audit.analyzer.resumes import is_empty, resumes
from resume_audit.analyzer.summary import Const, Expr, Table

if TYPE_CHECKING:
    from pathlib import Path

    from resume_audit.tests.analyzer.conftest import Link

HEAD = """
import asyncio
from langgraph.graph import StateGraph
from langgraph.types import Command
graph = StateGraph(dict).compile()
"""


def sends(link: Link, text: str) -> list[tuple[str, str]]:
    """For each send the function that makes the answer and the one that sends it."""
    made = link(HEAD + text)
    return [(r.function[1], s.function[1]) for r in resumes(made.registry) for s in r.sends]


@pytest.mark.parametrize(
    "text, found",
    [
        ("def f(c): graph.invoke(Command(resume=1), c)", [("f", "f")]),
        ("def f(c): return [e for e in graph.stream(Command(resume=1), c)]", [("f", "f")]),
        ("def f(c):\n    x = Command(resume=1)\n    graph.invoke(x, c)", [("f", "f")]),
        ("def f(c, y):\n    x = Command(resume=1) if y else None\n    graph.invoke(x, c)", [("f", "f")]),
        ("def f(c): graph.invoke(input=Command(resume=1), config=c)", [("f", "f")]),
        ("def f(c): graph.invoke(**{'input': Command(resume=1), 'config': c})", [("f", "f")]),
        ("def f(c):\n    k = {'input': Command(resume=1)}\n    graph.invoke(**k)", [("f", "f")]),
        ("async def f(c): await asyncio.to_thread(graph.invoke, Command(resume=1), c)", [("f", "f")]),
        ("def send(x, c): graph.invoke(x, c)\ndef f(c): send(Command(resume=1), c)", [("f", "send")]),
        ("def make(): return Command(resume=1)\ndef f(c): graph.invoke(make(), c)", [("make", "f")]),
        ("def f(c):\n    x = Command(resume=1)\n    def g(): graph.invoke(x, c)\n    g()", [("f", "f.g")]),
        ("class A:\n    def s(self, x): graph.invoke(x)\n    def f(self): self.s(Command(resume=1))", [("A.f", "A.s")]),
        ("def f(c): graph.invoke(Command(update={}), c)", []),
        ("def f(c): print(Command(resume=1))", []),
        ("def f(c):\n    x = Command(resume=1)\n    graph.invoke({'x': x.resume}, c)", []),
        ("def f(x):\n    f(x)\n    f(Command(resume=1))", []),
    ],
)  # fmt: skip
def test_where_an_answer_is_sent(link: Link, text: str, found: list[tuple[str, str]]) -> None:
    assert sends(link, text + "\n") == found


def test_another_command_is_none(link: Link) -> None:
    made = link("from shop import Command\ndef f(g, c): g.invoke(Command(resume=1), c)\n")
    assert resumes(made.registry) == []


def test_the_configuration_and_the_graph(link: Link) -> None:
    made = link(HEAD + "def f(c): graph.invoke(Command(resume=1, update=c), config=c)\n")
    (found,) = resumes(made.registry)
    assert (found.value, found.update, found.sends[0].config) == (Const(1), "c", "c")
    assert [site[0] for site in found.sends[0].graphs if site] == ["app.py"]


def test_answers_that_never_arrive() -> None:
    empty: list[Expr] = [Const(None), Table([], [], 1, 0)]
    assert [value for value in (*empty, Const(False), "value") if is_empty(value)] == empty


def test_a_file_that_only_calls_the_sender_comes_in(link: Link, tmp_path: Path) -> None:
    (tmp_path / "routes.py").write_text("import runner\ndef route(): runner.resume(1)\n", encoding="utf-8")
    text = "from langgraph.types import Command\ndef resume(x): some().invoke(Command(resume=x))\n"
    made = link(files={"runner.py": text})
    assert "routes.py" in made.program.project.files
